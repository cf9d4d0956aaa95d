// Orders with kid64 keys, by Drizzle.
import assert from 'node:assert';
import { asc, eq, gt, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { generateDrizzleJson, generateMigration, pushSchema } from 'drizzle-kit/api';
import { kid64, next, seal, since, unseal } from 'pgkid/drizzle';
import { run } from '../steps.mjs';

const orders = pgTable('orders', {
  id: kid64('id').primaryKey().default(next('kid64')),
  item: text('item'),
  replaces: kid64('replaces').references(() => orders.id),
});

const db = drizzle(process.env.DATABASE_URL);

// The same as drizzle-kit generate and migrate.
const [before, after] = [{}, { orders }].map((tables) => generateDrizzleJson(tables));
for (const statement of await generateMigration(before, after)) await db.execute(sql.raw(statement));

// drizzle-kit push, which finds nothing to change.
const { write } = process.stdout;
process.stdout.write = (text) => process.stderr.write(text);
const pushed = await pushSchema({ orders }, db, ['public']);
process.stdout.write = write;
assert.deepEqual([pushed.statementsToExecute, pushed.warnings], [[], []]);

const recent = (time) => db.select().from(orders)
  .where(since(orders.id, time)).orderBy(asc(orders.id)).limit(10);

const columns = { id: seal(orders.id, 'ord'), item: orders.item };

const show = (text) => db.select(columns).from(orders)
  .where(eq(orders.id, unseal(orders.id, text, 'ord')));

const page = (after) => db.select(columns).from(orders)
  .where(after ? gt(orders.id, unseal(orders.id, after, 'ord')) : undefined)
  .orderBy(asc(orders.id)).limit(10);

const replace = (text, item) => db.insert(orders)
  .values({ item, replaces: unseal(orders.id, text, 'ord') })
  .returning({ id: seal(orders.id, 'ord') });

await run({
  insert: async (row) => (await db.insert(orders).values(row).returning({ id: orders.id }))[0],
  insertMany: (rows) => db.insert(orders).values(rows).returning({ id: orders.id }),
  find: async (id) => db.select().from(orders).where(eq(orders.id, id)),
  since: recent,
  nested: async ({ id }) => (await db.insert(orders).values({ replaces: id }).returning())[0].replaces,
  code: (error) => error.cause.code,
});

await db.execute(sql`CREATE EXTENSION kid_seal CASCADE`);
await db.execute(sql`SELECT kid_seal_use_key(kid_seal_new_key())`);
const sealed = [];
for (let rows = await page(); rows.length > 0; rows = await page(rows.at(-1).id)) sealed.push(...rows);
const all = await db.select({ item: orders.item }).from(orders).orderBy(asc(orders.id));
assert.deepEqual(sealed.map(({ item }) => ({ item })), all);
assert.deepEqual([await show(sealed[0].id), await show('ord_0')], [[sealed[0]], []]);
const [replacement] = await replace(sealed[0].id, 'milk');
const [{ replaces }] = await db.select({ replaces: seal(orders.replaces, 'ord') }).from(orders)
  .where(eq(orders.id, unseal(orders.id, replacement.id, 'ord')));
assert.equal(replaces, sealed[0].id);
await db.$client.end();
