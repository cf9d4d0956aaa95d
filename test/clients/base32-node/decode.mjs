// Reads orders by public IDs, with pg (node-postgres), and decodes them without the server.
import pg from 'pg';

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
for (const { id } of rows) console.log('decoded', id, String(decodeKid64(id, 'ord')));
for (const { id } of rows) console.log('upper', id, String(decodeKid64(`ord_${id.slice(4).toUpperCase()}`, 'ord')));

for (const { id } of rows) {
  const found = await client.query("SELECT id::text FROM orders WHERE id = kid64_decode($1, 'ord')", [id]);
  console.log('found', id, found.rows[0].id);
}

for (const line of (await client.query('SELECT encoded FROM wrong')).rows) {
  try {
    decodeKid64(line.encoded, 'ord');
  } catch (error) {
    console.log('refused', line.encoded, error.name);
  }
  await client.query("SELECT kid64_decode($1, 'ord')", [line.encoded]).catch(
    (error) => console.log('wrong', line.encoded, error.code));
}
await client.end();
