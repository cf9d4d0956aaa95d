// Answers requests for sealed IDs, with Express and pg: the server unseals some, and this program others.
import assert from 'node:assert';
import { once } from 'node:events';
import express from 'express';
import pg from 'pg';
import { kid64 } from 'pgkid';
import { sealed } from 'pgkid/express';
import { isSealed } from 'pgkid/seal';
import { Keys } from 'pgkid/seal';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const query = async (...args) => (await pool.query(...args)).rows;
const app = express();

app.param('order', sealed('ord'));

app.get('/orders/:order', async (request, response, next) => {
  const { rows: [order] } = await pool.query(
    `SELECT kid_seal(id, 'ord') AS id, item FROM orders
      WHERE id = kid64_unseal($1, 'ord', true)`, [request.params.order]);
  if (order) response.json(order); else next();
});

const keys = new Keys(await query('SELECT * FROM exported'));
app.param('id', sealed('ord', { keys }));

app.get('/by_keys/:id', async (request, response, next) => {
  const { id } = request.params;
  const [order] = await query(
    'SELECT item FROM orders WHERE id = $1', [id]);
  if (!order) return next();
  response.json({ id: keys.seal(kid64, id, 'ord'), ...order });
});

app.get('/orders', async ({ query: { after } }, response) => {
  if (after !== undefined && !isSealed(after, 'ord')) {
    response.status(400).end();
    return;
  }
  const { rows } = await pool.query(
    `SELECT kid_seal(id, 'ord') AS id, item FROM orders
      WHERE $1::text IS NULL OR id > (SELECT kid64_unseal($1, 'ord', true))
      ORDER BY orders.id LIMIT 100`, [after]);
  response.json(rows);
});

app.use((error, request, response, next) => {
  next(error instanceof URIError ? undefined : error);
});

const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
for (const { encoded } of await query('SELECT encoded FROM texts UNION ALL SELECT encoded FROM wrong')) {
  const [byServer, byKeys] = await Promise.all(['orders', 'by_keys'].map(async (folder) => {
    const response = await fetch(`http://127.0.0.1:${server.address().port}/${folder}/${encoded}`);
    return [response.status, Object.fromEntries(response.headers), response.ok && await response.json()];
  }));
  const [status, headers, body] = byServer;
  assert.deepEqual([byKeys[0], byKeys[2]], [status, body]);
  console.log(status, encoded, body ? JSON.stringify([headers, body]) : '-');
}

const list = async (search) => fetch(`http://127.0.0.1:${server.address().port}/orders${search}`);
const listed = [];
for (let page = await (await list('')).json(); page.length > 0;) {
  listed.push(...page.map(({ id }) => keys.unseal(kid64, id, 'ord')));
  page = await (await list(`?after=${page.at(-1).id}`)).json();
}
assert.deepEqual(listed, (await query('SELECT id FROM orders ORDER BY id')).map(({ id }) => id));
const forms = ['after=%00', 'after=ord_0', `after=${'0'.repeat(26)}`, 'after=a&after=b'];
for (const form of forms) assert.equal((await list(`?${form}`)).status, 400, form);
const wrongEscape = await fetch(`http://127.0.0.1:${server.address().port}/orders/%zz`);
assert.equal(wrongEscape.status, 404);
server.close();
await pool.end();
