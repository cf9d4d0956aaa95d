// Answers requests for sealed IDs, with Express and pg.
import { once } from 'events';
import express from 'express';
import pg from 'pg';
import { sealed } from 'pgkid/express';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const app = express();

app.param('order', sealed('ord'));

app.get('/orders/:order', async (request, response, next) => {
  const { rows: [order] } = await pool.query(
    `SELECT kid_seal(id, 'ord') AS id, item FROM orders
      WHERE id = kid64_unseal($1, 'ord', true)`, [request.params.order]);
  if (order) response.json(order); else next();
});

const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const texts = await pool.query('SELECT encoded FROM texts UNION ALL SELECT encoded FROM wrong');
for (const { encoded } of texts.rows) {
  const response = await fetch(`http://127.0.0.1:${server.address().port}/orders/${encoded}`);
  const answer = JSON.stringify([Object.fromEntries(response.headers), response.ok && await response.json()]);
  console.log(response.status, encoded, response.ok ? answer : '-');
}
server.close();
await pool.end();
