# Orders with kid64 keys, by ActiveRecord.
require 'active_record'
require 'active_support/all'
require 'stringio'

# In Rails this is config/initializers/kid64.rb.
require 'active_record/connection_adapters/postgresql_adapter'
module Kid64
  def initialize_type_map(map = type_map)
    super
    map.register_type('kid64', ActiveRecord::ConnectionAdapters::PostgreSQL::OID::SpecializedString.new(:kid64))
  end
end
ActiveRecord::ConnectionAdapters::PostgreSQLAdapter.prepend(Kid64)
ActiveRecord::ConnectionAdapters::PostgreSQLAdapter::NATIVE_DATABASE_TYPES[:kid64] = { name: 'kid64' }

ActiveRecord::Base.establish_connection(ENV['DATABASE_URL'])
ActiveRecord::Schema.verbose = false

ActiveRecord::Schema.define do
  create_table :orders, id: :kid64, default: -> { 'kid_next()' } do |t|
    t.text :item
  end
  create_table :lines, id: :kid64, default: -> { 'kid_next()' } do |t|
    t.references :order, type: :kid64, foreign_key: true
    t.text :note
  end
end

# schema.rb, when loaded, makes the same tables.
schema = StringIO.new
ActiveRecord::SchemaDumper.dump(ActiveRecord::Base.connection, schema)
%w[orders lines].each do |table|
  raise schema.string unless schema.string.include? %(create_table "#{table}", id: :kid64, default: -> { "kid_next()" })
end

class Order < ActiveRecord::Base
  has_many :lines
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

begin
  Order.find('12345')
rescue ActiveRecord::StatementInvalid => error
  puts "wrong #{error.cause.result.error_field(PG::PG_DIAG_SQLSTATE)}"
end
