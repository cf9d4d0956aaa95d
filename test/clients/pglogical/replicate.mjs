// Whether pglogical replicates each kind of key, to another database, which has to have kid for those of kid's types.
import assert from 'node:assert';
import pg from 'pg';
import { arrived, kindsOf, printRow } from '../kinds.mjs';

const address = (database) => `host=${process.env.PGHOST} port=${process.env.PGPORT} user=${process.env.PGUSER} dbname=${database}`;
const db = new pg.Client();
await db.connect();
const kinds = await kindsOf(db);
await db.query('CREATE DATABASE pglogical_copy TEMPLATE template0');
const copy = new pg.Client({ database: 'pglogical_copy' });
await copy.connect();
await copy.query('CREATE EXTENSION kid');
await copy.query('CREATE DOMAIN kid64_domain AS kid64; CREATE DOMAIN bigint_domain AS bigint');
for (const client of [db, copy]) {
  await client.query('CREATE EXTENSION pglogical');
  await client.query('SELECT pglogical.create_node($1, $2)', [client.database, address(client.database)]);
}
for (const { name } of kinds) {
  const { rows: [{ type }] } = await db.query(
    "SELECT format_type(atttypid, NULL) AS type FROM pg_attribute WHERE attrelid = $1::regclass AND attname = 'id'", [name]);
  await copy.query(`CREATE TABLE ${name} (id ${type} PRIMARY KEY, item text)`);
  await db.query("SELECT pglogical.replication_set_add_table('default', $1)", [name]);
}
await copy.query("SELECT pglogical.create_subscription('copying', $1)", [address(db.database)]);
await copy.query("SELECT pglogical.wait_for_subscription_sync_complete('copying')");

// The rows come by decoding, and an UPDATE finds its row by the key.
await db.query('CALL insert_rows()');
for (const { name, ids } of kinds) {
  await db.query(`UPDATE ${name} SET item = 'milk' WHERE id::text = $1`, [ids[1]]);
}
const rowsOf = async (name) => (await copy.query(`SELECT id::text, item FROM ${name} ORDER BY id`)).rows;
const cells = [];
for (const kind of kinds) {
  let rows = [];
  for (let tries = 0; tries < 100 && !rows.some(({ item }) => item === 'milk'); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    rows = await rowsOf(kind.name);
  }
  assert.deepEqual(rows.map(({ item }) => item), ['tea', 'milk']);
  cells.push(arrived(kind, rows.map(({ id }) => id)) === 'text' ? 'same type' : 'changed');
}
printRow('pglogical, between two databases', cells);

await copy.query("SELECT pglogical.drop_subscription('copying')");
await copy.end();
await db.end();
