// Reads orders by sealed IDs, with pg (node-postgres), and seals, unseals and decodes them without the server.
import assert from 'node:assert';
import pg from 'pg';
import { kid64 } from 'pgkid';
import { Keys } from 'pgkid/seal';

const client = new pg.Client();
await client.connect();
const query = async (sql) => (await client.query(sql)).rows;
const keys = new Keys(await query('SELECT * FROM exported'));

for (const { encoded } of await query('SELECT encoded FROM texts')) {
  const id = keys.unseal(kid64, encoded, 'ord');
  console.log('decoded', encoded, Buffer.from(kid64.toBytes(id)).toString('hex'));
}
for (const { encoded } of await query('SELECT encoded FROM wrong')) {
  assert.equal(keys.open(kid64, encoded, 'ord'), null);
  console.log('refused', encoded, '-');
}
const rows = await query(`
  SELECT id, prefix, kid_encode(id, prefix) AS encoded, kid_seal(id, prefix) AS text, kid_seal_uuid(id, prefix) AS uuid
    FROM orders, unnest('{ord,order_item,a}'::text[]) AS prefix`);
for (const { id, prefix, encoded, text, uuid } of rows) {
  assert.equal(kid64.decode(encoded, prefix), id);
  assert.deepEqual([keys.seal(kid64, id, prefix), keys.sealUuid(kid64, id, prefix)], [text, uuid]);
  assert.deepEqual([keys.open(kid64, text, prefix), keys.openUuid(kid64, uuid, prefix)], [id, id]);
}
await client.end();
