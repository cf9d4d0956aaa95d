// What programs in JavaScript that read borders.sql share.

// Returns the rows of the table kinds: the name of a table, and the texts of the two IDs in it.
export async function kindsOf(db) {
  return (await db.query('SELECT name::text, ids FROM kinds ORDER BY nr')).rows;
}

// Returns what became of the IDs of a kind: their text or their number, or a number that differs from theirs.
export function arrived(kind, values) {
  if (values.length !== kind.ids.length || values.some((value) => value === undefined)) return 'missing';
  const exact = values.every((value, i) => String(value) === kind.ids[i]);
  const type = values.every((value) => typeof value === 'string') ? 'text' : 'number';
  return exact ? type : type === 'number' ? 'rounded' : 'other text';
}

// Prints a row of the table in docs/clients/tools.md.
export function printRow(name, cells) {
  console.log([name, ...cells].join('\t'));
}
