// Orders with kid64 keys, by postgres.js.
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import { runDriver } from '../steps.mjs';

const sql = postgres(process.env.DATABASE_URL, { max: 1 });

await runDriver({
  insert: async ({ item }) => (await sql`INSERT INTO orders (item) VALUES (${item}) RETURNING id`)[0],
  insertMany: (rows) => sql`INSERT INTO orders ${sql(rows)} RETURNING id`,
  find: (id) => sql`SELECT id FROM orders WHERE id = ${id}`,
  list: (some) => sql`SELECT id FROM orders WHERE id = ANY (${some})`,
  since: (time) => sql`
    SELECT id, item FROM orders
     WHERE id >= ${time}::timestamptz ORDER BY id LIMIT 10`,
  next: (query) => sql.unsafe(query),
  load: async (rows) => pipeline(
    rows.map(({ id }) => `${id}\tbulk\n`),
    await sql`COPY orders (id, item) FROM STDIN`.writable()),
  nested: async ({ id }) => (await sql`
    INSERT INTO lines (order_id, note) VALUES (${id}, 'with milk') RETURNING order_id`)[0].order_id,
});
await sql.end();
