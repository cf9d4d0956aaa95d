// A consumer of events, by pg (node-postgres).
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

async function handle(client, { id, payload }) {
  await client.query('INSERT INTO handled (id, payload) VALUES ($1, $2)', [id, payload]);
}

async function handleBatch(client, name) {
  await client.query('BEGIN');
  const cursor = await client.query('SELECT last FROM consumers WHERE name = $1 FOR UPDATE', [name]);
  const { rows } = await client.query(
    'SELECT id, payload FROM events WHERE id > $1 AND id < kid_horizon() ORDER BY id LIMIT 1000',
    [cursor.rows[0].last]);
  for (const row of rows) await handle(client, row);
  if (rows.length > 0) await client.query('UPDATE consumers SET last = $1 WHERE name = $2', [rows.at(-1).id, name]);
  await client.query('COMMIT');
  return rows.length;
}

const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();

for (;;) {
  while (await handleBatch(client, 'billing') > 0);
  await sleep(200);
}
