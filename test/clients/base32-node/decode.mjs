// Reads orders by public IDs, with pg (node-postgres), and decodes them without the server.
import pg from 'pg';
import { run } from '../texts.mjs';

const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

// Returns the 64 bits of a kid64 from what kid_encode(id, prefix) returned.
function decodeKid64(text, prefix) {
  const match = text.match(`^${prefix}_([0-9A-Fa-f][0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{12})$`);
  if (!match) throw new RangeError(`not an ID: ${text}`);
  return [...match[1].toLowerCase()].reduce((bits, digit) => bits * 32n + BigInt(DIGITS.indexOf(digit)), 0n);
}

const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
const { rows } = await client.query("SELECT kid_encode(id, 'ord') AS id FROM orders");
const ids = rows.map(({ id }) => id);
for (const id of ids) console.log('upper', id, String(decodeKid64(`ord_${id.slice(4).toUpperCase()}`, 'ord')));
await run(client, ids, decodeKid64, 'kid64_decode');
await client.end();
