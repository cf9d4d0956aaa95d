// What JavaScript makes of the JSON that PostgreSQL writes, as PostgREST, Hasura and Supabase send it to browsers.
import pg from 'pg';
import { arrived, kindsOf, printRow } from '../kinds.mjs';

const db = new pg.Client();
await db.connect();
const kinds = await kindsOf(db);
await db.query('CALL insert_rows()');

const cells = [];
for (const kind of kinds) {
  const { rows: [{ rows }] } = await db.query(`SELECT json_agg(t ORDER BY id)::text AS rows FROM ${kind.name} AS t`);
  cells.push(arrived(kind, JSON.parse(rows).map(({ id }) => id)));
}
printRow('JSON, read as JavaScript does', cells);
await db.end();
