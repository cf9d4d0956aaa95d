// Orders with kid64 keys, by Prisma.
import assert from 'node:assert';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '@prisma/client';
import pg from 'pg';
import { kid64 } from 'pgkid';
import { adapterOptions, times, within } from 'pgkid/prisma';
import { run } from '../steps.mjs';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const adapter = new PrismaPg(pool, adapterOptions());
const prisma = new PrismaClient({ adapter })
  .$extends(times({ order: 'createdAt' }));

const since = (time) => prisma.order.findMany({
  where: { id: within(time) }, orderBy: { id: 'asc' }, take: 10,
});

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

const { id, createdAt } = await prisma.order.findFirst();
assert.deepEqual(createdAt, kid64.time(id));

await prisma.$disconnect();
await pool.end();
