# Orders with kid64 keys, by ActiveRecord.
require 'action_controller'
require 'active_record'
require 'active_support/all'
require 'pgkid'
require 'stringio'
require 'tmpdir'

ActiveRecord::Base.establish_connection(ENV['DATABASE_URL'])
ActiveRecord::Migration.verbose = false

# As in a new database.
ActiveRecord::Base.connection.disable_extension('kid')

ActiveRecord::Schema.define do
  enable_extension 'kid'
  create_table :orders, id: :kid64 do |t|
    t.text :item
  end
  create_table :lines, id: :kid64 do |t|
    t.references :order, type: :kid64, foreign_key: true
    t.kid64 :related, array: true, default: []
  end
  if ActiveRecord.gem_version >= Gem::Version.new('7.0')
    add_column :orders, :public_id, :virtual,
               type: :text, as: "kid_encode(id, 'ord')", stored: true
  end
end

# schema.rb, when loaded, makes the same tables, of which the rest of this program is.
def schema
  base, stream = ActiveRecord::Base, StringIO.new
  source = ActiveRecord.gem_version < Gem::Version.new('7.2') ? base.connection : base.connection_pool
  ActiveRecord::SchemaDumper.dump(source, stream)
  stream.string
end

dumped = schema
%w[lines orders].each { |table| ActiveRecord::Base.connection.drop_table(table) }
ActiveRecord::Base.connection.disable_extension('kid')
eval(dumped)
raise schema unless schema == dumped

# Prints IDs.
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

class Line < ActiveRecord::Base
  belongs_to :order
end

order = Order.create!(item: 'tea')
show('inserted', [order.id])
batch = show('batch', Order.insert_all([{ item: 'batch' }] * 1000, returning: :id).pluck('id'))
show('found', [Order.find(order.id).id])
recent = Order.where(id: PgKid::Kid64.floor(1.hour.ago)..)
              .order(:id).limit(10)
show('recent', recent.map(&:id))
by_cast = Order.where('id >= ?::timestamptz', 1.hour.ago)
               .order(:id).limit(10)
raise by_cast.inspect unless by_cast == recent.to_a
line = order.lines.create!(related: batch[5, 3]).reload
show('nested', Order.includes(:lines).find(order.id).lines.map(&:order_id))

raise line.inspect unless line.related == batch[5, 3] && Line.find_by('? = ANY (related)', batch[5]) == line
raise 'the default of an array' unless Line.new.related == []

text = Order.where(id: order.id).pick(Arel.sql("kid_encode(id, 'ord')"))
found = Order.find_by("id = kid64_decode(?, 'ord')", text)
raise text unless found == order && found.attributes.fetch('public_id', text) == text
raise text unless text == PgKid::Kid64.encode(order.id, 'ord')

# URLs, with a format or without.
class OrdersController < ActionController::Base
end

routes = ActionDispatch::Routing::RouteSet.new
routes.draw do
  resources :orders, constraints: { id: /[.0-9A-Z_a-z]{11}/ }
end
{ '' => nil, '.json' => 'json' }.each do |suffix, format|
  parameters = routes.recognize_path("/orders/.6.qjQUTk..#{suffix}")
  raise parameters.inspect unless parameters.values_at(:id, :format) == ['.6.qjQUTk..', format]
end

# Tables whose keys were numbers.
ActiveRecord::Schema.define do
  create_table(:invoices) { |t| t.text :item }
  create_table(:refunds) { |t| t.references :invoice, foreign_key: true }
end

Invoice = Class.new(ActiveRecord::Base)

class Refund < ActiveRecord::Base
  belongs_to :invoice
end

class InvoicesWithKid64 < ActiveRecord::Migration[6.1]
  def up
    change_column_default :invoices, :id, -> { 'kid_next()' }
    change_keys :kid64
  end

  def down
    change_column_default :invoices, :id, nil
    change_keys :bigint
    change_column_default :invoices, :id,
                          -> { "nextval('invoices_id_seq')" }
    execute <<~SQL
      SELECT setval('invoices_id_seq', (SELECT max(id) FROM invoices))
    SQL
  end

  def change_keys(type)
    remove_foreign_key :refunds, :invoices
    change_column :invoices, :id, type
    change_column :refunds, :invoice_id, type
    add_foreign_key :refunds, :invoices, validate: false
  end
end

Refund.create!(invoice: Invoice.create!(item: 'number'))
kinds = %i[up down].map do |direction|
  InvoicesWithKid64.new.migrate(direction)
  Order.connection.validate_foreign_key :refunds, :invoices
  [Invoice, Refund].each(&:reset_column_information)
  newest = Invoice.create!(item: direction)
  raise newest.inspect unless Invoice.order(:id).last == newest && Refund.first.invoice.item == 'number'
  newest.id.class
end
raise kinds.inspect unless kinds == [String, Integer]

# Fixtures without IDs, which refer to one another by label.
Dir.mktmpdir do |folder|
  File.write("#{folder}/orders.yml", "coffee:\n  item: coffee\n")
  File.write("#{folder}/lines.yml", "black:\n  order: coffee\n")
  ActiveRecord::Base.transaction do
    ActiveRecord::FixtureSet.create_fixtures(folder, %w[orders lines])
    coffee = ActiveRecord::FixtureSet.identify(:coffee, :kid64)
    raise coffee unless Order.find(coffee).lines.one? && Line.find_by(order_id: coffee).order.item == 'coffee'
    raise ActiveRecord::Rollback
  end
end

refusal(ActiveRecord::StatementInvalid) { Order.find_by("id = kid64_decode(?, 'ord')", 'ord_12345') }
wrong = refusal(ActiveRecord::StatementInvalid) { Order.where('id = ?', '12345').load }
puts "wrong #{wrong.cause.result.error_field(PG::PG_DIAG_SQLSTATE)}"
