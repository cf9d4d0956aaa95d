// Orders with kid64 keys, by Sequelize.
import { DatabaseError, DataTypes, Op, Sequelize } from 'sequelize';

const sequelize = new Sequelize(process.env.DATABASE_URL, { logging: false });
const id = { type: 'kid64', primaryKey: true, defaultValue: sequelize.literal('kid_next()') };
const Order = sequelize.define('orders', { id, item: DataTypes.TEXT }, { timestamps: false });
const Line = sequelize.define('lines', { id, note: DataTypes.TEXT }, { timestamps: false });
Order.hasMany(Line, { as: 'lines', foreignKey: { name: 'order_id', type: 'kid64' } });
await sequelize.sync();

const order = await Order.create({ item: 'tea' });
console.log('inserted', order.id);

const batch = await Order.bulkCreate(Array(1000).fill({ item: 'batch' }), { returning: true });
for (const { id } of batch) console.log('batch', id);

console.log('found', (await Order.findByPk(order.id)).id);

const some = batch.slice(5, 8).map(({ id }) => id);
const listed = await Order.findAll({ where: { id: some } });
for (const { id } of listed) console.log('listed', id);

const since = sequelize.cast(new Date(Date.now() - 3600 * 1000), 'timestamptz');
const recent = await Order.findAll({ where: { id: { [Op.gte]: since } }, order: ['id'], limit: 10 });
for (const { id } of recent) console.log('recent', id);

const page = await Order.findAll({ where: { id: { [Op.gt]: recent.at(-1).id } }, order: ['id'], limit: 10 });
for (const { id } of page) console.log('page', id);

const [ids] = await sequelize.query('SELECT kid_next(1000) AS id');
await Order.bulkCreate(ids.map(({ id }) => ({ id, item: 'bulk' })));
for (const { id } of ids) console.log('bulk', id);

await order.createLine({ note: 'with milk' });
const nested = await Order.findByPk(order.id, { include: 'lines' });
console.log('nested', nested.lines[0].order_id);

try {
  await Order.findByPk('12345');
} catch (error) {
  if (error instanceof DatabaseError) console.log('wrong', error.original.code);
}

await sequelize.close();
