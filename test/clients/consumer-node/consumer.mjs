// A consumer of events, by pg (node-postgres).
import pg from 'pg';
import { consume, createCursor } from 'pgkid/consumer';

const events = {
  pool: new pg.Pool({ connectionString: process.env.DATABASE_URL }),
  table: 'events',
  name: 'billing',
};
await createCursor(events);

const consumer = consume({
  ...events,
  handle: async (rows, client) => {
    for (const { id, payload } of rows) {
      await client.query(
        'INSERT INTO handled (id, payload) VALUES ($1, $2)', [id, payload]);
    }
  },
});
process.once('SIGTERM', () => consumer.stop());
await consumer.done;
