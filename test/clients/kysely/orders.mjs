// Orders with kid64 keys, by Kysely. In TypeScript: interface OrderTable { id: Generated<string>; item: string }
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { run } from '../steps.mjs';

const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool() }) });

await db.schema.createTable('orders')
  .addColumn('id', sql`kid64`, (column) => column.primaryKey().defaultTo(sql`kid_next()`))
  .addColumn('replaces', sql`kid64`, (column) => column.references('orders.id'))
  .addColumn('item', 'text')
  .execute();

const orders = () => db.selectFrom('orders').selectAll();
const insert = (rows) => db.insertInto('orders').values(rows).returningAll();
await run({
  insert: (row) => insert(row).executeTakeFirst(),
  insertMany: (rows) => insert(rows).execute(),
  find: (id) => orders().where('id', '=', id).executeTakeFirst(),
  since: (time) => orders().where('id', '>=', sql`${time}::timestamptz`).orderBy('id').limit(10).execute(),
  nested: async ({ id }) => (await insert({ item: 'milk', replaces: id }).executeTakeFirst()).replaces,
});
await db.destroy();
