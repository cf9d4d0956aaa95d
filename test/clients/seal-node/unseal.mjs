// Reads orders by sealed IDs, with pg (node-postgres), and unseals them without the server.
import { createDecipheriv, createHmac } from 'crypto';
import pg from 'pg';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

// Returns the 64 bits of a kid64 from what kid_seal(id, prefix) returned.
function unsealKid64(text, prefix, key) {
  const match = text.match(`^${prefix}_([0-7][${DIGITS}]{25})$`);
  if (!match) throw new RangeError(`not an ID: ${text}`);
  const sealed = [...match[1]].reduce((bits, digit) => bits * 32n + BigInt(DIGITS.indexOf(digit)), 0n);
  const subkey = createHmac('sha256', key).update(`kid64:${prefix}`).digest().subarray(0, 16);
  const decipher = createDecipheriv('aes-128-ecb', subkey, null).setAutoPadding(false);
  const block = decipher.update(sealed.toString(16).padStart(32, '0'), 'hex');
  if (block.readBigUInt64BE(8) !== 0n) throw new RangeError(`not an ID: ${text}`);
  return block.readBigUInt64BE(0);
}

const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
const { key } = (await client.query('SELECT key FROM kid_seal_internal.keys')).rows[0];
for (const { text } of (await client.query("SELECT kid_seal(id, 'ord') AS text FROM orders")).rows) {
  console.log('decoded', text, String(unsealKid64(text, 'ord', key)));
  const found = await client.query("SELECT id::text FROM orders WHERE id = kid64_unseal($1, 'ord')", [text]);
  console.log('found', text, found.rows[0].id);
}

for (const { encoded } of (await client.query('SELECT encoded FROM wrong')).rows) {
  try {
    unsealKid64(encoded, 'ord', key);
  } catch (error) {
    console.log('refused', encoded, error.name);
  }
  await client.query("SELECT kid64_unseal($1, 'ord')", [encoded]).catch(
    (error) => console.log('wrong', encoded, error.code));
}
await client.end();
