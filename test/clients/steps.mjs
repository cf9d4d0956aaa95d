// What every client for Node does with orders. A client passes a function for each step, which returns a row, or rows, with
// an `id`. The IDs are printed as check_orders.sql reads them.
export async function run(client) {
  const { insert, insertMany, find, list, since, after, next, load, nested, code = (error) => error.code } = client;
  const print = (word, rows) => {
    for (const { id } of [rows].flat()) console.log(word, id);
    return rows;
  };
  const order = print('inserted', await insert({ item: 'tea' }));
  const batch = print('batch', await insertMany(Array.from({ length: 1000 }, () => ({ item: 'batch' }))));
  print('found', await find(order.id));
  const some = batch.slice(5, 8).map(({ id }) => id);
  print('listed', await list(some));
  const recent = print('recent', await since(new Date(Date.now() - 3600 * 1000)));
  print('page', await after(recent.at(-1).id));
  const ids = await next('SELECT kid_next(1000) AS id');
  await load(ids.map(({ id }) => ({ id, item: 'bulk' })));
  print('bulk', ids);
  console.log('nested', await nested(order));
  await find('12345').catch((error) => console.log('wrong', code(error)));
  return { batch, some };
}
