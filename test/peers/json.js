#!/usr/bin/env node
// A million IDs of kid53 go through JSON into JavaScript's numbers, and back, and stay what they are; those of kid64 as
// bigint do not, which shows that the comparison would find a difference. KID_ROUNDS=100 makes it 10^8. In TAP.
// Finds the server by psql's environment.
'use strict';

const { execFileSync, spawn } = require('child_process');
const { createInterface } = require('readline');

const batch = 10_000;
const batches = 100 * Number(process.env.KID_ROUNDS ?? 1);

let tests = 0;
const report = (good, name) => {
  console.log(`${good ? 'ok' : 'not ok'} ${++tests} - ${name}`);
  if (!good) process.exitCode = 1;
};

// Gets IDs from an expression, as the server's JSON and as text. Counts all, those whose number is another one, those
// that are not above the one before, and the batches whose JSON JavaScript writes differently.
async function count(ids) {
  const psql = spawn('psql', ['-XqAt', '-v', 'ON_ERROR_STOP=1', '-c', `
    COPY (SELECT made.* FROM generate_series(1, ${batches}) AS n,
                 LATERAL (SELECT array_to_json(array_agg(id)), string_agg(id::text, ',')
                            FROM (SELECT ${ids}::bigint AS id FROM generate_series(1 + n, ${batch} + n)) AS ids) AS made)
      TO STDOUT`], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => psql.on('close', resolve));
  const found = { all: 0, changed: 0, notRising: 0, rewritten: 0, example: '' };
  let last = -1;
  for await (const line of createInterface({ input: psql.stdout })) {
    const [json, texts] = line.split('\t');
    const numbers = JSON.parse(json);
    texts.split(',').forEach((text, i) => {
      found.all++;
      if (BigInt(numbers[i]) !== BigInt(text)) {
        found.changed++;
        found.example ||= `, such as ${text} to ${BigInt(numbers[i])}`;
      }
      if (!(numbers[i] > last)) found.notRising++;
      last = numbers[i];
    });
    if (JSON.stringify(numbers) !== json) found.rewritten++;
  }
  if (await ended) throw new Error('psql failed');
  return found;
}

async function main() {
  execFileSync('psql', ['-Xq', '-c', 'SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS kid']);
  const all = batch * batches;
  const start = Date.now();
  const kid53 = await count('kid53_next()');
  const seconds = ((Date.now() - start) / 1000).toFixed(0);
  report(kid53.all === all, `${kid53.all} kid53 were read, in ${seconds} s`);
  report(kid53.changed === 0, `none is another number in JavaScript: ${kid53.changed}${kid53.example}`);
  report(kid53.rewritten === 0, 'JavaScript writes the same JSON');
  report(kid53.notRising === 0, 'as numbers of JavaScript they rise');
  const kid64 = await count('kid_next()');
  report(kid64.all === all && kid64.changed > all / 2 && kid64.rewritten === batches && kid64.notRising > 0,
    `of as many kid64 as bigint, ${kid64.changed} are${kid64.example}`);
  console.log(`1..${tests}`);
}

main();
