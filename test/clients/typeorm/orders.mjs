// Orders with kid64 keys, by TypeORM.
import typeorm from 'typeorm';
import { run } from '../steps.mjs';

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
const since = (time) => orders.find({
  where: { id: Raw((column) => `${column} >= :time::timestamptz`, { time }) }, order: { id: 'ASC' }, take: 10,
});

await run({
  insert: (row) => orders.save(row),
  insertMany: async (rows) => (await orders.insert(rows)).identifiers,
  find: (id) => orders.findOneBy({ id }),
  list: (some) => orders.findBy({ id: In(some) }),
  since,
  after: (last) => orders.find({ where: { id: MoreThan(last) }, order: { id: 'ASC' }, take: 10 }),
  next: (query) => source.query(query),
  load: (rows) => orders.insert(rows),
  nested: async (order) => {
    const lines = source.getRepository(Line);
    await lines.save({ order, note: 'with milk' });
    return (await lines.findOne({ where: {}, relations: { order: true } })).order.id;
  },
  code: (error) => error instanceof QueryFailedError && error.code,
});
await source.destroy();
