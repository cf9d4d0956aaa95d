// Orders with kid64 keys, by postgres.js.
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';

const sql = postgres(process.env.DATABASE_URL, { max: 1 });
await sql`CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)`;
await sql`CREATE TABLE lines (order_id kid64 REFERENCES orders, note text)`;

const [{ id: orderId }] = await sql`INSERT INTO orders (item) VALUES (${'tea'}) RETURNING id`;
console.log('inserted', orderId);

const items = Array(1000).fill({ item: 'batch' });
const batch = await sql`INSERT INTO orders ${sql(items)} RETURNING id`;
for (const { id } of batch) console.log('batch', id);

const [{ id: found }] = await sql`SELECT id FROM orders WHERE id = ${orderId}`;
console.log('found', found);

const some = batch.slice(5, 8).map(({ id }) => id);
const listed = await sql`SELECT id FROM orders WHERE id = ANY (${some})`;
for (const { id } of listed) console.log('listed', id);

const since = new Date(Date.now() - 3600 * 1000);
const recent = await sql`SELECT id, item FROM orders WHERE id >= ${since}::timestamptz ORDER BY id LIMIT 10`;
for (const { id } of recent) console.log('recent', id);

const page = await sql`SELECT id, item FROM orders WHERE id > ${recent.at(-1).id} ORDER BY id LIMIT 10`;
for (const { id } of page) console.log('page', id);

const ids = (await sql`SELECT kid_next(1000) AS id`).map(({ id }) => id);
await pipeline(ids.map((id) => `${id}\tbulk\n`), await sql`COPY orders (id, item) FROM STDIN`.writable());
for (const id of ids) console.log('bulk', id);

await sql`INSERT INTO lines (order_id, note) VALUES (${orderId}, 'with milk')`;
const [order] = await sql`
  SELECT o.*, (SELECT jsonb_agg(l) FROM lines l WHERE l.order_id = o.id) AS lines FROM orders o WHERE id = ${orderId}`;
console.log('nested', order.lines[0].order_id);

try {
  await sql`SELECT id FROM orders WHERE id = ${'12345'}`;
} catch (error) {
  console.log('wrong', error.code);
}

await sql.end();
