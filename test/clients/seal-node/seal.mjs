// Reads orders by sealed IDs, with pg (node-postgres), and seals and unseals them without the server.
import assert from 'assert';
import { createCipheriv, createDecipheriv, createHmac } from 'crypto';
import pg from 'pg';
import { run } from '../texts.mjs';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

// Enciphers or deciphers a block, by create = createCipheriv or createDecipheriv.
function aes(create, { key }, label, block) {
  const subkey = createHmac('sha256', Buffer.from(key, 'hex')).update(label).digest().subarray(0, 16);
  return create('aes-128-ecb', subkey, null).setAutoPadding(false).update(block);
}

function blockOf(bits, counter = 0n) {
  const block = Buffer.alloc(16);
  block.writeBigUInt64BE(bits, 0);
  block.writeBigUInt64BE(counter, 8);
  return block;
}

// Returns what kid_seal(id, prefix) returns, from the 64 bits of the ID.
function sealKid64(bits, prefix, keys) {
  const block = aes(createCipheriv, keys.find((key) => key.seals), `kid64:${prefix}`, blockOf(bits));
  const sealed = BigInt('0x' + block.toString('hex'));
  return `${prefix}_` + Array.from({ length: 26 }, (_, i) => DIGITS[Number(sealed >> BigInt(125 - 5 * i) & 31n)]).join('');
}

// Returns the 64 bits of a kid64 from what kid_seal(id, prefix) returned.
function unsealKid64(text, prefix, keys) {
  const match = text.match(`^${prefix}_([0-7][${DIGITS}]{25})$`);
  const sealed = match && [...match[1]].reduce((bits, digit) => bits * 32n + BigInt(DIGITS.indexOf(digit)), 0n);
  for (const key of match ? keys : []) {
    const block = aes(createDecipheriv, key, `kid64:${prefix}`, Buffer.from(sealed.toString(16).padStart(32, '0'), 'hex'));
    if (block.readBigUInt64BE(8) === 0n) return block.readBigUInt64BE(0);
  }
  throw new RangeError(`not an ID: ${text}`);
}

// Returns what kid_seal_uuid(id, prefix) returns.
function sealUuid(bits, prefix, keys) {
  for (let counter = 0n; counter < 4096n; counter++) {
    const block = aes(createCipheriv, keys.find((key) => key.seals), `kid64-uuid:${prefix}`, blockOf(bits, counter));
    if (block[6] >> 4 === 4 && block[8] >> 6 === 2) return block.toString('hex').replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }
}

// Returns the 64 bits of a kid64 from what kid_seal_uuid(id, prefix) returned.
function unsealUuid(uuid, prefix, keys) {
  for (const key of keys) {
    const block = aes(createDecipheriv, key, `kid64-uuid:${prefix}`, Buffer.from(uuid.replaceAll('-', ''), 'hex'));
    const bits = block.readBigUInt64BE(0);
    if (block.readUIntBE(8, 6) === 0 && sealUuid(bits, prefix, [{ ...key, seals: true }]) === uuid) return bits;
  }
  throw new RangeError(`not an ID: ${uuid}`);
}

const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
const keys = (await client.query('SELECT * FROM exported')).rows;
const texts = (await client.query('SELECT encoded, uuid FROM texts')).rows;
const unseal = (text, prefix) => unsealKid64(text, prefix, keys);
await run(client, texts.map(({ encoded }) => encoded), unseal, 'kid64_unseal');
for (const { encoded, uuid } of texts) {
  assert.equal(unsealUuid(uuid, 'ord', keys), unseal(encoded, 'ord'));
  assert.throws(() => unsealUuid(uuid.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), 'ord', keys), RangeError);
}

const query = `
  SELECT encode(id::bytea, 'hex') AS number, prefix, kid_seal(id, prefix) AS text, kid_seal_uuid(id, prefix) AS uuid
    FROM orders, unnest('{ord,order_item,a}'::text[]) AS prefix`;
for (const { number, prefix, text, uuid } of (await client.query(query)).rows) {
  const bits = BigInt('0x' + number);
  assert.deepEqual([sealKid64(bits, prefix, keys), sealUuid(bits, prefix, keys)], [text, uuid]);
  assert.deepEqual([unsealKid64(text, prefix, keys), unsealUuid(uuid, prefix, keys)], [bits, bits]);
}
await client.end();
