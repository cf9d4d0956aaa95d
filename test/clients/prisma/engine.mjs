// Prisma's engine for migrations, in WebAssembly, from npm: the commands of Prisma download it as a program.
import { readFileSync } from 'node:fs';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory, ColumnTypeEnum } from '@prisma/driver-adapter-utils';
import * as bindings from '@prisma/schema-engine-wasm/schema_engine_bg';
import Result from 'pg/lib/result.js';

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

// Returns the engine for the schema in a file with this content.
export async function schemaEngine(path, content) {
  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: process.env.DATABASE_URL }));
  return bindings.SchemaEngine.new({ datamodels: [[path, content]] }, () => {}, adapter);
}

// Returns what `prisma db pull` writes into that file.
export async function pull(engine, path, content) {
  const schema = { files: [{ path, content }] };
  const pulled = await engine.introspect({ schema, baseDirectoryPath: '/', force: true, compositeTypeDepth: -1, namespaces: null });
  return pulled.schema.files[0].content;
}
