// Orders with kid64 keys, by Sequelize.
import { DatabaseError, DataTypes, Op, Sequelize } from 'sequelize';
import { run } from '../steps.mjs';

const sequelize = new Sequelize(process.env.DATABASE_URL, { logging: false });
const id = {
  type: 'kid64',
  primaryKey: true,
  defaultValue: sequelize.literal('kid_next()'),
};
const Order = sequelize.define(
  'orders', { id, item: DataTypes.TEXT }, { timestamps: false });
Order.hasMany(
  Order, { as: 'newer', foreignKey: { name: 'replaces', type: 'kid64' } });
await sequelize.sync();

const since = (time) => Order.findAll({
  where: { id: { [Op.gte]: sequelize.cast(time, 'timestamptz') } },
  order: ['id'],
  limit: 10,
});

await run({
  insert: (row) => Order.create(row),
  insertMany: (rows) => Order.bulkCreate(rows, { returning: true }),
  find: (id) => Order.findByPk(id),
  since,
  nested: async (order) => {
    await order.createNewer({ item: 'milk' });
    return (await Order.findByPk(order.id, { include: 'newer' })).newer[0].replaces;
  },
  code: (error) => error instanceof DatabaseError && error.original.code,
});
await sequelize.close();
