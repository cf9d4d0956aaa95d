# Columns of each type that the extension adds, in ActiveRecord, with the server of the PG* environment variables.
require 'minitest/autorun'
require 'active_record'
require 'pgkid'

ActiveRecord::Base.establish_connection(adapter: 'postgresql')
ActiveRecord::Migration.verbose = false

ActiveRecord::Schema.define do
  enable_extension 'kid'
  PgKid::COLUMNS.each_key do |type|
    create_table "of_#{type}", id: type, force: true do |t|
      t.references :previous, type: type
      t.column :others, type, array: true, default: []
    end
  end
end

class Columns < Minitest::Test
  def test_keys_references_arrays_and_times
    PgKid::COLUMNS.each do |type, ids|
      table = Class.new(ActiveRecord::Base) { self.table_name = "of_#{type}" }
      first = table.create!
      second = table.create!(previous_id: first.id, others: [first.id]).reload
      assert_equal [first.id, [first.id]], [second.previous_id, second.others]
      assert ids.valid?(second.id), type
      assert_equal 1, ids.compare(second.id, first.id) unless type == :flax
      assert_equal second, table.find_by(previous_id: first.id)

      read = table.where(id: second.id).pick(Arel.sql('kid_timestamp(id)'))
      assert_equal read, ids.time(second.id)
      day = Time.now - 86_400
      found = [0, 2].map { |days| table.where(id: ids.floor(day + 86_400 * days)..).count }
      assert_equal [2, 0], found
      assert_raises(ActiveRecord::RecordNotFound) { table.find('no ID') }
      assert_raises(ArgumentError) { table.where(id: Time.now..).load }
      assert_nil table.new(previous_id: 'no ID').previous_id
      assert_equal first.id, table.new(previous_id: ids.to_text(first.id)).previous_id
      assert ids.valid?(ActiveRecord::FixtureSet.identify(:coffee, type))
    end
    assert_kind_of Integer, ActiveRecord::FixtureSet.identify(:coffee)
  end

  # SQL has no such number.
  def test_flakes_that_are_no_bigint
    greatest = PgKid::Flake.from_number((1 << 64) - 1)
    table = Class.new(ActiveRecord::Base) { self.table_name = 'of_flake' }
    table.create!(id: greatest)
    assert_equal greatest, table.find(greatest).id
    table.delete(greatest)
  end
end
