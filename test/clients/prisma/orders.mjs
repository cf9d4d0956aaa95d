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

const some = await run({
  insert: (row) => prisma.order.create({ data: { ...row, newer: { create: { item: 'milk' } } } }),
  insertMany: (data) => prisma.order.createManyAndReturn({ data }),
  find: async (id) => prisma.order.findUnique({ where: { id } }),
  since,
  nested: async ({ id }) => (
    await prisma.order.findUnique({ where: { id }, include: { newer: true } })).newer[0].replacesId,
  code: (error) => error.code === 'P2007' && error.meta.driverAdapterError.cause.originalCode,
});

for (const related of [some, []]) {
  assert.deepEqual((await prisma.order.create({ data: { item: 'milk', related } })).related, related);
}
assert.equal(await prisma.order.count({ where: { related: { has: some[0] } } }), 1);

await prisma.$disconnect();
await pool.end();
