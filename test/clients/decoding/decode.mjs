// What two more decoders say of each kind of key: test_decoding, which PostgreSQL has, and wal2json, whose JSON is read as
// JavaScript does.
import assert from 'node:assert';
import pg from 'pg';
import { arrived, kindsOf, printRow } from '../kinds.mjs';

const db = new pg.Client();
await db.connect();
const kinds = await kindsOf(db);
for (const plugin of ['test_decoding', 'wal2json']) {
  await db.query('SELECT pg_create_logical_replication_slot($1, $1)', [plugin]);
}
await db.query('CALL insert_rows()');

const changes = async (plugin, options = {}) => {
  const list = Object.entries(options).flat();
  const { rows } = await db.query('SELECT data FROM pg_logical_slot_get_changes($1, NULL, NULL, VARIADIC $2::text[])', [plugin, list]);
  await db.query('SELECT pg_drop_replication_slot($1)', [plugin]);
  return rows.map(({ data }) => data);
};

const lines = await changes('test_decoding');
printRow('test_decoding', kinds.map((kind) => {
  const found = lines.map((line) => line.match(`^table public\\.${kind.name}: INSERT: id\\[[^\\]]+\\]:('?)([^' ]+)\\1 `)).filter(Boolean);
  return arrived(kind, found.map(([, quote, value]) => quote ? value : BigInt(value)));
}));

const inserts = (await changes('wal2json', { 'format-version': '2', 'include-pk': 'true' }))
  .map(JSON.parse).filter(({ action }) => action === 'I');
printRow('wal2json, read as JavaScript does', kinds.map((kind) => {
  const found = inserts.filter(({ table }) => table === kind.name);
  for (const { pk } of found) assert.deepEqual(pk.map(({ name }) => name), ['id']);
  return arrived(kind, found.map(({ columns }) => columns[0].value));
}));
await db.end();
