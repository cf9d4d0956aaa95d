// Orders with kid64 keys, by TypeORM.
import { key, registerTypes, Since } from 'pgkid/typeorm';
import typeorm from 'typeorm';
import { run } from '../steps.mjs';

const { DataSource, EntitySchema, QueryFailedError } = typeorm;

const id = key('kid64');
const item = { type: 'text' };
const replaces = { type: 'many-to-one', target: 'Order' };
const Order = new EntitySchema({ name: 'Order', tableName: 'orders', columns: { id, item }, relations: { replaces } });

const source = new DataSource({
  type: 'postgres', url: process.env.DATABASE_URL, entities: [Order],
});
// Before initialize(), which rejects types that TypeORM does not know.
registerTypes(source);
await source.initialize();
await source.synchronize();
const changes = await source.driver.createSchemaBuilder().log();
if (changes.upQueries.length) throw new Error(JSON.stringify(changes.upQueries));

const orders = source.getRepository(Order);
const since = (time) => orders.find({
  where: { id: Since(time) }, order: { id: 'ASC' }, take: 10,
});

await run({
  insert: (row) => orders.save(row),
  insertMany: async (rows) => (await orders.insert(rows)).identifiers,
  find: (id) => orders.findOneBy({ id }),
  since,
  nested: async (order) => {
    const { id } = await orders.save({ item: 'milk', replaces: order });
    return (await orders.findOne({ where: { id }, relations: { replaces: true } })).replaces.id;
  },
  code: (error) => error instanceof QueryFailedError && error.code,
});
await source.destroy();
