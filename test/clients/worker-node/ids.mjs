// Orders whose IDs this process makes itself, with a worker number that PostgreSQL leases.
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { NoWindow, Worker } from 'pgkid/worker';

// A connection for the leases alone.
async function connect() {
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  return client;
}

const ids = new Worker({
  connect, pool: 'orders', ids: 'flake', ttl: 2, holder: os.hostname(),
});
const client = await connect();

// Tries 30 times, with a second between. Only NoWindow is worth a retry.
async function nextId() {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ids.next();
    } catch (error) {
      if (!(error instanceof NoWindow)) throw error;
      console.error(error.message, error.detail, error.hint);
      if (attempt === 30) throw error;
      await sleep(1000);
    }
  }
}

async function order(items) {
  const id = await nextId();
  const lines = await Promise.all(items.map(async (item) => [await nextId(), id, item]));
  // The rows refer to each other, and no statement has to return an ID.
  await client.query('BEGIN');
  await client.query('INSERT INTO orders (id) VALUES ($1)', [id]);
  for (const line of lines) await client.query('INSERT INTO lines (id, order_id, item) VALUES ($1, $2, $3)', line);
  await client.query('COMMIT');
}

const until = performance.now() + 5000;
while (performance.now() < until) {
  await order(['tea', 'milk', 'sugar']);
  await sleep(10);
}
ids.forget();
await client.end();
