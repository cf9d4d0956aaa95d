#!/usr/bin/env node
// IDs in base32, made now by the libraries crockford-base32 and typeid-js, read by kid; IDs of kid read by the libraries;
// and texts that are nearly TypeIDs, which kid and typeid-js must both refuse or both read. In TAP.
// Finds the libraries by NODE_PATH and the server by psql's environment.
'use strict';

const { execFileSync } = require('child_process');
const { randomBytes, randomInt } = require('crypto');
const { CrockfordBase32 } = require('crockford-base32');
const { TypeID } = require('typeid-js');

const psql = (input) =>
  execFileSync('psql', ['-XqAt', '-F', '\t', '-v', 'ON_ERROR_STOP=1'], { input, encoding: 'utf8', maxBuffer: 1 << 28 })
    .split('\n').slice(0, -1).map((line) => line.split('\t'));

let tests = 0;
// Reports a test, which passes if all of the rows agree. It fails if there are none, as it then tested nothing.
const agree = (name, rows, claim) => {
  const wrong = rows.filter((row) => !claim(row));
  const good = wrong.length === 0 && rows.length > 0;
  console.log(`${good ? 'ok' : 'not ok'} ${++tests} - ${name} (${rows.length - wrong.length} of ${rows.length})`);
  if (good) return;
  process.exitCode = 1;
  if (wrong.length > 0) console.log('# not so:', JSON.stringify(wrong[0]));
};

const library = (bytes) => CrockfordBase32.encode(bytes, { variant: 'ulid' }).toLowerCase();
const one = (list) => list[randomInt(list.length)];
const count = 5000;
// Half of them begin with zeros.
const someBytes = (size) => {
  const bytes = randomBytes(size);
  return randomInt(2) ? bytes : bytes.fill(0, 0, randomInt(size + 1));
};

psql(`
  SET client_min_messages = warning;
  CREATE EXTENSION IF NOT EXISTS kid;
  CREATE OR REPLACE FUNCTION read_typeid(encoded text, prefix text) RETURNS text LANGUAGE plpgsql AS $$
  BEGIN
    RETURN kid_uuid_decode(encoded, prefix);
  EXCEPTION WHEN invalid_text_representation OR invalid_parameter_value THEN
    RETURN 'refused';
  END $$;`);

const types = { kid64: 8, flake: 8, sno: 10, kid96: 12, flax: 12, uuid: 16 };
for (const [type, size] of Object.entries(types)) {
  const ids = Array.from({ length: count }, () => someBytes(size));
  const id = type === 'uuid' ? 'hex::uuid' : `decode(hex, 'hex')::${type}`;
  const decode = type === 'uuid' ? 'kid_uuid_decode' : `${type}_decode`;
  const rows = psql(`
    CREATE TEMPORARY TABLE made (hex text, encoded text);
    COPY made FROM STDIN;
${ids.map((bytes) => `${bytes.toString('hex')}\t${library(bytes)}`).join('\n')}
\\.
    SELECT hex, kid_encode(${id}), ${decode}(encoded) = ${id} AND ${decode}(upper(encoded)) = ${id} FROM made;`);
  agree(`crockford-base32 to ${type}`, rows, ([, , same]) => same === 't');
  agree(`${type} to crockford-base32`, rows, ([hex, encoded]) => library(Buffer.from(hex, 'hex')) === encoded);
}

const letters = (min, max) => Array.from({ length: randomInt(min, max + 1) }, () => one('abcxyz_')).join('');
const somePrefix = () => one(['', 'a', 'ord', 'pre_fix', `a${letters(0, 61)}z`]);
const typeIds = Array.from({ length: count }, () => {
  const bytes = someBytes(16);
  const prefix = somePrefix();
  return { prefix, hex: bytes.toString('hex'), text: TypeID.fromUUIDBytes(prefix, bytes).toString() };
});
const hexOf = (text) => Buffer.from(TypeID.fromString(text).toUUIDBytes()).toString('hex');
const read = psql(`
  CREATE TEMPORARY TABLE made (prefix text, hex text, encoded text);
  COPY made FROM STDIN;
${typeIds.map(({ prefix, hex, text }) => [prefix, hex, text].join('\t')).join('\n')}
\\.
  SELECT hex, kid_encode(hex::uuid, prefix), encoded, kid_uuid_decode(encoded, prefix) = hex::uuid FROM made;`);
agree('typeid-js to kid', read, ([, , , same]) => same === 't');
agree('kid to typeid-js', read, ([hex, encoded]) => hexOf(encoded) === hex);
agree('the same TypeIDs', read, ([, encoded, made]) => encoded === made);

// Changes one to three characters. kid reads a suffix in upper case, typeid-js does not.
const characters = '0123456789abcdefghijklmnopqrstuvwxyz__-- .ABZ';
const spoil = (text) => {
  for (let changes = randomInt(1, 4); changes > 0; changes--) {
    const at = randomInt(text.length + 1);
    const kind = randomInt(4);
    text = text.slice(0, at) + (kind === 0 ? '' : one(characters)) + text.slice(at + (kind === 1 ? 0 : 1));
  }
  return text;
};
const spoiled = typeIds.map(({ text }) => {
  const changed = spoil(text);
  const end = changed.lastIndexOf('_');
  const suffix = changed.slice(end + 1);
  return [end < 0 ? '' : changed.slice(0, end), changed, changed.slice(0, end + 1) + suffix.toLowerCase()];
});
const byLibrary = (text) => {
  try {
    return hexOf(text);
  } catch {
    return 'refused';
  }
};
const byKid = psql(`
  CREATE TEMPORARY TABLE spoiled (prefix text, encoded text, lower text);
  COPY spoiled FROM STDIN;
${spoiled.map((row) => row.join('\t')).join('\n')}
\\.
  SELECT encoded, lower, translate(read_typeid(encoded, prefix), '-', '') FROM spoiled;`);
agree('kid and typeid-js refuse the same', byKid, ([, lower, hex]) => byLibrary(lower) === hex);
const refused = byKid.filter(([, , hex]) => hex === 'refused').length;
agree(`they refuse some and read some: ${refused} refused`, [refused], (n) => n > count / 4 && n < count * 0.99);
console.log(`1..${tests}`);
