// What `drizzle-kit introspect` makes of each kind of key, and what the ORM returns by that.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { drizzle } from 'drizzle-orm/node-postgres';
import { bigint, pgTable, uuid } from 'drizzle-orm/pg-core';
import { arrived, kindsOf, printRow } from '../kinds.mjs';

const db = drizzle(process.env.DATABASE_URL);
const kinds = await kindsOf(db.$client);
await db.$client.query('CALL insert_rows()');
execFileSync('node', ['node_modules/drizzle-kit/bin.cjs', 'introspect', '--dialect', 'postgresql',
  '--url', process.env.DATABASE_URL, '--out', 'pulled'], { stdio: ['ignore', 2, 2] });
const pulled = readFileSync('pulled/schema.ts', 'utf8');

// The file calls `unknown()`, which does not exist, so it does not run before a person has changed these lines.
const known = { 'bigint({ mode: "number" })': () => bigint({ mode: 'number' }), 'uuid()': uuid };
const cells = [];
for (const kind of kinds) {
  const [, declared] = pulled.match(`pgTable\\("${kind.name}", \\{\n(?:\\s*//.*\n)?\\s*id: (\\w+\\(.*?\\))\\.primaryKey\\(\\)`);
  if (declared === 'unknown("id")') {
    cells.push('no type');
    continue;
  }
  const table = pgTable(kind.name, { id: known[declared]().primaryKey() });
  const rows = await db.select().from(table).orderBy(table.id);
  cells.push(arrived(kind, rows.map(({ id }) => id)));
}
printRow("Drizzle's introspection", cells);
await db.$client.end();
