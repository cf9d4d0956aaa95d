// Orders with kid64 keys, by pg (node-postgres).
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { registerTypes } from 'pgkid/pg';
import { runDriver } from '../steps.mjs';

const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
await registerTypes(client);
const query = async (...args) => (await client.query(...args)).rows;

const since = (time) => query(
  `SELECT id, item FROM orders
    WHERE id >= $1::timestamptz ORDER BY id LIMIT 10`, [time]);

async function list(some) {
  const [{ ids }] = await query(
    'SELECT array_agg(id) AS ids FROM orders WHERE id = ANY ($1)', [some]);
  return ids.map((id) => ({ id }));
}

const load = (rows) => pipeline(
  rows.map(({ id }) => `${id}\tbulk\n`),
  client.query(copyFrom('COPY orders (id, item) FROM STDIN')));

await runDriver({
  insert: async ({ item }) => (await query('INSERT INTO orders (item) VALUES ($1) RETURNING id', [item]))[0],
  insertMany: (rows) => query(
    'INSERT INTO orders (item) SELECT unnest($1::text[]) RETURNING id', [rows.map(({ item }) => item)]),
  find: (id) => query('SELECT id FROM orders WHERE id = $1', [id]),
  list, since, load, next: query,
  nested: async ({ id }) => (await query(
    "INSERT INTO lines (order_id, note) VALUES ($1, 'with milk') RETURNING order_id", [id]))[0].order_id,
});
await client.end();
