// Orders with kid64 keys, by Prisma.
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '@prisma/client';

const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: process.env.DATABASE_URL }) });

await prisma.$executeRaw`CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text NOT NULL)`;
await prisma.$executeRaw`
  CREATE TABLE lines (id kid64 PRIMARY KEY DEFAULT kid_next(), order_id kid64 NOT NULL REFERENCES orders,
    note text NOT NULL)`;

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

try {
  await prisma.order.findUnique({ where: { id: '12345' } });
} catch (error) {
  console.log('wrong', error.cause.originalCode);
}

await prisma.$disconnect();
