// Orders with kid64 keys, by Drizzle.
import assert from 'node:assert';
import { asc, eq, gt, gte, inArray, relations, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { customType, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { generateDrizzleJson, generateMigration, pushSchema } from 'drizzle-kit/api';

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

const [{ id: orderId }] = await db.insert(orders).values({ item: 'tea' }).returning({ id: orders.id });
console.log('inserted', orderId);

const batch = await db.insert(orders).values(Array(1000).fill({ item: 'batch' })).returning({ id: orders.id });
for (const { id } of batch) console.log('batch', id);

const [found] = await db.select().from(orders).where(eq(orders.id, orderId));
console.log('found', found.id);

const some = batch.slice(5, 8).map(({ id }) => id);
const listed = await db.select().from(orders).where(inArray(orders.id, some));
for (const { id } of listed) console.log('listed', id);

const since = new Date(Date.now() - 3600 * 1000).toISOString();
const recent = await db.select().from(orders)
  .where(gte(orders.id, sql`${since}::timestamptz`)).orderBy(asc(orders.id)).limit(10);
for (const { id } of recent) console.log('recent', id);

const page = await db.select().from(orders).where(gt(orders.id, recent.at(-1).id)).orderBy(asc(orders.id)).limit(10);
for (const { id } of page) console.log('page', id);

const { rows: ids } = await db.execute(sql`SELECT kid_next(1000) AS id`);
await db.insert(orders).values(ids.map(({ id }) => ({ id, item: 'bulk' })));
for (const { id } of ids) console.log('bulk', id);

await db.insert(lines).values({ orderId, note: 'with milk' });
const order = await db.query.orders.findFirst({ where: eq(orders.id, orderId), with: { lines: true } });
console.log('nested', order.lines[0].orderId);

const paid = await db.insert(payments).values(batch.map(({ id }) => ({ orderId: id }))).returning({ id: payments.id });
for (const { id } of paid) console.log('uuid', id);

const dated = await db.select().from(payments)
  .where(gte(payments.id, sql`${since}::timestamptz`)).orderBy(asc(payments.id)).limit(10);
for (const { id } of dated) console.log('dated', id);

try {
  await db.select().from(orders).where(eq(orders.id, '12345'));
} catch (error) {
  console.log('wrong', error.cause.code);
}

await db.$client.end();
