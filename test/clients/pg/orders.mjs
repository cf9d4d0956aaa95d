// Orders with kid64 keys, by pg (node-postgres).
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
await client.query('CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)');
await client.query(
  'CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)');

const inserted = await client.query('INSERT INTO orders (item) VALUES ($1) RETURNING id', ['tea']);
const orderId = inserted.rows[0].id;
console.log('inserted', orderId);

const batch = await client.query(
  'INSERT INTO orders (item) SELECT unnest($1::text[]) RETURNING id', [Array(1000).fill('batch')]);
for (const { id } of batch.rows) console.log('batch', id);

const found = await client.query('SELECT id FROM orders WHERE id = $1', [orderId]);
console.log('found', found.rows[0].id);

const some = batch.rows.slice(5, 8).map(({ id }) => id);
const listed = await client.query('SELECT array_agg(id)::text[] AS ids FROM orders WHERE id = ANY ($1)', [some]);
for (const id of listed.rows[0].ids) console.log('listed', id);

const since = new Date(Date.now() - 3600 * 1000);
const recent = await client.query(
  'SELECT id, item FROM orders WHERE id >= $1::timestamptz ORDER BY id LIMIT 10', [since]);
for (const { id } of recent.rows) console.log('recent', id);

const last = recent.rows.at(-1).id;
const page = await client.query('SELECT id, item FROM orders WHERE id > $1 ORDER BY id LIMIT 10', [last]);
for (const { id } of page.rows) console.log('page', id);

const ids = (await client.query('SELECT kid_next(1000) AS id')).rows.map(({ id }) => id);
await pipeline(ids.map((id) => `${id}\tbulk\n`), client.query(copyFrom('COPY orders (id, item) FROM STDIN')));
for (const id of ids) console.log('bulk', id);

await client.query("INSERT INTO lines (order_id, note) VALUES ($1, 'with milk')", [orderId]);
const nested = await client.query(
  'SELECT o.*, (SELECT jsonb_agg(l) FROM lines l WHERE l.order_id = o.id) AS lines FROM orders o WHERE id = $1',
  [orderId]);
console.log('nested', nested.rows[0].lines[0].order_id);

try {
  await client.query('SELECT id FROM orders WHERE id = $1', ['12345']);
} catch (error) {
  console.log('wrong', error.code);
}

await client.end();
