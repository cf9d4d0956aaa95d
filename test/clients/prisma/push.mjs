// What `prisma db push` and `prisma db pull` do with the tables. The command downloads an engine; this is the same one in
// WebAssembly, from npm.
import assert from 'node:assert';
import { readFileSync } from 'node:fs';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import Result from 'pg/lib/result.js';
import config from './prisma.config.mjs';

// The adapter does not know "char", a type in the catalogs. The engine takes its columns as text, but for one, which has a
// row for each NOT NULL from PostgreSQL 18 on: that gets the type that the adapter has for an array of "char".
ColumnTypeEnum.CharacterArray = ColumnTypeEnum.Character;
const { addFields } = Result.prototype;
Result.prototype.addFields = function (fields) {
  const chars = fields.filter((field) => field.dataTypeID === 18);
  for (const field of chars) field.dataTypeID = 25;
  addFields.call(this, fields);
  for (const field of chars) if (field.name === 'constraint_type') field.dataTypeID = 1002;
};

const module = new URL('schema_engine_bg.wasm', import.meta.resolve('@prisma/schema-engine-wasm/schema_engine_bg'));
const { instance } = await WebAssembly.instantiate(readFileSync(module), { './schema_engine_bg.js': bindings });
bindings.__wbg_set_wasm(instance.exports);
instance.exports.__wbindgen_start();

const path = 'schema.prisma';
const content = readFileSync(path, 'utf8');
const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: process.env.DATABASE_URL }));
const engine = await bindings.SchemaEngine.new({ datamodels: [[path, content]] }, () => {}, adapter);
const schema = { files: [{ path, content }] };

const pushed = await engine.schemaPush({
  force: false, schema, filters: { externalTables: config.tables.external, externalEnums: [] },
});
assert.deepEqual([pushed.warnings, pushed.unexecutable], [[], []]);

const pulled = await engine.introspect({ schema, baseDirectoryPath: '/', force: true, compositeTypeDepth: -1, namespaces: null });
const seen = pulled.schema.files[0].content;
assert.match(seen, /model Customer/);
assert.match(seen, /id +Unsupported\("kid64"\) +@id/);
process.exit();
