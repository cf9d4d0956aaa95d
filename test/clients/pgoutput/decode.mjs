// What logical replication says of each kind of key: pgoutput, which PostgreSQL has, read by pg-logical-replication.
import assert from 'node:assert';
import pg from 'pg';
import { LogicalReplicationService, PgoutputPlugin } from 'pg-logical-replication';
import { arrived, kindsOf, printRow } from '../kinds.mjs';

const db = new pg.Client();
await db.connect();
const kinds = await kindsOf(db);
await db.query('CREATE PUBLICATION everything FOR ALL TABLES');
await db.query("SELECT pg_create_logical_replication_slot('pgoutput', 'pgoutput')");
await db.query('CALL insert_rows()');

const types = new Map(), relations = new Map(), rows = new Map();
const service = new LogicalReplicationService({ connectionString: process.env.DATABASE_URL });
const ended = new Promise((resolve, reject) => {
  service.on('data', (lsn, message) => {
    if (message.tag === 'type') types.set(message.typeOid, message);
    if (message.tag === 'relation') relations.set(message.name, message);
    if (message.tag === 'insert') rows.set(message.relation.name, [...rows.get(message.relation.name) ?? [], message.new.id]);
    if (message.tag === 'commit') resolve();
  });
  service.on('error', reject);
});
service.subscribe(new PgoutputPlugin({ protoVersion: 1, publicationNames: ['everything'] }), 'pgoutput').catch(() => {});
await ended;
await service.stop();
await db.query("SELECT pg_drop_replication_slot('pgoutput')");

printRow('pgoutput', kinds.map((kind) => {
  assert.deepEqual(relations.get(kind.name).keyColumns, ['id']);
  return arrived(kind, rows.get(kind.name));
}));

// A type that PostgreSQL does not have from the start is announced. For a domain the message has the name of the type under it.
printRow('pgoutput, the type it announces', kinds.map((kind) => {
  const { typeOid } = relations.get(kind.name).columns[0];
  return types.has(typeOid) ? `\`${types.get(typeOid).typeName}\`` : '–';
}));
await db.end();
