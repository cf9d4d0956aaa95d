// The modules for drivers, ORMs and Express, with the server of the PG* environment variables.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgSchema, text } from 'drizzle-orm/pg-core';
import express from 'express';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import postgres from 'postgres';
import typeorm from 'typeorm';
import { InvalidIdError, kid53, kid64, uuidv7 } from 'pgkid';
import * as columns from 'pgkid/drizzle';
import { sealed } from 'pgkid/express';
import * as types from 'pgkid/kysely';
import { registerTypes } from 'pgkid/pg';
import { numbers } from 'pgkid/postgres';
import { adapterOptions, externalTables, times, within } from 'pgkid/prisma';
import { Keys } from 'pgkid/seal';
import * as orm from 'pgkid/typeorm';
import { COLUMNS } from './columns.js';

const pool = new pg.Pool();
const schema = pgSchema('node');
/** @type {import('pgkid/seal').ExportedKey[]} */
let exported;

before(async () => {
  await pool.query(`
    SET client_min_messages = warning;
    DROP SCHEMA IF EXISTS node CASCADE;
    CREATE SCHEMA node;
    CREATE EXTENSION IF NOT EXISTS kid;
    CREATE EXTENSION IF NOT EXISTS kid_seal CASCADE`);
  await pool.query('SELECT kid_seal_use_key(kid_seal_new_key()) WHERE NOT EXISTS (SELECT FROM kid_seal_keys())');
  exported = (await pool.query('SELECT * FROM kid_seal_export_keys()')).rows;
});
after(() => pool.end());

test('the codecs agree with the server', async () => {
  for (const { type, codec, next, reading } of Object.values(COLUMNS)) {
    const { rows } = await pool.query(`
      SELECT id::text, ${reading}_encode(id) AS encoded, ${reading}_timestamp(id) AS at
        FROM (SELECT ${next}() AS id FROM generate_series(1, 50) OFFSET 0) AS made`);
    assert.equal(rows.length, 50);
    for (const { id: read, encoded, at } of rows) {
      const id = codec.fromText(read);
      assert.deepEqual([codec.encode(id), codec.time(id)], [encoded, at], type);
    }
  }
});

test('the bounds of a time are those of the server', async () => {
  const moments = [
    '1960-01-01', '1970-01-01', '2009-12-31 23:59:59.999999', '2015-01-01', '2019-12-31 23:59:59.999999',
    '2026-11-21 05:51:45.09728', '2049-11-03 19:53:47.776', '2089-09-06 15:47:35.551999', '2109-05-15 07:35:11.104',
    '35198-01-19 07:06:39.999999', '35198-01-19 07:06:40',
  ].map((moment) => `${moment} UTC`);
  for (const { codec, bounds } of Object.values(COLUMNS)) {
    const { rows } = await pool.query(`
      SELECT (extract(epoch FROM t) * 1000000)::bigint AS micros,
             ${bounds}_floor(t)::text AS low, ${bounds}_ceil(t)::text AS high
        FROM unnest($1::timestamptz[]) AS t`, [moments]);
    for (const { micros, low, high } of rows) {
      const time = BigInt(micros);
      assert.deepEqual([codec.floor(time), codec.ceil(time)].map(String), [low, high], `${bounds} ${micros}`);
    }
  }
});

test('pg: arrays and numbers, for a client and for a pool', async () => {
  const sql = `
    SELECT ARRAY['.6.nef3Mk.3', NULL, '.6.nef3Mk..']::kid64[] AS ids, '{}'::sno[] AS none,
           5::bigint AS n, '{5,NULL}'::bigint[] AS ns`;
  const client = new pg.Client();
  await client.connect();
  await registerTypes(client);
  const ids = ['.6.nef3Mk.3', null, '.6.nef3Mk..'];
  assert.deepEqual((await client.query(sql)).rows, [{ ids, none: [], n: '5', ns: ['5', null] }]);
  await client.end();

  const other = new pg.Pool({ max: 2 });
  const idle = await other.connect();
  idle.release();
  await registerTypes(other, { numbers: true });
  const clients = [await other.connect(), await other.connect()];
  for (const one of clients) {
    assert.deepEqual((await one.query(sql)).rows, [{ ids, none: [], n: 5, ns: [5, null] }]);
    await assert.rejects(one.query('SELECT kid_next()::bigint + 1 AS id'), /a number of JavaScript cannot be/);
    one.release();
  }
  await other.end();
});

