// Orders with kid64 keys, by Prisma.
import assert from 'node:assert';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '@prisma/client';
import pg from 'pg';
import { run } from '../steps.mjs';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const { rows: [{ oid: kid64Array }] } = await pool.query("SELECT 'kid64[]'::regtype::oid AS oid");
const adapter = new PrismaPg(pool, {
  // An array of IDs arrives as text.
  userDefinedTypeParser: async (oid, value) =>
    oid === kid64Array && value ? value.slice(1, -1).split(',').filter(Boolean) : value,
});
const prisma = new PrismaClient({ adapter });

const since = (time) => prisma.$queryRaw`
  SELECT id, item FROM orders WHERE id >= ${time}::timestamptz ORDER BY id LIMIT 10`;

const { some } = await run({
  insert: (row) => prisma.order.create({ data: { ...row, lines: { create: { note: 'with milk' } } } }),
  insertMany: (data) => prisma.order.createManyAndReturn({ data }),
  find: async (id) => prisma.order.findUnique({ where: { id } }),
  list: (some) => prisma.order.findMany({ where: { id: { in: some } } }),
  since,
  after: (last) => prisma.order.findMany({ where: { id: { gt: last } }, orderBy: { id: 'asc' }, take: 10 }),
  next: (query) => prisma.$queryRawUnsafe(query),
  load: (data) => prisma.order.createMany({ data }),
  nested: async ({ id }) => (await prisma.order.findUnique({ where: { id }, include: { lines: true } })).lines[0].orderId,
  code: (error) => error.code === 'P2007' && error.meta.driverAdapterError.cause.originalCode,
});

const parcel = await prisma.parcel.create({ data: { orders: some } });
assert.deepEqual(parcel.orders, some);
await prisma.parcel.create({ data: { orders: [] } });
assert.equal(await prisma.parcel.count({ where: { orders: { has: some[0] } } }), 1);
assert.deepEqual((await prisma.parcel.findMany({ orderBy: { id: 'asc' } })).map(({ orders }) => orders), [some, []]);

await prisma.$disconnect();
await pool.end();
