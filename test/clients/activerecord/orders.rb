# Orders with kid64 keys, by ActiveRecord.
require 'action_controller'
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
  if ActiveRecord.gem_version >= Gem::Version.new('7.0')
    add_column :parcels, :public_id, :virtual, type: :text, as: "kid_encode(id, 'pcl')", stored: true
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

# Prints IDs, and returns them.
def show(word, ids)
  ids.each { |id| puts "#{word} #{id}" }
end

# Returns the error that the block raises.
def refusal(error)
  yield
  raise "no #{error}"
rescue error => raised
  raised
end

class Order < ActiveRecord::Base
  has_many :lines
end

class Parcel < ActiveRecord::Base
end

class Line < ActiveRecord::Base
  belongs_to :order
end

order = Order.create!(item: 'tea')
show('inserted', [order.id])
batch = show('batch', Order.insert_all([{ item: 'batch' }] * 1000, returning: :id).pluck('id'))
show('found', [Order.find(order.id).id])
show('listed', Order.where(id: batch[5, 3]).map(&:id))
recent = Order.where('id >= ?::timestamptz', 1.hour.ago).order(:id).limit(10)
show('recent', recent.map(&:id))
show('page', Order.where('id > ?', recent.last.id).order(:id).limit(10).map(&:id))
ids = show('bulk', Order.connection.select_values('SELECT kid_next(1000)'))
Order.insert_all(ids.map { |id| { id: id, item: 'bulk' } })
order.lines.create!(note: 'with milk')
show('nested', Order.includes(:lines).find(order.id).lines.map(&:order_id))

raise 'the default of an array' unless Parcel.new.orders == []
parcel = Parcel.create!(orders: batch[5, 3]).reload
raise parcel.inspect unless parcel.orders == batch[5, 3] && Parcel.where('? = ANY (orders)', batch[5]).exists?

raise parcel.public_id unless ActiveRecord.gem_version < Gem::Version.new('7.0') || parcel.public_id.start_with?('pcl_')
text = Order.where(id: order.id).pick(Arel.sql("kid_encode(id, 'ord')"))
found = Order.find_by("id = kid64_decode(?, 'ord')", text)
raise text unless found == order

# URLs, with a format or without.
class OrdersController < ActionController::Base
end

routes = ActionDispatch::Routing::RouteSet.new
routes.draw do
  resources :orders, constraints: { id: /[.0-9A-Z_a-z]{11}/ }
end
['.6.qjQUTk..', *batch].each do |id|
  raise id unless routes.recognize_path("/orders/#{id}")[:id] == id
  raise id unless routes.recognize_path("/orders/#{id}.json").values_at(:id, :format) == [id, 'json']
end

# Tables whose keys were numbers.
ActiveRecord::Schema.define do
  create_table :invoices do |t|
    t.text :item
  end
  create_table :refunds do |t|
    t.references :invoice, foreign_key: true
  end
end

class Invoice < ActiveRecord::Base
end

class Refund < ActiveRecord::Base
  belongs_to :invoice
end

class InvoicesWithKid64 < ActiveRecord::Migration[6.1]
  def up
    change_column_default :invoices, :id, -> { 'kid_next()' }
    remove_foreign_key :refunds, :invoices
    change_column :invoices, :id, :kid64
    change_column :refunds, :invoice_id, :kid64
    add_foreign_key :refunds, :invoices, validate: false
  end

  def down
    remove_foreign_key :refunds, :invoices
    change_column_default :invoices, :id, nil
    change_column :invoices, :id, :bigint
    change_column :refunds, :invoice_id, :bigint
    change_column_default :invoices, :id, -> { "nextval('invoices_id_seq')" }
    execute "SELECT setval('invoices_id_seq', (SELECT max(id) FROM invoices))"
    add_foreign_key :refunds, :invoices, validate: false
  end
end

class ValidateInvoices < ActiveRecord::Migration[6.1]
  def change
    validate_foreign_key :refunds, :invoices
  end
end

Refund.create!(invoice: Invoice.create!(item: 'number'))
ActiveRecord::Migration.verbose = false
kinds = %i[up down].map do |direction|
  InvoicesWithKid64.new.migrate(direction)
  ValidateInvoices.new.migrate(:up)
  [Invoice, Refund].each(&:reset_column_information)
  newest = Invoice.create!(item: direction)
  raise newest.inspect unless Invoice.order(:id).last == newest && Refund.first.invoice.item == 'number'
  problems = Order.connection.select_values("SELECT problem FROM kid_check('invoices') WHERE problem !~ '1970'")
  raise problems.inspect unless problems.empty?
  newest.id.class
end
raise kinds.inspect unless kinds == [String, Integer]

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

raise 'an invalid ID in a write is not nil' unless Line.new(order_id: '12345').order_id.nil?

refusal(ActiveRecord::StatementInvalid) { Order.find_by("id = kid64_decode(?, 'ord')", 'ord_12345') }
refusal(ActiveRecord::RecordNotFound) { Order.find('12345') }
wrong = refusal(ActiveRecord::StatementInvalid) { Order.where('id = ?', '12345').load }
puts "wrong #{wrong.cause.result.error_field(PG::PG_DIAG_SQLSTATE)}"
# A time is not taken for an ID.
refusal(ArgumentError) { Order.where(id: 1.hour.ago..).load }