test('postgres.js: numbers', async () => {
  const sql = postgres({ max: 1, types: numbers, host: process.env.PGHOST });
  const [{ id, ids, n }] = await sql`
    SELECT kid53_next() AS id, ARRAY['.6.nef3Mk.3']::kid64[] AS ids, ${7}::bigint AS n`;
  assert.ok(kid53.is(id));
  assert.deepEqual([ids, n], [['.6.nef3Mk.3'], 7]);
  await sql.end();
});

test('Drizzle: columns of each type, and comparisons with times', async () => {
  const db = drizzle(pool);
  const [start, end] = [new Date(Date.now() - 60000), new Date(Date.now() + 60000)];
  for (const [name, { type, next }] of Object.entries(COLUMNS)) {
    await pool.query(`CREATE TABLE node.${name} (id ${type} PRIMARY KEY DEFAULT ${next}(), item text)`);
    const key = /** @type {keyof typeof COLUMNS} */ (name);
    const table = schema.table(name, {
      id: columns[key]('id').primaryKey().default(columns.next(key)),
      item: text('item'),
    });
    assert.equal(table.id.getSQLType(), type);
    const { sql } = db.select({ next: columns.next(key) }).from(table).toSQL();
    assert.ok(sql.startsWith(`select ${next}() from`), sql);
    const [{ id }] = await db.insert(table).values({ item: 'tea' }).returning();
    assert.equal(typeof id, name === 'kid53' ? 'number' : 'string');
    const found = async (/** @type {any} */ condition) => (await db.select().from(table).where(condition)).length;
    assert.deepEqual([
      await found(columns.since(table.id, start)), await found(columns.since(table.id, end)),
      await found(columns.before(table.id, start)), await found(columns.before(table.id, end)),
      await found(columns.within(table.id, start, end)), await found(columns.within(table.id, end, start)),
    ], [1, 0, 0, 1, 1, 0], name);
    if (name === 'uuidv7') {
      const error = { name: 'TypeError', message: /^column id is a uuid: only kid64, .* and kid53 can be sealed$/ };
      assert.throws(() => columns.seal(table.id, 'ord'), error);
      assert.throws(() => columns.unseal(table.id, 'ord_12345', 'ord'), error);
      continue;
    }
    const [{ sealed: shown }] = await db.select({ sealed: columns.seal(table.id, 'ord') }).from(table);
    assert.equal(new Keys(exported).open(COLUMNS[key].codec, shown, 'ord'), id);
    const isSealed = (/** @type {string} */ given) => eq(table.id, columns.unseal(table.id, given, 'ord'));
    assert.deepEqual([await found(isSealed(shown)), await found(isSealed('ord_12345'))], [1, 0], name);
  }
  const usual = schema.table('kid53', { id: bigint('id', { mode: 'number' }) });
  assert.equal((await db.select().from(usual).where(columns.since(usual.id, start))).length, 1);
});

test('Drizzle: a bigint that is no kid53 is an error', async () => {
  const db = drizzle(pool);
  await pool.query('CREATE VIEW node.negative AS SELECT (-1)::bigint AS id');
  const table = schema.table('negative', { id: columns.kid53('id') });
  await assert.rejects(db.select().from(table), InvalidIdError);
});

test('Kysely: columns, defaults and times', async () => {
  const own = new pg.Pool();
  await registerTypes(own, { numbers: true });
  const db = new Kysely({ dialect: new PostgresDialect({ pool: own }) }).withSchema('node');
  const [start, end] = [new Date(Date.now() - 60000), new Date(Date.now() + 60000)];
  await db.schema.createTable('kysely')
    .addColumn('id', types.type('kid64'), (column) => column.primaryKey().defaultTo(types.next('kid64')))
    .addColumn('visit', types.type('kid53'), (column) => column.defaultTo(types.next('kid53')))
    .addColumn('item', 'text')
    .execute();
  const table = /** @type {any} */ (db);
  const made = await table.insertInto('kysely').values({ item: 'tea' }).returningAll().executeTakeFirst();
  assert.ok(kid64.is(made.id) && kid53.is(made.visit));
  const rows = table.selectFrom('kysely').selectAll();
  for (const [time, found] of [[start, [made]], [end, []]]) {
    assert.deepEqual(await rows.where('id', '>=', types.at(/** @type {Date} */ (time))).execute(), found);
    assert.deepEqual(await rows.where('visit', '>=', kid53.floor(/** @type {Date} */ (time))).execute(), found);
  }
  await db.destroy();
});

