// Orders with kid64 keys, by MikroORM.
import { DriverException, EntitySchema, MikroORM, raw } from '@mikro-orm/postgresql';

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
const order = em.create(Order, { item: 'tea' });
em.create(Line, { order, note: 'with milk' });
await em.flush();
console.log('inserted', order.id);

const batch = Array.from({ length: 1000 }, () => em.create(Order, { item: 'batch' }));
await em.flush();
for (const { id } of batch) console.log('batch', id);

em = orm.em.fork();
console.log('found', (await em.findOneOrFail(Order, order.id)).id);

const some = batch.slice(5, 8).map(({ id }) => id);
const listed = await em.find(Order, { id: { $in: some } });
for (const { id } of listed) console.log('listed', id);

const since = new Date(Date.now() - 3600 * 1000);
const recent = await em.find(
  Order, { id: { $gte: raw('?::timestamptz', [since]) } }, { orderBy: { id: 'asc' }, limit: 10 });
for (const { id } of recent) console.log('recent', id);

const page = await em.find(Order, { id: { $gt: recent.at(-1).id } }, { orderBy: { id: 'asc' }, limit: 10 });
for (const { id } of page) console.log('page', id);

const ids = await em.execute('SELECT kid_next(1000) AS id');
await em.insertMany(Order, ids.map(({ id }) => ({ id, item: 'bulk' })));
for (const { id } of ids) console.log('bulk', id);

em = orm.em.fork();
const nested = await em.findOneOrFail(Order, order.id, { populate: ['lines'] });
console.log('nested', nested.lines[0].order.id);

try {
  await em.find(Order, { id: '12345' });
} catch (error) {
  if (error instanceof DriverException) console.log('wrong', error.code);
}

await orm.close();
