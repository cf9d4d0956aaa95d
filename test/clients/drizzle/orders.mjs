// Orders with kid64 keys, by Drizzle.
import assert from 'node:assert';
import { asc, eq, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import { generateDrizzleJson, generateMigration, pushSchema } from 'drizzle-kit/api';
import { kid64, next, since } from 'pgkid/drizzle';
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

const recent = (time) => db.select().from(orders).where(since(orders.id, time)).orderBy(asc(orders.id)).limit(10);

await run({
  insert: async (row) => (await db.insert(orders).values(row).returning({ id: orders.id }))[0],
  insertMany: (rows) => db.insert(orders).values(rows).returning({ id: orders.id }),
  find: async (id) => db.select().from(orders).where(eq(orders.id, id)),
  since: recent,
  nested: async ({ id }) => (await db.insert(orders).values({ replaces: id }).returning())[0].replaces,
  code: (error) => error.cause.code,
});
await db.$client.end();