test('TypeORM: columns, references, numbers and times', async () => {
  const { DataSource, EntitySchema, MoreThanOrEqual } = typeorm;
  const Visit = new EntitySchema({
    name: 'visits',
    schema: 'node',
    columns: {
      id: orm.key('kid64'),
      number: { ...orm.reference('kid53'), default: () => 'kid53_next()' },
      item: { type: 'text' },
    },
    relations: { replaces: { type: 'many-to-one', target: 'visits' } },
  });
  const Page = new EntitySchema({
    name: 'pages',
    schema: 'node',
    columns: { id: orm.key('kid53'), item: { type: 'text' } },
  });
  const source = orm.registerTypes(orm.registerTypes(new DataSource({
    type: 'postgres', host: process.env.PGHOST, port: Number(process.env.PGPORT), username: process.env.PGUSER,
    database: process.env.PGDATABASE, entities: [Visit, Page],
  })));
  await source.initialize();
  await source.synchronize();
  assert.deepEqual((await source.driver.createSchemaBuilder().log()).upQueries, []);

  const visits = source.getRepository(/** @type {any} */ (Visit));
  const first = await visits.save({ item: 'tea' });
  const second = await visits.save({ item: 'milk', replaces: first });
  const found = async (/** @type {any} */ where) => {
    const rows = await visits.find({ where, order: { id: 'ASC' } });
    return rows.map(({ id }) => id);
  };
  const [start, end] = [new Date(Date.now() - 60000), new Date(Date.now() + 60000)];
  const ids = [first.id, second.id];
  assert.deepEqual([await found({ id: orm.Since(start) }), await found({ id: orm.Since(end) })], [ids, []]);
  assert.deepEqual([await found({ id: orm.Before(start) }), await found({ id: orm.Before(end) })], [[], ids]);
  assert.deepEqual(await found({ id: orm.Within(start, end) }), ids);
  assert.deepEqual(await found({ id: orm.Within(end, start) }), []);
  assert.deepEqual(await found([{ id: orm.Before(start) }, { id: orm.Since(start) }]), ids);
  assert.deepEqual(await found({ number: MoreThanOrEqual(kid53.floor(start)) }), ids);
  assert.ok(kid53.is((await visits.findOneBy({ id: first.id }))?.number));

  const pages = source.getRepository(/** @type {any} */ (Page));
  const page = await pages.save({ item: 'tea' });
  assert.ok(kid53.is(page.id));
  assert.equal((await pages.findOneBy({ id: page.id }))?.item, 'tea');
  await source.destroy();
});

