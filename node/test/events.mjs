// The processes of test/t/consumer_packages.pl that consume in Node:
//
//     events.mjs exactly-once DSN TABLE IDS       handles each event in the table `handled_TABLE`
//     events.mjs at-least-once DSN TABLE IDS FILE appends the ID of each event to a file
import { appendFile } from 'node:fs/promises';
import pg from 'pg';
import { consume } from 'pgkid/consumer';

const [how, dsn, table, ids, file] = process.argv.slice(2);
const { dbname: database, ...server } = Object.fromEntries(dsn.split(/\s+/).map((pair) => {
  const [name, value] = pair.split('=');
  return [name, value.replaceAll("'", '')];
}));
const delivery = how === 'exactly-once' ? 'exactly once' : 'at least once';

const consumer = consume({
  pool: new pg.Pool({ ...server, database, connectionTimeoutMillis: 2000 }),
  table,
  ids,
  delivery,
  name: `${how} ${file ?? table}`,
  cursors: `consumers_${table}`,
  wait: 50,
  onRetry: () => {},
  handle: async (rows, client) => {
    const list = rows.map(({ id }) => id);
    // If the process is killed while it writes, its last line is short, and ends here.
    if (!client) return appendFile(file, `\n${list.map((id) => `${id}\n`).join('')}`);
    const type = ids === 'tracked' ? 'bigint' : ids;
    return client.query(`INSERT INTO handled_${table} (id) SELECT unnest($1::${type}[])`, [list]);
  },
});
process.once('SIGTERM', () => consumer.stop());
await consumer.done;
process.exit();
