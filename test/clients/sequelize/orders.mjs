// Orders with kid64 keys, by Sequelize.
import { DatabaseError, DataTypes, Op, Sequelize } from 'sequelize';
import { run } from '../steps.mjs';

const sequelize = new Sequelize(process.env.DATABASE_URL, { logging: false });
const id = { type: 'kid64', primaryKey: true, defaultValue: sequelize.literal('kid_next()') };
const Order = sequelize.define('orders', { id, item: DataTypes.TEXT }, { timestamps: false });
const Line = sequelize.define('lines', { id, note: DataTypes.TEXT }, { timestamps: false });
Order.hasMany(Line, { as: 'lines', foreignKey: { name: 'order_id', type: 'kid64' } });
await sequelize.sync();

const since = (time) => Order.findAll({
  where: { id: { [Op.gte]: sequelize.cast(time, 'timestamptz') } }, order: ['id'], limit: 10,
});

await run({
  insert: (row) => Order.create(row),
  insertMany: (rows) => Order.bulkCreate(rows, { returning: true }),
  find: (id) => Order.findByPk(id),
  list: (some) => Order.findAll({ where: { id: some } }),
  since,
  after: (last) => Order.findAll({ where: { id: { [Op.gt]: last } }, order: ['id'], limit: 10 }),
  next: async (query) => (await sequelize.query(query))[0],
  load: (rows) => Order.bulkCreate(rows),
  nested: async (order) => {
    await order.createLine({ note: 'with milk' });
    return (await Order.findByPk(order.id, { include: 'lines' })).lines[0].order_id;
  },
  code: (error) => error instanceof DatabaseError && error.original.code,
});
await sequelize.close();