test('Prisma: the options of its adapter, filters, times and configuration', async () => {
  const { userDefinedTypeParser } = adapterOptions();
  let asked = 0;
  const adapter = {
    queryRaw: async (/** @type {{ sql: string }} */ { sql }) => {
      if (++asked === 1) throw new Error('at first');
      return { rows: (await pool.query({ text: sql, rowMode: 'array' })).rows };
    },
  };
  const { rows: [{ array, other }] } = await pool.query(
    "SELECT 'kid64[]'::regtype::int AS array, 'text[]'::regtype::int AS other");
  await assert.rejects(userDefinedTypeParser(array, '{.6.nef3Mk.3}', adapter), /at first/);
  assert.deepEqual(await userDefinedTypeParser(array, '{.6.nef3Mk.3}', adapter), ['.6.nef3Mk.3']);
  assert.deepEqual(await userDefinedTypeParser(array, '{}', adapter), []);
  assert.equal(await userDefinedTypeParser(other, '{a}', adapter), '{a}');
  assert.equal(await userDefinedTypeParser(array, null, adapter), null);
  assert.equal(await userDefinedTypeParser(array, '.6.nef3Mk.3', adapter), '.6.nef3Mk.3');
  assert.equal(asked, 2);

  const [from, to] = [new Date('2026-01-01'), new Date('2027-01-01')];
  assert.deepEqual(within(from, to), { gte: kid64.floor(from), lt: kid64.floor(to) });
  assert.deepEqual(within(from, undefined, kid53), { gte: kid53.floor(from) });
  assert.deepEqual(within(undefined, to, uuidv7), { lt: uuidv7.floor(to) });
  const { createdAt } = times({ order: 'createdAt' }).result.order;
  const id = '.6.nef3Mk.3';
  assert.deepEqual([createdAt.needs, createdAt.compute({ id })], [{ id: true }, kid64.time(id)]);
  const { made } = times({ visit: 'made' }, { id: 'key', type: kid53 }).result.visit;
  assert.deepEqual([made.needs, made.compute({ key: 0 })], [{ key: true }, new Date('2020-01-01')]);
  assert.deepEqual(made.compute({ key: 0n }), new Date('2020-01-01'), 'as Prisma reads a bigint');
  assert.deepEqual(createdAt.compute({ id: kid64.toBigInt(id) }), kid64.time(id), 'a kid64 in a bigint');
  assert.deepEqual(createdAt.compute({ id: -1n }), kid64.time(kid64.fromBigInt(2n ** 64n - 1n)), 'or a late one');
  assert.throws(() => made.compute({ key: 2n ** 53n + 1n }), /9007199254740993/, 'a number that is no kid53');
  const own = times({ visit: 'at' }, { type: { time: (at) => new Date(Number(at % 1000n)) } }).result.visit.at;
  assert.deepEqual(own.compute({ id: 2n ** 60n * 1000n + 7n }), new Date(7), 'a type of the program');
  assert.deepEqual(externalTables(['public.orders']).tables.external, ['public.orders']);
});

test('Express: a parameter is a sealed ID, or the answer is 404', async () => {
  const keys = new Keys(exported);
  const app = express();
  const [plain, opened, late] = [express.Router(), express.Router(), express.Router()];
  plain.param('order', sealed('ord'));
  opened.param('order', sealed('ord', { keys }));
  late.param('order', sealed('ord', { keys: () => keys }));
  for (const router of [plain, opened, late]) {
    router.get('/:order', ({ params }, response) => { response.json(params.order); });
  }
  app.use('/plain', plain).use('/opened', opened).use('/late', late);
  app.use('/visit', express.Router().param('visit', sealed('v', { keys, type: kid53 }))
    .get('/:visit', ({ params }, response) => { response.json(params.visit); }));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const get = async (/** @type {string} */ path) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return response.ok ? response.json() : response.status;
  };
  const { rows: [{ id, text: url, wrong, visit, n }] } = await pool.query(`
    WITH made AS MATERIALIZED (SELECT kid_next() AS id, kid53_next() AS n)
    SELECT id, kid_seal(id, 'ord') AS text, kid_seal(id, 'usr') AS wrong, kid53_seal(n, 'v') AS visit, n::text
      FROM made`);
  assert.deepEqual([await get(`/plain/${url}`), await get(`/opened/${url}`), await get(`/late/${url}`)], [url, id, id]);
  assert.equal(await get(`/visit/${visit}`), Number(n));
  const forged = wrong.replace('usr', 'ord');
  for (const path of [wrong, url.toUpperCase(), '%00', `${url}0`, `${url}%0A`, id]) {
    assert.deepEqual([await get(`/plain/${path}`), await get(`/opened/${path}`)], [404, 404], path);
  }
  assert.deepEqual([await get(`/plain/${forged}`), await get(`/opened/${forged}`)], [forged, 404]);
  assert.throws(() => sealed('Ord'), RangeError);
  server.close();
});

test('the keys of the server seal here as they do there', async () => {
  const keys = new Keys(exported);
  const { rows } = await pool.query(`
    SELECT id, kid_seal(id, 'ord') AS text, kid_seal_uuid(id, 'ord') AS uuid FROM kid_next(20) AS id`);
  for (const { id, text: sealedText, uuid } of rows) {
    assert.deepEqual([keys.seal(kid64, id, 'ord'), keys.sealUuid(kid64, id, 'ord')], [sealedText, uuid]);
    assert.deepEqual([keys.open(kid64, sealedText, 'ord'), keys.openUuid(kid64, uuid, 'ord')], [id, id]);
  }
});
