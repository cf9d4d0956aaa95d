#!/usr/bin/env node
// IDs of the library flake-idgen, made now, read by kid; and IDs of kid made again by the library. In TAP.
// Finds the library by NODE_PATH and the server by psql's environment.
'use strict';

const { execFileSync } = require('child_process');
const FlakeId = require('flake-idgen');

const below = (n) => Math.floor(Math.random() * n);
const psql = (input) =>
  execFileSync('psql', ['-XqAt', '-v', 'ON_ERROR_STOP=1'], { input, encoding: 'utf8', maxBuffer: 1 << 28 })
    .split('\n').slice(0, -1).map((line) => line.split('|'));

let tests = 0;
// Reports a test, which passes if all comparisons agree. It fails if there were none, as it then tested nothing.
const agree = (name, same, all, example) => {
  const good = Number(same) === all && all > 0;
  console.log(`${good ? 'ok' : 'not ok'} ${++tests} - ${name} (${same} of ${all})`);
  if (good) return;
  process.exitCode = 1;
  if (example) console.log('# not so:', example);
};

// The library asks for the time once for each ID; `told` is what it was told.
const realClock = Date.now;
let clock = realClock;
let told;
Date.now = () => (told = clock());

const randomOptions = () => [
  { id: below(1024) },
  { id: below(1024), epoch: below(realClock()) },
  { datacenter: below(32), worker: below(32) },
  { datacenter: below(32), worker: below(32), epoch: below(realClock()) },
];
const manyOptions = [
  { id: 341, seqMask: 15 },
  {}, { id: 0 }, { id: 1023 }, { datacenter: 31 }, { worker: 31 }, { datacenter: 31, worker: 0, epoch: 1300000000000 },
  ...Array.from({ length: 15 }, randomOptions).flat(),
];

// By the library's documentation, never by the bytes of an ID.
const partsOf = ({ id, datacenter = 0, worker = 0, epoch = 0 }) =>
  ({ datacenter: id === undefined ? datacenter : id >> 5, worker: id === undefined ? worker : id & 31, epoch });

const made = [];

class Generator {
  constructor(options) {
    this.library = new FlakeId(options);
    this.parts = partsOf(options);
    // As if it had been used already in the first millisecond of its epoch: there the library begins with 1.
    this.time = this.parts.epoch;
    this.sequence = 0;
  }

  next() {
    const bytes = this.patiently();
    this.sequence = told === this.time ? this.sequence + 1 : 0;
    this.time = told;
    made.push({ ...this.parts, bytes, time: told, sequence: this.sequence });
  }

  // A millisecond whose IDs are used up is an error, until it is over.
  patiently() {
    for (;;) {
      try {
        return this.library.next();
      } catch (error) {
        if (!error.message.startsWith('Sequence exceeded')) throw error;
      }
    }
  }
}

const generators = manyOptions.map((options) => new Generator(options));
for (let round = 0; round < 200; round++) generators.forEach((generator) => generator.next());

// One after the other as fast as it goes.
for (const options of [{ datacenter: 7, worker: 3, epoch: 1300000000000 }, { id: 682, seqMask: 15 }]) {
  const hurried = new Generator(options);
  for (let i = 0; i < 20000 / (options.seqMask ?? 1); i++) hurried.next();
}
const greatest = (ids) => ids.reduce((max, { sequence }) => Math.max(max, sequence), 0);
console.log(`# flake-idgen counted to ${greatest(made)} in a millisecond`);

// Every sequence of the first and of the last millisecond of 42 bits: half of them with the sign bit of a bigint.
const edge = new Generator({ id: 677, epoch: 1300000000000 });
for (const ms of [0, 1, 2 ** 41 - 1, 2 ** 41, 2 ** 42 - 1]) {
  clock = () => 1300000000000 + ms;
  for (let i = ms === 0 ? 1 : 0; i < 4096; i++) edge.next();
}
clock = realClock;

made.sort((a, b) => Buffer.compare(a.bytes, b.bytes));
let place = 0;
made.forEach((id, i) => {
  if (i === 0 || !id.bytes.equals(made[i - 1].bytes)) place++;
  id.place = place;
});

