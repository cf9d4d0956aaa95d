import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { flake, flakeWith, flax, InvalidIdError, kid53, kid64, kid96, kid96With, sno, uuidv7 } from 'pgkid';
import { vectors } from './vectors.js';

const all = [kid64, kid53, kid96, sno, flake, flax, uuidv7];
const MILLION = 1000000n;

/** @param {Uint8Array} bytes */
const hexOf = (bytes) => Buffer.from(bytes).toString('hex');

/**
 * Checks that each form of an ID leads to each other one.
 * @param {any} type
 * @param {string} hex
 * @param {string} text
 */
function agrees(type, hex, text) {
  const number = BigInt(`0x${hex}`);
  const bytes = Buffer.from(hex, 'hex');
  const id = type.fromText(text);
  assert.deepEqual(
    [type.fromBigInt(number), type.fromBytes(bytes), type.fromBytes(type.toBytes(id)), type.decode(type.encode(id))],
    [id, id, id, id]);
  assert.deepEqual([type.toText(id), type.toBigInt(id), hexOf(type.toBytes(id))], [text, number, hex]);
  return id;
}

/**
 * Checks that an ID is between the bounds of its time, and that its neighbors in time are not.
 * @param {any} type
 * @param {any} id
 * @param {bigint} micros
 * @param {bigint} unit
 */
function isBounded(type, id, micros, unit) {
  assert.equal(type.micros(id), micros);
  assert.equal(type.time(id).getTime(), Number(micros / 1000n));
  assert.ok(type.compare(type.floor(micros), id) <= 0 && type.compare(id, type.ceil(micros)) <= 0);
  assert.ok(type.compare(type.ceil(micros - 1n), id) < 0 || type.floor(micros - 1n) === type.ceil(micros - 1n));
  assert.ok(type.compare(id, type.floor(micros + unit)) < 0 || type.floor(micros + unit) === type.ceil(micros + unit));
}

test('kid64: vectors', () => {
  for (const v of vectors('kid64')) {
    const id = agrees(kid64, v.hex, v.text64);
    const micros = (BigInt(v.a_mega) * MILLION + BigInt(v.b_sec)) * MILLION + BigInt(v.decoded_c_micro);
    isBounded(kid64, id, micros, 1024n);
    assert.equal(kid64.toBigInt(kid64.floor(micros)), BigInt(`0x${v.hex}`) >> 14n << 14n);
    assert.deepEqual(kid64.parts(id), { sequence: Number(v.seq) });
    // As a bigint column has it.
    assert.equal(kid64.fromBigInt(BigInt.asIntN(64, BigInt(`0x${v.hex}`))), id);
  }
});

test('kid96: vectors', () => {
  for (const v of vectors('kid96')) {
    const type = kid96With(Number(v.drift_bits));
    const id = agrees(type, v.hex, v.text64);
    const micros = (BigInt(v.dec_a) * MILLION + BigInt(v.dec_b)) * MILLION + BigInt(v.dec_c);
    assert.equal(type.micros(id), micros);
    assert.deepEqual(type.parts(id), { node: Number.parseInt(v.node_hex, 16), sequence: Number(v.seq) });
    assert.ok(type.compare(type.floor(micros), id) <= 0 && type.compare(id, type.ceil(micros)) <= 0);
    const before = micros - (1n << BigInt(v.drift_bits)) * MILLION;
    assert.ok(before < 0n || type.compare(type.ceil(before), id) < 0);
    if (v.drift_bits === '8') assert.equal(kid96.micros(id), micros);
  }
});

test('sno: vectors', () => {
  for (const v of vectors('sno')) {
    const id = agrees(sno, v.hex, v.text);
    isBounded(sno, id, BigInt(v.unix_ns) / 1000n, 4000n);
    assert.deepEqual(sno.parts(id), {
      tick: v.tick_tock === '1', meta: Number(v.meta), partition: Number(v.partition), sequence: Number(v.sequence),
    });
  }
  for (const v of vectors('sno_time')) {
    const id = agrees(sno, v.hex, v.text);
    assert.equal(sno.micros(id), BigInt(v.unix_ns) / 1000n);
    assert.equal(sno.toBigInt(sno.floor(BigInt(v.in_unix_ns) / 1000n)), BigInt(`0x${v.hex}`) >> 41n << 41n);
  }
});

test('flake: vectors', () => {
  for (const v of vectors('flake')) {
    const type = flakeWith(Number(v.epoch_ms));
    const id = agrees(type, v.hex, v.dec);
    isBounded(type, id, BigInt(v.unix_ms) * 1000n, 1000n);
    assert.deepEqual(type.parts(id), {
      datacenter: Number(v.datacenter), worker: Number(v.worker), sequence: Number(v.counter),
    });
    assert.deepEqual([type.fromText(`0x${v.hex}`), type.fromText(`0X${v.hex.toUpperCase()}`)], [id, id]);
  }
});

