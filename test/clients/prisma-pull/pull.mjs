// The type that `prisma db pull` writes for each kind of key.
import { writeSync } from 'node:fs';
import pg from 'pg';
import { kindsOf } from '../kinds.mjs';
import { pull, schemaEngine } from './engine.mjs';

const db = new pg.Client();
await db.connect();
const kinds = await kindsOf(db);
await db.end();

const path = 'schema.prisma';
const content = 'datasource db {\n  provider = "postgresql"\n}\n';
const pulled = await pull(await schemaEngine(path, content), path, content);
const cells = kinds.map(({ name }) => {
  const [, type] = pulled.match(`model ${name} \\{\n *id +(\\S+) .*@id`);
  return `\`${type}\``;
});
// The engine keeps the program from ending.
writeSync(1, `${["Prisma's introspection", ...cells].join('\t')}\n`);
process.exit();
