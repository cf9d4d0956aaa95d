# Orders with kid64 keys, by ActiveRecord.
require 'active_record'
require 'active_support/all'
require 'stringio'
require 'tmpdir'

require_relative 'kid64'

ActiveRecord::Base.establish_connection(ENV['DATABASE_URL'])
ActiveRecord::Schema.verbose = false

# As in a new database.
ActiveRecord::Base.connection.disable_extension('kid')

ActiveRecord::Schema.define do
  enable_extension 'kid'
  create_table :orders, id: :kid64 do |t|
    t.text :item
  end
  create_table :lines, id: :kid64 do |t|
    t.references :order, type: :kid64, foreign_key: true
    t.text :note
  end
  create_table :parcels, id: :kid64 do |t|
    t.kid64 :orders, array: true, default: []
  end
end

# schema.rb, when loaded, makes the same tables.
def schema
  source = ActiveRecord.gem_version < Gem::Version.new('7.2') ? ActiveRecord::Base.connection : ActiveRecord::Base.connection_pool
  stream = StringIO.new
  ActiveRecord::SchemaDumper.dump(source, stream)
  stream.string
end

dumped = schema
%w[lines parcels orders].each { |table| ActiveRecord::Base.connection.drop_table(table) }
ActiveRecord::Base.connection.disable_extension('kid')
eval(dumped)
parts = [
  'enable_extension "kid"',
  'create_table "orders", id: :kid64, default: -> { "kid_next()" }',
  't.kid64 "order_id"',
  't.kid64 "orders", default: [], array: true'
]
raise schema unless schema == dumped && parts.all? { |part| dumped.include?(part) }

class Order < ActiveRecord::Base
  has_many :lines
end

class Parcel < ActiveRecord::Base
end

class Line < ActiveRecord::Base
  belongs_to :order
end

order = Order.create!(item: 'tea')
puts "inserted #{order.id}"

batch = Order.insert_all([{ item: 'batch' }] * 1000, returning: :id).pluck('id')
batch.each { |id| puts "batch #{id}" }

puts "found #{Order.find(order.id).id}"

listed = Order.where(id: batch[5, 3])
listed.each { |each| puts "listed #{each.id}" }

recent = Order.where('id >= ?::timestamptz', 1.hour.ago).order(:id).limit(10)
recent.each { |each| puts "recent #{each.id}" }

page = Order.where('id > ?', recent.last.id).order(:id).limit(10)
page.each { |each| puts "page #{each.id}" }

ids = Order.connection.select_values('SELECT kid_next(1000)')
Order.insert_all(ids.map { |id| { id: id, item: 'bulk' } })
ids.each { |id| puts "bulk #{id}" }

order.lines.create!(note: 'with milk')
nested = Order.includes(:lines).find(order.id)
puts "nested #{nested.lines.first.order_id}"

raise 'the default of an array' unless Parcel.new.orders == []
parcel = Parcel.create!(orders: batch[5, 3]).reload
raise parcel.inspect unless parcel.orders == batch[5, 3] && Parcel.where('? = ANY (orders)', batch[5]).exists?

# Fixtures without IDs, which refer to one another by label.
fixtures = { 'orders' => "coffee:\n  item: coffee\n", 'lines' => "black:\n  order: coffee\n  note: black\n" }
Dir.mktmpdir do |folder|
  fixtures.each { |table, text| File.write("#{folder}/#{table}.yml", text) }
  ActiveRecord::Base.transaction do
    ActiveRecord::FixtureSet.create_fixtures(folder, fixtures.keys)
    coffee = ActiveRecord::FixtureSet.identify(:coffee, :kid64)
    raise coffee unless Order.find(coffee).lines.one? && Line.find_by(note: 'black').order.item == 'coffee'
    raise ActiveRecord::Rollback
  end
end

begin
  Order.find('12345')
rescue ActiveRecord::RecordNotFound
  begin
    Order.where('id = ?', '12345').load
  rescue ActiveRecord::StatementInvalid => error
    puts "wrong #{error.cause.result.error_field(PG::PG_DIAG_SQLSTATE)}"
  end
end

begin
  Order.where(id: 1.hour.ago..).load
  raise 'a time was taken for an ID'
rescue ArgumentError
end