test('flax: vectors', () => {
  for (const v of vectors('flax')) {
    const id = agrees(flax, v.hex, v.text16);
    isBounded(flax, id, BigInt(v.unix_ms) * 1000n, 1000n);
    assert.deepEqual(flax.parts(id), { random: BigInt(`0x${v.random56_hex}`) });
  }
});

test('kid53: vectors', () => {
  for (const v of vectors('kid53')) {
    const id = agrees(kid53, BigInt(v.id).toString(16).padStart(16, '0'), v.id);
    assert.equal(id, Number(v.id));
    isBounded(kid53, id, BigInt(v.unix_ms) * 1000n, 1000n);
    assert.deepEqual(kid53.parts(id), { sequence: Number(v.sequence) });
    assert.equal(kid53.encode(id, 'ord'), `ord_${v.base32}`);
    assert.equal(kid53.decode(`ord_${v.base32.toUpperCase()}`, 'ord'), id);
  }
});

test('uuidv7: vectors', () => {
  for (const v of vectors('uuidv7')) {
    const id = agrees(uuidv7, v.hex, v.text);
    isBounded(uuidv7, id, BigInt(v.unix_ms) * 1000n, 1000n);
    assert.equal(uuidv7.fromText(v.text.toUpperCase()), id);
    const { version, fraction, variant, count, random } = uuidv7.parts(id);
    assert.deepEqual([version, variant], [7, 2]);
    assert.deepEqual([fraction, count, random], [
      Number.parseInt(v.hex.slice(13, 16), 16), Number.parseInt(v.hex.slice(16, 18), 16) >> 2 & 15,
      BigInt(`0x${v.hex.slice(16)}`) & (1n << 58n) - 1n,
    ]);
  }
});

test('a UUID of another version has no time', () => {
  for (const { uuid } of vectors('typeid')) {
    const isOne = uuid[14] === '7' && '89ab'.includes(uuid[19]);
    assert.equal(uuidv7.time(uuid) !== null, isOne, uuid);
    assert.equal(uuidv7.micros(uuid) !== null, isOne, uuid);
  }
});

test('base32: vectors', () => {
  for (const v of vectors('base32')) {
    for (const type of all.filter(({ size, name }) => String(8 * size) === v.bits && name !== 'kid53')) {
      const id = type.fromBytes(Buffer.from(v.hex, 'hex'));
      assert.equal(type.encode(/** @type {never} */ (id)), v.text);
      assert.equal(type.decode(v.text), id);
      assert.equal(type.decode(v.text.toUpperCase()), id);
    }
  }
});

test('TypeIDs: vectors', () => {
  for (const { prefix, uuid, typeid } of vectors('typeid')) {
    assert.equal(uuidv7.encode(uuid, prefix), typeid);
    assert.equal(uuidv7.decode(typeid, prefix), uuid);
  }
  for (const { what, typeid } of vectors('typeid_invalid')) {
    const end = typeid.lastIndexOf('_');
    assert.throws(() => uuidv7.decode(typeid, end < 0 ? '' : typeid.slice(0, end)), RangeError, what);
  }
});

// The limits of docs/start/which-type.md, with the lowest and the highest ID as numbers.
const limits = /** @type {[any, string, string][]} */ ([
  [kid64, '1970-01-01T00:00:00.000000', '35198-01-19T07:06:39.999999'],
  [kid96, '1970-01-01T00:00:00.000000', '35198-01-19T07:06:39.999999'],
  [sno, '2010-01-01T00:00:00.000000', '2079-09-07T15:47:35.551999'],
  [flake, '1970-01-01T00:00:00.000000', '2109-05-15T07:35:11.103999'],
  [flax, '2015-01-01T00:00:00.000000', '2049-11-03T19:53:47.775999'],
  [uuidv7, '1970-01-01T00:00:00.000000', '10889-08-02T05:31:50.655999'],
  [kid53, '2020-01-01T00:00:00.000000', '2089-09-06T15:47:35.551999'],
]);

/** @param {string} text */
function microsOf(text) {
  const [, year, rest, micros] = /** @type {RegExpExecArray} */ (/^(\d+)(.*)(...)$/.exec(text));
  return BigInt(Date.parse(`+${year.padStart(6, '0')}${rest}Z`)) * 1000n + BigInt(micros);
}

