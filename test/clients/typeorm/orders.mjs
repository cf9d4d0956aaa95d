// Orders with kid64 keys, by TypeORM.
import typeorm from 'typeorm';

const { DataSource, EntitySchema, In, MoreThan, QueryFailedError, Raw } = typeorm;

const id = { type: 'kid64', primary: true, default: () => 'kid_next()' };
const Order = new EntitySchema({
  name: 'Order',
  tableName: 'orders',
  columns: { id, item: { type: 'text' } },
  relations: { lines: { type: 'one-to-many', target: 'Line', inverseSide: 'order' } },
});
const Line = new EntitySchema({
  name: 'Line',
  tableName: 'lines',
  columns: { id, note: { type: 'text' } },
  relations: {
    order: { type: 'many-to-one', target: 'Order', inverseSide: 'lines', joinColumn: { name: 'order_id' } },
  },
});

const source = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, entities: [Order, Line] });
// This must come before initialize(), which rejects types that are not in this list.
source.driver.supportedDataTypes.push('kid64');
await source.initialize();
await source.synchronize();
const changes = await source.driver.createSchemaBuilder().log();
if (changes.upQueries.length) throw new Error(JSON.stringify(changes.upQueries));

const orders = source.getRepository(Order);
const order = await orders.save({ item: 'tea' });
console.log('inserted', order.id);

const batch = (await orders.insert(Array.from({ length: 1000 }, () => ({ item: 'batch' })))).identifiers;
for (const { id } of batch) console.log('batch', id);

console.log('found', (await orders.findOneBy({ id: order.id })).id);

const some = batch.slice(5, 8).map(({ id }) => id);
const listed = await orders.findBy({ id: In(some) });
for (const { id } of listed) console.log('listed', id);

const since = new Date(Date.now() - 3600 * 1000);
const recent = await orders.find({
  where: { id: Raw((column) => `${column} >= :since::timestamptz`, { since }) }, order: { id: 'ASC' }, take: 10,
});
for (const { id } of recent) console.log('recent', id);

const page = await orders.find({ where: { id: MoreThan(recent.at(-1).id) }, order: { id: 'ASC' }, take: 10 });
for (const { id } of page) console.log('page', id);

const ids = await source.query('SELECT kid_next(1000) AS id');
await orders.insert(ids.map(({ id }) => ({ id, item: 'bulk' })));
for (const { id } of ids) console.log('bulk', id);

await source.getRepository(Line).save({ order, note: 'with milk' });
const nested = await source.getRepository(Line).findOne({ where: {}, relations: { order: true } });
console.log('nested', nested.order.id);

try {
  await orders.findOneBy({ id: '12345' });
} catch (error) {
  if (error instanceof QueryFailedError) console.log('wrong', error.code);
}

await source.destroy();
