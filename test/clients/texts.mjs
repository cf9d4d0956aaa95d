// What each client for public IDs does with the texts of orders. `decode` is the client's function, `serverFunction` the
// name of the server's. Both decode a text with a prefix. What is printed is described in check_texts.sql.
export async function run(client, texts, decode, serverFunction) {
  for (const text of texts) {
    console.log('decoded', text, String(decode(text, 'ord')));
    const found = await client.query(`SELECT id::text FROM orders WHERE id = ${serverFunction}($1, 'ord')`, [text]);
    console.log('found', text, found.rows[0].id);
  }
  for (const { encoded } of (await client.query('SELECT encoded FROM wrong')).rows) {
    try {
      decode(encoded, 'ord');
    } catch (error) {
      console.log('refused', encoded, error.name);
    }
    await client.query(`SELECT ${serverFunction}($1, 'ord')`, [encoded]).catch(
      (error) => console.log('wrong', encoded, error.code));
  }
}
