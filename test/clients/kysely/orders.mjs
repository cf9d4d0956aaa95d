// Orders with kid64 keys, by Kysely. In TypeScript: interface OrderTable { id: Generated<string>; item: string }
import { Kysely, PostgresDialect, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import pg from 'pg';

const db = new Kysely({
  dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: process.env.DATABASE_URL }) }),
});

await db.schema.createTable('orders')
  .addColumn('id', sql`kid64`, (column) => column.primaryKey().defaultTo(sql`kid_next()`))
  .addColumn('item', 'text')
  .execute();
await db.schema.createTable('lines')
  .addColumn('id', sql`kid64`, (column) => column.primaryKey().defaultTo(sql`kid_next()`))
  .addColumn('order_id', sql`kid64`, (column) => column.references('orders.id'))
  .addColumn('note', 'text')
  .execute();

const { id: orderId } = await db.insertInto('orders').values({ item: 'tea' }).returning('id').executeTakeFirst();
console.log('inserted', orderId);

const batch = await db.insertInto('orders').values(Array(1000).fill({ item: 'batch' })).returning('id').execute();
for (const { id } of batch) console.log('batch', id);

const found = await db.selectFrom('orders').selectAll().where('id', '=', orderId).executeTakeFirst();
console.log('found', found.id);

const some = batch.slice(5, 8).map(({ id }) => id);
const listed = await db.selectFrom('orders').selectAll().where('id', 'in', some).execute();
for (const { id } of listed) console.log('listed', id);

const since = new Date(Date.now() - 3600 * 1000);
const recent = await db.selectFrom('orders').selectAll()
  .where('id', '>=', sql`${since}::timestamptz`).orderBy('id').limit(10).execute();
for (const { id } of recent) console.log('recent', id);

const page = await db.selectFrom('orders').selectAll()
  .where('id', '>', recent.at(-1).id).orderBy('id').limit(10).execute();
for (const { id } of page) console.log('page', id);

const { rows: ids } = await sql`SELECT kid_next(1000) AS id`.execute(db);
await db.insertInto('orders').values(ids.map(({ id }) => ({ id, item: 'bulk' }))).execute();
for (const { id } of ids) console.log('bulk', id);

await db.insertInto('lines').values({ order_id: orderId, note: 'with milk' }).execute();
const order = await db.selectFrom('orders').selectAll()
  .select((order) => jsonArrayFrom(
    order.selectFrom('lines').selectAll().whereRef('order_id', '=', 'orders.id')).as('lines'))
  .where('id', '=', orderId).executeTakeFirst();
console.log('nested', order.lines[0].order_id);

try {
  await db.selectFrom('orders').selectAll().where('id', '=', '12345').execute();
} catch (error) {
  console.log('wrong', error.code);
}

await db.destroy();