const iso = (ms) => new Date(ms).toISOString();
const rows = made.map(({ bytes, time, epoch, ...rest }) =>
  [bytes.toString('hex'), bytes.readBigUInt64BE(), iso(time), iso(epoch),
    rest.datacenter, rest.worker, rest.sequence, rest.place].join('\t'));

const claims = {
  'decimal text in': 'text::flake = id',
  'hexadecimal text in': "('0x' || hex)::flake = id",
  'text out': 'id::text = text',
  'binary out': "flake_send(id) = decode(hex, 'hex')",
  'kid_timestamp()': 'kid_timestamp(id, epoch) = time',
  'kid_datacenter()': 'kid_datacenter(id) = datacenter',
  'kid_worker()': 'kid_worker(id) = worker',
  'kid_generator()': 'kid_generator(id) = 32 * datacenter + worker',
  'kid_sequence()': 'kid_sequence(id) = sequence',
  'flake_make()': 'flake_make(time, datacenter, worker, sequence, epoch) = id',
  'order, of the type and of Buffer.compare()': 'kid_place = place',
};
const [counts] = psql(`
  CREATE EXTENSION kid;
  CREATE TEMPORARY TABLE made
    (hex text, text text, time timestamptz, epoch timestamptz, datacenter int, worker int, sequence int, place int);
  COPY made FROM STDIN;
${rows.join('\n')}
\\.
  SELECT ${Object.values(claims).map((claim) => `count(*) FILTER (WHERE ${claim})`)},
         ${Object.values(claims).map((claim) => `min(hex) FILTER (WHERE NOT ${claim})`)}
    FROM (SELECT *, dense_rank() OVER (ORDER BY id) AS kid_place
            FROM (SELECT *, decode(hex, 'hex')::flake AS id FROM made) ids) ranks;
`);
const names = Object.keys(claims);
names.forEach((name, i) => {
  const example = made.find(({ bytes }) => bytes.toString('hex') === counts[names.length + i]);
  agree(`flake-idgen to kid: ${name}`, counts[i], made.length, example);
});

// Now kid makes them, under the settings that are the library's options.
const each = 500;
const all = each * manyOptions.length;
const setting = (option) => `kid.flake_${option === 'seqMask' ? 'sequence_max' : option}`;
const start = realClock();
const issued = psql(manyOptions.map((options, i) => `
  RESET ALL;
  ${Object.entries(options).map(([option, value]) => `SET ${setting(option)} = ${value};`).join(' ')}
  SELECT ${i}, encode(flake_send(id), 'hex'), (extract(epoch FROM kid_timestamp(id)) * 1000)::bigint, kid_sequence(id)
    FROM (SELECT flake_next() AS id FROM generate_series(1, ${each})) ids;`).join(''))
  .map(([i, hex, ms, sequence]) => ({ i, hex, ms: Number(ms), sequence: Number(sequence) }));
const stop = realClock();

// What the library makes in one millisecond, by sequence: it begins with 0, as no epoch here is that millisecond.
const remade = new Map();
const byLibrary = ({ i, ms, sequence }) => {
  const key = `${i} ${ms}`;
  if (!remade.has(key)) remade.set(key, { library: new FlakeId(manyOptions[i]), ids: [] });
  const { library, ids } = remade.get(key);
  clock = () => ms;
  while (ids.length <= sequence) ids.push(library.next().toString('hex'));
  return ids[sequence];
};

console.log(`# kid counted to ${greatest(issued)} in a millisecond`);

const agreeEach = (name, claim) => {
  const other = issued.find((id, at) => !claim(id, at));
  const example = other && { options: manyOptions[other.i], ...other };
  agree(`kid to flake-idgen: ${name}`, issued.filter(claim).length, all, example);
};
agreeEach('the same bytes', (id) => byLibrary(id) === id.hex);
agreeEach('the time of now', ({ ms }) => start <= ms && ms <= stop);
agreeEach('each greater than the one before of its generator',
  ({ i, hex }, at) => at === 0 || issued[at - 1].i !== i || issued[at - 1].hex < hex);
console.log(`1..${tests}`);
