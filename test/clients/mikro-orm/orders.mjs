// Orders with kid64 keys, by MikroORM.
import { DriverException, EntitySchema, MikroORM, raw } from '@mikro-orm/postgresql';
import { run } from '../steps.mjs';

const id = {
  type: 'string',
  columnType: 'kid64',
  primary: true,
  defaultRaw: 'kid_next()',
};
const item = { type: 'text' };
const replaces = { kind: 'm:1', entity: () => Order, nullable: true };
const Order = new EntitySchema({ name: 'Order', tableName: 'orders', properties: { id, item, replaces } });

const orm = await MikroORM.init({ clientUrl: process.env.DATABASE_URL, entities: [Order] });
await orm.schema.create();
const changes = await orm.schema.getUpdateSchemaSQL();
if (changes) throw new Error(changes);

const em = orm.em.fork();
const since = (time) => em.find(
  Order, { id: { $gte: raw('?::timestamptz', [time]) } },
  { orderBy: { id: 'asc' }, limit: 10 });

async function insertMany(rows) {
  const batch = rows.map((row) => em.create(Order, row));
  await em.flush();
  return batch;
}

await run({
  insert: async (row) => (await insertMany([row]))[0],
  insertMany, since,
  find: (id) => em.fork().findOneOrFail(Order, { id }),
  nested: async (order) => {
    await insertMany([{ item: 'milk', replaces: order }]);
    return (await em.fork().findOneOrFail(Order, { replaces: order.id }, { populate: ['replaces'] })).replaces.id;
  },
  code: (error) => error instanceof DriverException && error.code,
});
await orm.close();
