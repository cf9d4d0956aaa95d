// Orders with kid64 keys, by Prisma.
import assert from 'node:assert';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '@prisma/client';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const { rows: [{ oid: kid64Array }] } = await pool.query("SELECT 'kid64[]'::regtype::oid AS oid");
const adapter = new PrismaPg(pool, {
  // An array of IDs arrives as text.
  userDefinedTypeParser: async (oid, value) =>
    oid === kid64Array && value ? value.slice(1, -1).split(',').filter(Boolean) : value,
});
const prisma = new PrismaClient({ adapter });

const order = await prisma.order.create({ data: { item: 'tea', lines: { create: { note: 'with milk' } } } });
console.log('inserted', order.id);

const batch = await prisma.order.createManyAndReturn({ data: Array(1000).fill({ item: 'batch' }) });
for (const { id } of batch) console.log('batch', id);

console.log('found', (await prisma.order.findUnique({ where: { id: order.id } })).id);

const some = batch.slice(5, 8).map(({ id }) => id);
const listed = await prisma.order.findMany({ where: { id: { in: some } } });
for (const { id } of listed) console.log('listed', id);

const since = new Date(Date.now() - 3600 * 1000);
const recent = await prisma.$queryRaw`
  SELECT id, item FROM orders WHERE id >= ${since}::timestamptz ORDER BY id LIMIT 10`;
for (const { id } of recent) console.log('recent', id);

const page = await prisma.order.findMany({ where: { id: { gt: recent.at(-1).id } }, orderBy: { id: 'asc' }, take: 10 });
for (const { id } of page) console.log('page', id);

const ids = await prisma.$queryRaw`SELECT kid_next(1000) AS id`;
await prisma.order.createMany({ data: ids.map(({ id }) => ({ id, item: 'bulk' })) });
for (const { id } of ids) console.log('bulk', id);

const nested = await prisma.order.findUnique({ where: { id: order.id }, include: { lines: true } });
console.log('nested', nested.lines[0].orderId);

const parcel = await prisma.parcel.create({ data: { orders: some } });
assert.deepEqual(parcel.orders, some);
await prisma.parcel.create({ data: { orders: [] } });
assert.equal(await prisma.parcel.count({ where: { orders: { has: some[0] } } }), 1);
assert.deepEqual((await prisma.parcel.findMany({ orderBy: { id: 'asc' } })).map(({ orders }) => orders), [some, []]);

try {
  await prisma.order.findUnique({ where: { id: '12345' } });
} catch (error) {
  assert.equal(error.code, 'P2007');
  console.log('wrong', error.meta.driverAdapterError.cause.originalCode);
}

await prisma.$disconnect();
await pool.end();
