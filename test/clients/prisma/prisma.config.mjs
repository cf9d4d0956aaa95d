import { externalTables } from 'pgkid/prisma';
import { defineConfig, env } from 'prisma/config';

export default defineConfig({
  schema: 'schema.prisma',
  datasource: { url: env('DATABASE_URL') },
  // Otherwise Prisma makes the columns of type kid64 text.
  ...externalTables(['public.orders']),
});
