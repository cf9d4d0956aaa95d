// Orders with kid64 keys, by Kysely. In TypeScript: interface OrderTable { id: Generated<string>; item: string }
import { Kysely, PostgresDialect, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import pg from 'pg';
import { run } from '../steps.mjs';

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

const orders = () => db.selectFrom('orders').selectAll();
await run({
  insert: (row) => db.insertInto('orders').values(row).returning('id').executeTakeFirst(),
  insertMany: (rows) => db.insertInto('orders').values(rows).returning('id').execute(),
  find: (id) => orders().where('id', '=', id).executeTakeFirst(),
  list: (some) => orders().where('id', 'in', some).execute(),
  since: (time) => orders().where('id', '>=', sql`${time}::timestamptz`).orderBy('id').limit(10).execute(),
  after: (last) => orders().where('id', '>', last).orderBy('id').limit(10).execute(),
  next: async (query) => (await sql.raw(query).execute(db)).rows,
  load: (rows) => db.insertInto('orders').values(rows).execute(),
  nested: async ({ id }) => {
    await db.insertInto('lines').values({ order_id: id, note: 'with milk' }).execute();
    const order = await orders().where('id', '=', id).select((order) => jsonArrayFrom(
      order.selectFrom('lines').selectAll().whereRef('order_id', '=', 'orders.id')).as('lines')).executeTakeFirst();
    return order.lines[0].order_id;
  },
});
await db.destroy();
