// A process of the play, as process.py has them: makes flakes with the package for Node, while Date.now() is wrong and
// steps, which changes nothing. process.mjs FOLDER TTL BURST PERIOD DRIVER
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { flake } from '../../node/src/ids.js';
import { NoWindow, Worker } from '../../node/src/worker.js';

const pg = createRequire(new URL('../clients/worker-node/', import.meta.url))('pg');
const [folder, ttl, burst, period, driver] = process.argv.slice(2).map((word, i) => (i === 0 ? word : Number(word)));

const systemClock = Date.now;
const about = (most) => (2 * Math.random() - 1) * most;
let ahead = about(3_600_000);
Date.now = () => Math.floor(systemClock() + ahead);

async function connect() {
  const words = readFileSync(`${folder}/primary`, 'utf8').split(' ').map((word) => word.split('='));
  const { host, port, user, dbname } = Object.fromEntries(words);
  const client = new pg.Client({ host, port, user, database: dbname });
  await client.connect();
  return client;
}

const ids = new Worker({ connect, pool: 'flake', ids: 'flake', ttl, holder: `node ${process.pid}`, timeout: 5000 });
while (existsSync(`/proc/${driver}`)) {
  if (Math.random() < 0.1) ahead += about(5000);
  const made = [];
  try {
    for (let i = 0; i < burst; i++) made.push(await ids.next());
  } catch (error) {
    if (!(error instanceof NoWindow)) throw error;
    await sleep(200 + 800 * Math.random());
  }
  if (made.length > 0) {
    appendFileSync(`${folder}/ids/flake.node.${process.pid}`, `${made.join('\n')}\n`);
    const time = flake.time(made.at(-1)).getTime() / 1000;
    await sleep(1000 * (period - (time % period)));
  }
}
process.exit();
