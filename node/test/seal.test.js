import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import * as ids from 'pgkid';
import { isSealed, Keys } from 'pgkid/seal';
import { vectors } from './vectors.js';

const { InvalidIdError, kid53, kid64 } = ids;

/** @param {number | string} n */
const keyOf = (n) => createHash('sha256').update(`kid_seal${n}`).digest('hex');

const keys = new Keys([{ n: 1, key: keyOf(''), seals: true }]);

test('vectors', () => {
  let uuids = 0;
  for (const { type: name, hex, prefix, sealed } of vectors('seal')) {
    const type = /** @type {any} */ (ids)[name.replace('-uuid', '')];
    const bytes = Buffer.from(hex, 'hex');
    const id = type.fromBytes(bytes);
    if (name.endsWith('-uuid')) {
      uuids++;
      assert.equal(keys.sealUuid(type, id, prefix), sealed);
      assert.equal(keys.openUuid(type, sealed, prefix), id);
      assert.equal(keys.openUuid(type, sealed, `${prefix.slice(0, 60)}b`), null);
    } else {
      assert.equal(keys.seal(type, id, prefix), sealed);
      assert.equal(keys.open(type, sealed, prefix), id);
      assert.equal(keys.unseal(type, sealed, prefix), id);
      assert.equal(keys.open(type, sealed.toUpperCase(), prefix), null);
      assert.deepEqual([sealed, sealed.toUpperCase(), `${sealed}\n`, `${sealed}\0`, [sealed], undefined].map(
        (value) => isSealed(value, prefix)), [true, false, false, false, false, false]);
      assert.equal(keys.open(type, sealed, `${prefix.slice(0, 60)}b`), null);
    }
  }
  assert.ok(uuids > 10);
});

const id = kid64.fromText('.6.nef3Mk.3');
test('a number that is no kid53, which the server seals, too', () => {
  const bigint = /** @type {any} */ ({ ...kid53, toBytes: () => Buffer.from('0020000000000000', 'hex') });
  assert.equal(keys.open(kid53, keys.seal(bigint, 0, 'ord'), 'ord'), null);
});

const rows = [1, 2, 3].map((n) => ({ n, key: keyOf(n), seals: n === 2 }));

test('one key seals, all open', () => {
  const [one, two, three] = [1, 2, 3].map((n) => new Keys([{ n, key: keyOf(n), seals: true }]));
  const all = new Keys(rows);
  assert.equal(all.seal(kid64, id, 'ord'), two.seal(kid64, id, 'ord'));
  assert.equal(all.sealUuid(kid64, id, 'ord'), two.sealUuid(kid64, id, 'ord'));
  for (const other of [one, two, three]) {
    assert.equal(all.open(kid64, other.seal(kid64, id, 'ord'), 'ord'), id);
    assert.equal(all.openUuid(kid64, other.sealUuid(kid64, id, 'ord'), 'ord'), id);
  }
  assert.equal(one.open(kid64, two.seal(kid64, id, 'ord'), 'ord'), null);
  assert.equal(one.openUuid(kid64, two.sealUuid(kid64, id, 'ord'), 'ord'), null);
});

test('the file that psql wrote', () => {
  const file = rows.map(({ n, key, seals }) => `${n}\t${key}\t${seals ? 't' : 'f'}\n`).join('');
  assert.equal(new Keys(file).seal(kid64, id, 'ord'), new Keys(rows).seal(kid64, id, 'ord'));
  assert.throws(() => new Keys('1\tabc\tt\n'), /^RangeError: a key has 64 hexadecimal digits$/);
  assert.throws(() => new Keys('nonsense'), RangeError);
});

test('without a key that seals', () => {
  const file = new Keys(rows.map((row) => ({ ...row, seals: false })));
  assert.throws(() => file.seal(kid64, id, 'ord'), /no key seals/);
  assert.throws(() => file.sealUuid(kid64, id, 'ord'), /no key seals/);
  assert.equal(file.open(kid64, new Keys(rows).seal(kid64, id, 'ord'), 'ord'), id);
  assert.throws(() => new Keys([]).seal(kid64, id, 'ord'), /no key seals/);
});

test('wrong texts', () => {
  const text = keys.seal(kid64, id, 'ord');
  const wrong = [
    text.slice(1), `${text}0`, text.toUpperCase(), `ord_${text.slice(4).toUpperCase()}`, kid64.encode(id, 'ord'),
    text.replace('ord', 'usr'), `ord_8${text.slice(5)}`, '', null, undefined, 5, {},
  ];
  for (let i = 4; i < text.length; i++) {
    wrong.push(`${text.slice(0, i)}${text[i] === '1' ? '2' : '1'}${text.slice(i + 1)}`);
  }
  for (const other of /** @type {string[]} */ (wrong)) {
    assert.equal(keys.open(kid64, other, 'ord'), null);
    assert.throws(() => keys.unseal(kid64, other, 'ord'), InvalidIdError);
  }
  assert.equal(keys.open(ids.flake, text, 'ord'), null);
  assert.throws(() => keys.seal(kid64, 'nonsense', 'ord'), InvalidIdError);
  for (const prefix of ['Ord', 'ord_', 'o1']) {
    assert.throws(() => keys.seal(kid64, id, prefix), /invalid prefix/);
    assert.throws(() => keys.open(kid64, text, prefix), /invalid prefix/);
    assert.throws(() => keys.openUuid(kid64, text, prefix), /invalid prefix/);
  }
  const uuid = keys.sealUuid(kid64, id, 'ord');
  for (const other of [uuid.toUpperCase(), uuid.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), '', text]) {
    assert.equal(keys.openUuid(kid64, other, 'ord'), null);
  }
});
