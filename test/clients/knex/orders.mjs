// Orders with kid64 keys, by knex, with objection.
import Knex from 'knex';
import { Model } from 'objection';

const knex = Knex({ client: 'pg', connection: process.env.DATABASE_URL });

await knex.schema.createTable('orders', (table) => {
  table.specificType('id', 'kid64').primary().defaultTo(knex.raw('kid_next()'));
  table.text('item');
});
await knex.schema.createTable('lines', (table) => {
  table.specificType('id', 'kid64').primary().defaultTo(knex.raw('kid_next()'));
  table.specificType('order_id', 'kid64').references('orders.id');
  table.text('note');
});

const [{ id: orderId }] = await knex('orders').insert({ item: 'tea' }).returning('id');
console.log('inserted', orderId);

const batch = await knex.batchInsert('orders', Array(1000).fill({ item: 'batch' })).returning('id');
for (const { id } of batch) console.log('batch', id);

const found = await knex('orders').where({ id: orderId }).first();
console.log('found', found.id);

const some = batch.slice(5, 8).map(({ id }) => id);
const listed = await knex('orders').whereIn('id', some);
for (const { id } of listed) console.log('listed', id);

const since = new Date(Date.now() - 3600 * 1000);
const recent = await knex('orders').whereRaw('id >= ?::timestamptz', [since]).orderBy('id').limit(10);
for (const { id } of recent) console.log('recent', id);

const page = await knex('orders').where('id', '>', recent.at(-1).id).orderBy('id').limit(10);
for (const { id } of page) console.log('page', id);

const { rows: ids } = await knex.raw('SELECT kid_next(1000) AS id');
await knex.batchInsert('orders', ids.map(({ id }) => ({ id, item: 'bulk' })));
for (const { id } of ids) console.log('bulk', id);

try {
  await knex('orders').where({ id: '12345' });
} catch (error) {
  console.log('wrong', error.code);
}

class Line extends Model {
  static tableName = 'lines';
}

class Order extends Model {
  static tableName = 'orders';
  static relationMappings = {
    lines: { relation: Model.HasManyRelation, modelClass: Line, join: { from: 'orders.id', to: 'lines.order_id' } },
  };
}

Model.knex(knex);
await Order.relatedQuery('lines').for(orderId).insert({ note: 'with milk' });
const order = await Order.query().findById(orderId).withGraphFetched('lines');
console.log('nested', order.lines[0].order_id);

await knex.destroy();
