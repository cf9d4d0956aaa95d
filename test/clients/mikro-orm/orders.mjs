// Orders with kid64 keys, by MikroORM.
import { DriverException, EntitySchema, MikroORM, raw } from '@mikro-orm/postgresql';
import { run } from '../steps.mjs';

const id = { type: 'string', columnType: 'kid64', primary: true, defaultRaw: 'kid_next()' };
const Order = new EntitySchema({
  name: 'Order',
  tableName: 'orders',
  properties: { id, item: { type: 'text' }, lines: { kind: '1:m', entity: () => Line, mappedBy: 'order' } },
});
const Line = new EntitySchema({
  name: 'Line',
  tableName: 'lines',
  properties: { id, order: { kind: 'm:1', entity: () => Order, joinColumn: 'order_id' }, note: { type: 'text' } },
});

const orm = await MikroORM.init({ clientUrl: process.env.DATABASE_URL, entities: [Order, Line] });
await orm.schema.create();
const changes = await orm.schema.getUpdateSchemaSQL();
if (changes) throw new Error(changes);

let em = orm.em.fork();
const since = (time) => em.find(
  Order, { id: { $gte: raw('?::timestamptz', [time]) } }, { orderBy: { id: 'asc' }, limit: 10 });

await run({
  insert: async (row) => {
    const order = em.create(Order, row);
    em.create(Line, { order, note: 'with milk' });
    await em.flush();
    return order;
  },
  insertMany: async (rows) => {
    const batch = rows.map((row) => em.create(Order, row));
    await em.flush();
    em = orm.em.fork();
    return batch;
  },
  find: (id) => em.findOneOrFail(Order, { id }),
  list: (some) => em.find(Order, { id: { $in: some } }),
  since,
  after: (last) => em.find(Order, { id: { $gt: last } }, { orderBy: { id: 'asc' }, limit: 10 }),
  next: (query) => em.execute(query),
  load: (rows) => em.insertMany(Order, rows),
  nested: async ({ id }) => {
    em = orm.em.fork();
    return (await em.findOneOrFail(Order, id, { populate: ['lines'] })).lines[0].order.id;
  },
  code: (error) => error instanceof DriverException && error.code,
});
await orm.close();
