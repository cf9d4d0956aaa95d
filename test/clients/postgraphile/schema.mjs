// What PostGraphile 5 makes of each kind of key: the field of a table's type, and what a query returns.
import { grafast } from 'grafast';
import pg from 'pg';
import { makeSchema } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { arrived, kindsOf, printRow } from '../kinds.mjs';

const db = new pg.Client();
await db.connect();
const kinds = await kindsOf(db);
await db.query('CALL insert_rows()');

// It writes a warning for each type that it does not know.
const { log } = console;
console.log = console.warn = console.error;
const { schema, resolvedPreset } = await makeSchema({
  extends: [PostGraphileAmberPreset],
  pgServices: [makePgService({ connectionString: process.env.DATABASE_URL, schemas: ['public'] })],
});
console.log = log;

// A column named id becomes the field rowId, because id is that of the interface Node.
const cells = [];
for (const kind of kinds) {
  const name = kind.name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
  const fields = schema.getType(name[0].toUpperCase() + name.slice(1)).getFields();
  if (!fields.rowId) {
    cells.push('missing');
    continue;
  }
  const rows = [];
  for (const id of kind.ids) {
    const source = `{ row: ${name}ByRowId(rowId: "${id}") { rowId } }`;
    const { data, errors } = await grafast({ schema, source, resolvedPreset, requestContext: {} });
    if (errors) throw errors[0];
    rows.push(data.row.rowId);
  }
  cells.push(arrived(kind, rows));
}
printRow('PostGraphile 5', cells);
await db.end();
process.exit();
