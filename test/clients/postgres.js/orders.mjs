// Orders with kid64 keys, by postgres.js.
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import { run } from '../steps.mjs';

const sql = postgres(process.env.DATABASE_URL, { max: 1 });

await run({
  insert: async ({ item }) => (await sql`INSERT INTO orders (item) VALUES (${item}) RETURNING id`)[0],
  insertMany: (rows) => sql`INSERT INTO orders ${sql(rows)} RETURNING id`,
  find: (id) => sql`SELECT id FROM orders WHERE id = ${id}`,
  list: (some) => sql`SELECT id FROM orders WHERE id = ANY (${some})`,
  since: (time) => sql`SELECT id, item FROM orders WHERE id >= ${time}::timestamptz ORDER BY id LIMIT 10`,
  after: (last) => sql`SELECT id, item FROM orders WHERE id > ${last} ORDER BY id LIMIT 10`,
  next: (query) => sql.unsafe(query),
  load: async (rows) => pipeline(
    rows.map(({ id, item }) => `${id}\t${item}\n`), await sql`COPY orders (id, item) FROM STDIN`.writable()),
  nested: async ({ id }) => {
    await sql`INSERT INTO lines (order_id, note) VALUES (${id}, 'with milk')`;
    const [order] = await sql`
      SELECT o.*, (SELECT jsonb_agg(l) FROM lines l WHERE l.order_id = o.id) AS lines FROM orders o WHERE id = ${id}`;
    return order.lines[0].order_id;
  },
});
await sql.end();