test('bounds at the limits of each type, and beyond them', () => {
  for (const [type, from, to] of limits) {
    const [first, last] = [microsOf(from), microsOf(to)];
    const [least, greatest] = [type.floor(-Infinity), type.ceil(Infinity)];
    assert.deepEqual([type.micros(least), type.floor(first)], [first, least], type.name);
    for (const before of [first - 1n, -(1n << 70n)]) {
      assert.deepEqual([type.floor(before), type.ceil(before)], [least, least], type.name);
    }
    for (const after of [last + 1n, 1n << 70n, Infinity]) {
      assert.deepEqual([type.floor(after), type.ceil(after)], [greatest, greatest], type.name);
    }
    assert.ok(type.compare(type.floor(last), greatest) < 0, type.name);
    assert.ok(last - type.micros(type.floor(last)) < (type.name === 'kid96' ? 256n * MILLION : 4000n), type.name);
    const number = type.toBigInt(greatest);
    assert.equal(type === uuidv7 || number === (1n << (type === kid53 ? 53n : BigInt(8 * type.size))) - 1n, true);
  }
  assert.equal(uuidv7.ceil(Infinity), 'ffffffff-ffff-7fff-bfff-ffffffffffff');
  assert.equal(uuidv7.floor(-Infinity), '00000000-0000-7000-8000-000000000000');
});

test('a time is a Date, milliseconds or microseconds', () => {
  const time = new Date('2026-11-21T05:51:45.097Z');
  for (const type of all) {
    assert.equal(type.floor(time), type.floor(time.getTime()));
    assert.equal(type.floor(time), type.floor(BigInt(time.getTime()) * 1000n));
  }
  assert.equal(kid64.floor(time.getTime() + 0.28), kid64.floor(BigInt(time.getTime()) * 1000n + 280n));
  assert.equal(kid64.time('.6.nef3Mk.3').toISOString(), '2026-11-21T05:51:45.097Z');
  assert.equal(kid64.micros('.6.nef3Mk.3'), BigInt(Date.parse('2026-11-21T05:51:45Z')) * 1000n + 97280n);
  for (const wrong of [new Date('no'), NaN, '2026-11-21', null, undefined]) {
    assert.throws(() => kid64.floor(/** @type {never} */ (wrong)), RangeError);
  }
});

test('random IDs: every form, and the order of their numbers', () => {
  for (const type of /** @type {any[]} */ (all)) {
    const bits = type === kid53 ? 53n : BigInt(8 * type.size);
    const numbers = Array.from({ length: 500 }, (_, i) => {
      const number = BigInt.asUintN(Number(bits), BigInt(`0x${randomBytes(16).toString('hex')}`));
      return i % 2 ? number : number >> BigInt(i) % bits;
    });
    for (let bit = 0n; bit <= bits; bit++) {
      numbers.push((1n << bit) - 1n, BigInt.asUintN(Number(bits), -(1n << bit)));
    }
    for (const number of numbers) {
      const id = type.fromBigInt(number);
      assert.ok(type.is(id));
      agrees(type, number.toString(16).padStart(2 * type.size, '0'), type.toText(id));
      assert.equal(type.decode(type.encode(id, 'a_b'), 'a_b'), id);
    }
    const order = (/** @type {bigint} */ a, /** @type {bigint} */ b) => (a < b ? -1 : a > b ? 1 : 0);
    const ids = numbers.map(type.fromBigInt);
    assert.deepEqual(ids.sort(type.compare).map(type.toBigInt), numbers.sort(order), type.name);
    if (type !== flake && type !== kid53) assert.deepEqual([...ids].sort(), ids, type.name);
    assert.equal(type.compare(ids[0], ids[0]), 0);
  }
});

// Changes each character of a text into others, cuts the text, and adds to it.
/** @param {string} text */
function* spoiled(text) {
  for (let i = 0; i < text.length; i++) {
    for (const other of '\0 !/:@[`{~\u00e4\u0130\u212a\ud83d') yield text.slice(0, i) + other + text.slice(i + 1);
    yield text.slice(0, i);
  }
  yield `${text}.`;
  yield ` ${text}`;
  yield `${text}\n`;
}

