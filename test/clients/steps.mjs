// What clients for Node do with orders. A client passes a function for each step, which returns a row, or rows, with
// an `id`. The IDs are printed as check_orders.sql reads them.
function print(word, rows) {
  for (const { id } of [rows].flat()) console.log(word, id);
  return rows;
}

// Returns three IDs.
export async function run({ insert, insertMany, find, since, nested, code = (error) => error.code }) {
  const order = print('inserted', await insert({ item: 'tea' }));
  const batch = print('batch', await insertMany(Array.from({ length: 1000 }, () => ({ item: 'batch' }))));
  print('found', await find(order.id));
  print('recent', await since(new Date(Date.now() - 3600 * 1000)));
  console.log('nested', await nested(order));
  await find('12345').catch((error) => console.log('wrong', code(error)));
  return batch.slice(5, 8).map(({ id }) => id);
}

// The steps that ORMs leave to their driver, too.
export async function runDriver({ list, next, load, ...client }) {
  print('listed', await list(await run(client)));
  await load(print('bulk', await next('SELECT kid_next(1000) AS id')));
}
