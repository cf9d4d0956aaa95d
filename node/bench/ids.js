// How long it takes to write and to read an ID, as a ratio to `stringify()` and `parse()` of the npm package uuid. For
// kid53 a program also has to leave JavaScript's own number: its text, and base32. Prints a table in Markdown: the
// median of rounds that alternate.
import { randomBytes } from 'node:crypto';
import { kid53, kid64, uuidv7 } from 'pgkid';
import { parse, stringify } from 'uuid';

const COUNT = 20000;
const ROUNDS = 31;

const numbers = Array.from({ length: COUNT }, () => randomBytes(8).readBigUInt64BE());
const small = numbers.map((number) => Number(number >> 11n));
// The package refuses UUIDs of no version.
const uuids = numbers.map((_, i) => uuidv7.toBytes(uuidv7.floor(BigInt(i) * 12345678901n)));

const ids = numbers.map(kid64.fromBigInt);

/**
 * A case: its name, and a function of an element of a list, whose time is measured.
 * @type {[string, (value: any) => unknown, any[]][]}
 */
const cases = [
  ['uuid: bytes to text', stringify, uuids],
  ['uuid: text to bytes', parse, uuids.map((bytes) => stringify(bytes))],
  ['kid64: BigInt to text', kid64.fromBigInt, numbers],
  ['kid64: text to BigInt', kid64.toBigInt, ids],
  ['kid64: bytes to text', kid64.fromBytes, ids.map(kid64.toBytes)],
  ['kid64: text to bytes', kid64.toBytes, ids],
  ['kid64: text to base32', (id) => kid64.encode(id), ids],
  ['kid64: base32 to text', (text) => kid64.decode(text), ids.map((id) => kid64.encode(id))],
  ['kid64: text to time', kid64.time, ids],
  ['kid53: number to text', kid53.toText, small],
  ['kid53: text to number', kid53.fromText, small.map(String)],
  ['kid53: number to base32', (id) => kid53.encode(id), small],
  ['kid53: base32 to number', (text) => kid53.decode(text), small.map((id) => kid53.encode(id))],
  ['kid53: number to time', kid53.time, small],
  ['uuidv7: bytes to text', uuidv7.fromBytes, uuids],
];

/** @type {number[][]} */
const times = cases.map(() => []);
let kept;
for (let round = 0; round < ROUNDS; round++) {
  cases.forEach(([, call, values], i) => {
    const start = process.hrtime.bigint();
    for (const value of values) kept = call(value);
    times[i].push(Number(process.hrtime.bigint() - start) / values.length);
  });
}

const medians = times.map((list) => list.sort((a, b) => a - b)[ROUNDS >> 1]);
console.log('| what | ns | of uuid\'s |\n| --- | --- | --- |');
cases.forEach(([name], i) => {
  const writes = / to (text|base32)$/.test(name);
  console.log(`| ${name} | ${medians[i].toFixed(0)} | ${(medians[i] / medians[writes ? 0 : 1]).toFixed(2)} |`);
});
if (kept === undefined) process.exitCode = 1;
