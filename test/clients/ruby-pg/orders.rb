# Orders with kid64 keys, by the gem pg.
require 'pg'
require 'json'

db = PG.connect
db.exec('CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)')
db.exec('CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)')

order_id = db.exec_params('INSERT INTO orders (item) VALUES ($1) RETURNING id', ['tea']).getvalue(0, 0)
puts "inserted #{order_id}"

array = PG::TextEncoder::Array.new
insert = 'INSERT INTO orders (item) SELECT unnest($1::text[]) RETURNING id'
batch = db.exec_params(insert, [array.encode(['batch'] * 1000)]).column_values(0)
batch.each { |id| puts "batch #{id}" }

puts "found #{db.exec_params('SELECT id FROM orders WHERE id = $1', [order_id]).getvalue(0, 0)}"

listed = db.exec_params('SELECT id FROM orders WHERE id = ANY ($1)', [array.encode(batch[5, 3])])
listed.each { |row| puts "listed #{row['id']}" }

since = Time.now - 3600
recent = db.exec_params('SELECT id, item FROM orders WHERE id >= $1::timestamptz ORDER BY id LIMIT 10', [since])
recent.each { |row| puts "recent #{row['id']}" }

last = recent[9]['id']
page = db.exec_params('SELECT id, item FROM orders WHERE id > $1 ORDER BY id LIMIT 10', [last])
page.each { |row| puts "page #{row['id']}" }

ids = db.exec('SELECT kid_next(1000)').column_values(0)
db.copy_data('COPY orders (id, item) FROM STDIN', PG::TextEncoder::CopyRow.new) do
  ids.each { |id| db.put_copy_data([id, 'bulk']) }
end
ids.each { |id| puts "bulk #{id}" }

db.exec_params("INSERT INTO lines (order_id, note) VALUES ($1, 'with milk')", [order_id])
nested = db.exec('SELECT to_jsonb(l) FROM lines l JOIN orders o ON l.order_id = o.id').getvalue(0, 0)
puts "nested #{JSON.parse(nested)['order_id']}"

begin
  db.exec_params('SELECT id FROM orders WHERE id = $1', ['12345'])
rescue PG::InvalidTextRepresentation => error
  puts "wrong #{error.result.error_field(PG::PG_DIAG_SQLSTATE)}"
end
