// Orders with kid64 keys, by Kysely. In TypeScript: interface OrderTable { id: GeneratedId; item: string }
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { at, next, type } from 'pgkid/kysely';
import { run } from '../steps.mjs';

const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool() }) });

await db.schema.createTable('orders')
  .addColumn('id', type('kid64'),
    (column) => column.primaryKey().defaultTo(next('kid64')))
  .addColumn('replaces', type('kid64'),
    (column) => column.references('orders.id'))
  .addColumn('item', 'text')
  .execute();

const orders = () => db.selectFrom('orders').selectAll();
const insert = (rows) => db.insertInto('orders').values(rows).returningAll();
await run({
  insert: (row) => insert(row).executeTakeFirst(),
  insertMany: (rows) => insert(rows).execute(),
  find: (id) => orders().where('id', '=', id).executeTakeFirst(),
  since: (time) => orders().where('id', '>=', at(time))
    .orderBy('id').limit(10).execute(),
  nested: async ({ id }) => (await insert({ item: 'milk', replaces: id }).executeTakeFirst()).replaces,
});
await db.destroy();
