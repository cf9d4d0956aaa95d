# Orders with kid64 keys, by the gem pg.
require 'pg'

db = PG.connect

# Prints the IDs that a query returns, and returns them.
show = lambda do |word, query, *parameters|
  db.exec_params(query, parameters).column_values(0).each { |id| puts "#{word} #{id}" }
end

order_id, = show.call('inserted', 'INSERT INTO orders (item) VALUES ($1) RETURNING id', 'tea')

array = PG::TextEncoder::Array.new
insert = 'INSERT INTO orders (item) SELECT unnest($1::text[]) RETURNING id'
batch = show.call('batch', insert, array.encode(['batch'] * 1000))

show.call('found', 'SELECT id FROM orders WHERE id = $1', order_id)

some = array.encode(batch[5, 3])
show.call('listed', 'SELECT id FROM orders WHERE id = ANY ($1)', some)

since = Time.now - 3600
recent = <<~SQL
  SELECT id, item FROM orders
   WHERE id >= $1::timestamptz ORDER BY id LIMIT 10
SQL
show.call('recent', recent, since)

ids = show.call('bulk', 'SELECT kid_next(1000)')
copy = 'COPY orders (id, item) FROM STDIN'
db.copy_data(copy, PG::TextEncoder::CopyRow.new) do
  ids.each { |id| db.put_copy_data([id, 'bulk']) }
end

show.call('nested', "INSERT INTO lines (order_id, note) VALUES ($1, 'with milk') RETURNING order_id", order_id)

begin
  db.exec_params('SELECT id FROM orders WHERE id = $1', ['12345'])
rescue PG::InvalidTextRepresentation => error
  puts "wrong #{error.result.error_field(PG::PG_DIAG_SQLSTATE)}"
end
