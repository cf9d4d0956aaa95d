// Orders with kid64 keys, by knex, with objection.
import Knex from 'knex';
import { Model } from 'objection';
import { run } from '../steps.mjs';

const knex = Knex({ client: 'pg', connection: process.env.DATABASE_URL });

await knex.schema.createTable('orders', (table) => {
  table.specificType('id', 'kid64').primary()
    .defaultTo(knex.raw('kid_next()'));
  table.specificType('replaces', 'kid64').references('orders.id');
  table.text('item');
});

class Order extends Model {
  static tableName = 'orders';
  static relationMappings = {
    newer: { relation: Model.HasManyRelation, modelClass: Order, join: { from: 'orders.id', to: 'orders.replaces' } },
  };
}

Model.knex(knex);
await run({
  insert: async (row) => (await knex('orders').insert(row).returning('id'))[0],
  insertMany: (rows) => knex.batchInsert('orders', rows).returning('id'),
  find: async (id) => knex('orders').where({ id }).first(),
  since: (time) => knex('orders').whereRaw('id >= ?::timestamptz', [time])
    .orderBy('id').limit(10),
  nested: async ({ id }) => {
    await Order.relatedQuery('newer').for(id).insert({ item: 'milk' });
    return (await Order.query().findById(id).withGraphFetched('newer')).newer[0].replaces;
  },
});
await knex.destroy();
