// Orders with kid64 keys, by Drizzle.
import assert from 'node:assert';
import { asc, eq, gt, gte, inArray, relations, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { customType, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { generateDrizzleJson, generateMigration, pushSchema } from 'drizzle-kit/api';
import { run } from '../steps.mjs';

const kid64 = customType({ dataType: () => 'kid64' });

const orders = pgTable('orders', {
  id: kid64('id').primaryKey().default(sql`kid_next()`),
  item: text('item'),
});
const lines = pgTable('lines', {
  id: kid64('id').primaryKey().default(sql`kid_next()`),
  orderId: kid64('order_id').references(() => orders.id),
  note: text('note'),
});
// uuid, version 7: Drizzle has this type.
const payments = pgTable('payments', {
  id: uuid('id').primaryKey().default(sql`kid_uuidv7()`),
  orderId: kid64('order_id').references(() => orders.id),
});
const ordersRelations = relations(orders, ({ many }) => ({ lines: many(lines) }));
const linesRelations = relations(lines, ({ one }) => ({
  order: one(orders, { fields: [lines.orderId], references: [orders.id] }),
}));
const schema = { orders, lines, ordersRelations, linesRelations };

const db = drizzle(process.env.DATABASE_URL, { schema });

// The same as drizzle-kit generate and migrate.
const [before, after] = [{}, { ...schema, payments }].map((tables) => generateDrizzleJson(tables));
for (const statement of await generateMigration(before, after)) await db.execute(sql.raw(statement));

// drizzle-kit push, which finds nothing to change.
const { write } = process.stdout;
process.stdout.write = (text) => process.stderr.write(text);
const pushed = await pushSchema({ ...schema, payments }, db, ['public']);
process.stdout.write = write;
assert.deepEqual([pushed.statementsToExecute, pushed.warnings], [[], []]);

const since = (time) => db.select().from(orders)
  .where(gte(orders.id, sql`${time.toISOString()}::timestamptz`)).orderBy(asc(orders.id)).limit(10);

const { batch } = await run({
  insert: async (row) => (await db.insert(orders).values(row).returning({ id: orders.id }))[0],
  insertMany: (rows) => db.insert(orders).values(rows).returning({ id: orders.id }),
  find: async (id) => db.select().from(orders).where(eq(orders.id, id)),
  list: (some) => db.select().from(orders).where(inArray(orders.id, some)),
  since,
  after: (last) => db.select().from(orders).where(gt(orders.id, last)).orderBy(asc(orders.id)).limit(10),
  next: async (query) => (await db.execute(sql.raw(query))).rows,
  load: (rows) => db.insert(orders).values(rows),
  nested: async ({ id }) => {
    await db.insert(lines).values({ orderId: id, note: 'with milk' });
    const order = await db.query.orders.findFirst({ where: eq(orders.id, id), with: { lines: true } });
    return order.lines[0].orderId;
  },
  code: (error) => error.cause.code,
});

const paid = await db.insert(payments).values(batch.map(({ id }) => ({ orderId: id }))).returning({ id: payments.id });
for (const { id } of paid) console.log('uuid', id);

const hourAgo = new Date(Date.now() - 3600 * 1000).toISOString();
const dated = await db.select().from(payments)
  .where(gte(payments.id, sql`${hourAgo}::timestamptz`)).orderBy(asc(payments.id)).limit(10);
for (const { id } of dated) console.log('dated', id);

await db.$client.end();
