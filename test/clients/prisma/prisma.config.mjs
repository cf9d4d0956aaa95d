import { defineConfig, env } from 'prisma/config';

export default defineConfig({
  schema: 'schema.prisma',
  datasource: { url: env('DATABASE_URL') },
  // Otherwise Prisma makes the columns of type kid64 text.
  experimental: { externalTables: true },
  tables: { external: ['public.orders'] },
});
