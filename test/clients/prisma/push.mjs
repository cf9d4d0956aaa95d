// What `prisma db push` and `prisma db pull` do with the tables.
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { pull, schemaEngine } from './engine.mjs';
import config from './prisma.config.mjs';

const path = 'schema.prisma';
const content = readFileSync(path, 'utf8');
const engine = await schemaEngine(path, content);
const pushed = await engine.schemaPush({
  force: false,
  schema: { files: [{ path, content }] },
  filters: { externalTables: config.tables.external, externalEnums: [] },
});
assert.deepEqual([pushed.warnings, pushed.unexecutable], [[], []]);

const seen = await pull(engine, path, content);
assert.match(seen, /model Customer/);
assert.match(seen, /id +Unsupported\("kid64"\) +@id/);
process.exit();
