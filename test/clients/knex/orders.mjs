// Orders with kid64 keys, by knex, with objection.
import Knex from 'knex';
import { Model } from 'objection';
import { run } from '../steps.mjs';

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
await run({
  insert: async (row) => (await knex('orders').insert(row).returning('id'))[0],
  insertMany: (rows) => knex.batchInsert('orders', rows).returning('id'),
  find: async (id) => knex('orders').where({ id }).first(),
  list: (some) => knex('orders').whereIn('id', some),
  since: (time) => knex('orders').whereRaw('id >= ?::timestamptz', [time]).orderBy('id').limit(10),
  after: (last) => knex('orders').where('id', '>', last).orderBy('id').limit(10),
  next: async (query) => (await knex.raw(query)).rows,
  load: (rows) => knex.batchInsert('orders', rows),
  nested: async ({ id }) => {
    await Order.relatedQuery('lines').for(id).insert({ note: 'with milk' });
    return (await Order.query().findById(id).withGraphFetched('lines')).lines[0].order_id;
  },
});
await knex.destroy();