test('what is no ID is an error, whose code is the one of the server', () => {
  for (const type of /** @type {any[]} */ (all)) {
    const id = type.ceil(new Date('2027-01-01'));
    const refused = { name: 'InvalidIdError', code: '22P02' };
    for (const text of spoiled(type.toText(id))) {
      // A shorter number is another ID.
      if (/^\d+$/.test(text)) continue;
      assert.throws(() => type.fromText(text), refused, JSON.stringify(text));
      assert.ok(!type.is(text));
      assert.throws(() => type.time(text), refused);
    }
    for (const text of spoiled(type.encode(id, 'ord'))) {
      assert.throws(() => type.decode(text, 'ord'), refused, JSON.stringify(text));
    }
    for (const other of [undefined, null, {}, [], true, 1.5, -1, NaN, 2 ** 53, '']) {
      assert.ok(!type.is(other));
      assert.throws(() => type.toBigInt(other), refused);
      assert.throws(() => type.fromText(other), refused);
      assert.throws(() => type.decode(other), refused);
      assert.throws(() => type.fromBytes(other), refused);
    }
    for (const size of [0, type.size - 1, type.size + 1]) {
      assert.throws(() => type.fromBytes(new Uint8Array(size)), refused);
    }
    for (const number of [1n << BigInt(8 * type.size), -1n - (1n << 63n), (1n << 200n) + 1n]) {
      assert.throws(() => type.fromBigInt(number), refused);
    }
    // No digit of what was refused is left in the next ID.
    assert.equal(type.toBigInt(type.fromBigInt(0n)), 0n);
    assert.match(type.encode(type.fromBigInt(0n)), /^0+$/);
  }
  assert.throws(() => kid64.time('nonsense'), /^InvalidIdError: invalid input syntax for type kid64: "nonsense"$/);
  assert.ok(new InvalidIdError('kid64', '') instanceof RangeError);
});

test('texts with bits beyond the ID', () => {
  assert.throws(() => kid64.fromText('zzzzzzzzzzx'), InvalidIdError);
  assert.equal(kid64.fromBigInt(0n), '...........');
  assert.equal(kid64.fromText('zzzzzzzzzzw'), kid64.ceil(Infinity));
  assert.throws(() => flake.fromText('18446744073709551616'), InvalidIdError);
  assert.throws(() => flake.fromText('01'), InvalidIdError);
  assert.throws(() => flake.fromText('0x10000000000000000'), InvalidIdError);
  assert.equal(flake.fromText('0x00000000000000000001'), '1');
  assert.throws(() => kid53.fromText('9007199254740992'), InvalidIdError);
  assert.throws(() => kid53.fromText('9007199254740993'), InvalidIdError);
  assert.throws(() => kid53.fromBigInt(1n << 53n), InvalidIdError);
  assert.throws(() => kid53.fromBigInt(-1n), InvalidIdError);
  assert.throws(() => kid53.fromBytes(Buffer.from('0020000000000000', 'hex')), InvalidIdError);
  assert.equal(kid53.fromBytes(Buffer.from('001fffffffffffff', 'hex')), Number.MAX_SAFE_INTEGER);
  for (const [type, text] of /** @type {[any, string][]} */ ([
    [kid64, 'g000000000000'], [flake, 'g000000000000'], [kid53, '80000000000'], [kid96, '20000000000000000000'],
    [flax, '20000000000000000000'], [uuidv7, '80000000000000000000000000'],
  ])) assert.throws(() => type.decode(text), InvalidIdError, text);
});

test('prefixes', () => {
  const id = kid64.fromBigInt(1n);
  for (const prefix of ['a', 'ab', 'a_b', 'a__b', 'z'.repeat(63)]) {
    assert.equal(kid64.decode(kid64.encode(id, prefix), prefix), id);
  }
  for (const prefix of ['A', 'a1', '_a', 'a_', '_', 'ä', 'a b', 'z'.repeat(64), null, 5]) {
    assert.throws(() => kid64.encode(id, /** @type {never} */ (prefix)), /^RangeError: invalid prefix/);
    assert.throws(() => kid64.decode('', /** @type {never} */ (prefix)), /^RangeError: invalid prefix/);
  }
  assert.throws(() => kid64.decode(kid64.encode(id, 'usr'), 'ord'), InvalidIdError);
  assert.throws(() => kid64.decode(kid64.encode(id, 'ord')), InvalidIdError);
});

test('settings of the server that an ID does not contain', () => {
  for (const neighborhood of [-1, 11, 1.5, NaN, '8']) {
    assert.throws(() => kid96With(/** @type {never} */ (neighborhood)), RangeError);
  }
  for (const epoch of [-1, 2 ** 42, 1n, new Date('no')]) assert.throws(() => flakeWith(epoch), RangeError);
  const id = flake.floor(new Date('2026-01-01'));
  assert.equal(flakeWith(new Date('2020-01-01')).time(id).getTime(), flake.time(id).getTime() + Date.UTC(2020));
});

test('types cannot be changed', () => {
  for (const type of all) {
    assert.throws(() => { /** @type {any} */ (type).size = 1; }, TypeError);
  }
});
