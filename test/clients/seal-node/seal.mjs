// Reads orders by sealed IDs, with pg (node-postgres), and seals, unseals and decodes them without the server.
import assert from 'assert';
import { createCipheriv, createDecipheriv, createHmac } from 'crypto';
import pg from 'pg';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

// Returns the number that the digits of a text are, if the whole text matches the pattern.
function decode(pattern, text) {
  const match = text.match(pattern);
  if (!match) throw new RangeError(`not an ID: ${text}`);
  return [...match[1].toLowerCase()].reduce((bits, digit) => bits * 32n + BigInt(DIGITS.indexOf(digit)), 0n);
}

// Returns the 64 bits of a kid64 from what kid_encode(id, prefix) returned.
function decodeKid64(text, prefix) {
  return decode(`^${prefix}_([0-9A-Fa-f][${DIGITS}${DIGITS.toUpperCase()}]{12})$`, text);
}

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
  const sealed = decode(`^${prefix}_([0-7][${DIGITS}]{25})$`, text).toString(16).padStart(32, '0');
  for (const key of keys) {
    const block = aes(createDecipheriv, key, `kid64:${prefix}`, Buffer.from(sealed, 'hex'));
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

const client = new pg.Client();
await client.connect();
const query = async (sql) => (await client.query(sql)).rows;
const keys = await query('SELECT * FROM exported');
for (const { encoded } of await query('SELECT encoded FROM texts')) {
  console.log('decoded', encoded, unsealKid64(encoded, 'ord', keys).toString(16).padStart(16, '0'));
}
for (const { encoded } of await query('SELECT encoded FROM wrong')) {
  assert.throws(() => unsealKid64(encoded, 'ord', keys), RangeError);
  console.log('refused', encoded, '-');
}
for (const text of [
  'usr_00w1knarhfg01', 'ord_00w1knarhfg010', 'ord_00w1knarhfg0u', 'ord_g000000000000', 'ord_00w1\u212anarhfg01',
]) assert.throws(() => decodeKid64(text, 'ord'), RangeError);

const rows = await query(`
  SELECT encode(id::bytea, 'hex') AS number, prefix, kid_encode(id, prefix) AS encoded, kid_seal(id, prefix) AS text,
         kid_seal_uuid(id, prefix) AS uuid
    FROM orders, unnest('{ord,order_item,a}'::text[]) AS prefix`);
for (const { number, prefix, encoded, text, uuid } of rows) {
  const bits = BigInt('0x' + number);
  const upper = prefix + encoded.slice(prefix.length).toUpperCase();
  assert.deepEqual([encoded, upper].map((text) => decodeKid64(text, prefix)), [bits, bits]);
  assert.deepEqual([sealKid64(bits, prefix, keys), sealUuid(bits, prefix, keys)], [text, uuid]);
  assert.deepEqual([unsealKid64(text, prefix, keys), unsealUuid(uuid, prefix, keys)], [bits, bits]);
  assert.throws(() => unsealUuid(uuid.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), prefix, keys), RangeError);
}
await client.end();
