// A program in TypeScript, which is checked and not run: a line that has to be an error says so.
import { kid53, kid64, uuidv7, type IdType, type Time } from 'pgkid';
import { kid53 as numeric, kid64 as column, next, seal, since, unseal } from 'pgkid/drizzle';
import { eq, type SQL } from 'drizzle-orm';
import { pgTable } from 'drizzle-orm/pg-core';
import type { Selectable } from 'kysely';
import type { GeneratedId, GeneratedNumber } from 'pgkid/kysely';
import { within } from 'pgkid/prisma';
import { consume } from 'pgkid/consumer';
import { isSealed, Keys } from 'pgkid/seal';
import { NoWindow, Worker } from 'pgkid/worker';

const id: string = kid64.floor(new Date());
const number: number = kid53.fromText('5');
const sequence: number = kid64.parts(id).sequence;
const maybe: Date | null = uuidv7.time('018f3b5c-7d4e-7abc-8def-0123456789ab');
const times: Date[] = [id].map(kid64.time);
const type: IdType<string, object> = kid64;
const time: Time = 5n;

// @ts-expect-error: kid53 is a number
kid53.time('5');
// @ts-expect-error: the time may be null
const never: Date = uuidv7.time('');
// @ts-expect-error: a kid64 has no node
kid64.parts(id).node;

const orders = pgTable('orders', { id: column('id').primaryKey().default(next('kid64')), visit: numeric('visit'),
  replaces: column('replaces') });
const order: typeof orders.$inferSelect = { id: '', visit: 5, replaces: null };
// @ts-expect-error: the database makes the ID, and the visit is a number
const made: typeof orders.$inferInsert = { visit: '5' };
const condition = since(orders.id, new Date());
const sealed: SQL<string> = seal(orders.id, 'ord');
// A column that can be null has sealed IDs that can be null.
const replaced: SQL<string | null> = seal(orders.replaces, 'ord');
// @ts-expect-error: so this is null, too
const notNull: SQL<string> = seal(orders.replaces, 'ord');
const unsealed: SQL = eq(orders.id, unseal(orders.id, '', 'ord'));
const row: Selectable<{ id: GeneratedId, visit: GeneratedNumber }> = { id: '', visit: 5 };
const filter: { gte?: number, lt?: number } = within(new Date(), undefined, kid53);
const opened: number | null = new Keys('').open(kid53, '', 'ord');

const connect = async () => ({ query: async () => ({ rows: [] }), on: () => {}, end: async () => {} });
const flakes = new Worker({ connect, pool: 'orders', ids: 'flake', ttl: 2, holder: 'pod-7' });
const flake: Promise<string> = flakes.next();
const visit: Promise<number> = new Worker({ connect, pool: 'visits', ids: 'kid53' }).next();
// @ts-expect-error: a flake is a string
const wrong: Promise<number> = flakes.next();
// @ts-expect-error: no worker makes these
new Worker({ connect, pool: 'orders', ids: 'flax' });
// @ts-expect-error: there is no pool
new Worker({ connect, ids: 'flake' });
const isLate = (error: unknown): unknown => (error instanceof NoWindow ? error.cause : undefined);

declare const parameter: string | string[] | undefined;
const cursor: string | undefined = isSealed(parameter, 'ord') ? parameter : undefined;

type Event = { id: string, payload: string };
const options = { pool: {} as Parameters<typeof consume>[0]['pool'], table: 'events', name: 'billing' };
consume<Event>({ ...options, handle: (rows) => rows.map(({ payload }) => payload.length) });
// @ts-expect-error: a row has no text
consume<Event>({ ...options, handle: (rows) => rows.map(({ text }) => text) });
consume({ ...options, handle: (rows) => rows.map(({ text }) => text) });

export { cursor };
export { flake, visit, wrong, isLate };
export { order, made, condition, sealed, replaced, notNull, unsealed, row, filter, opened };
export { id, number, sequence, maybe, times, type, time, never };
