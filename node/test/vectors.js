// Reads the vectors that the tests of the server read, too. KID_VECTORS is their folder, if it is not in this tree.
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const folder = process.env.KID_VECTORS
  ? pathToFileURL(`${process.env.KID_VECTORS}/`)
  : new URL('../../test/vectors/', import.meta.url);

/** Returns the script of kid in plain SQL, in kid's tree. */
export function plainSql() {
  const released = new URL('../../released/', folder);
  const [name] = readdirSync(released).filter((file) => file.startsWith('kid-all--'));
  return readFileSync(new URL(name, released), 'utf8');
}

/**
 * Returns the rows of a file, as objects whose keys are the names of its columns.
 * @param {string} name
 * @returns {Record<string, string>[]}
 */
export function vectors(name) {
  const text = readFileSync(new URL(`${name}.tsv`, folder), 'utf8');
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  const names = lines[0].split('\t');
  return lines.slice(1, -1).map((line) => {
    const fields = line.split('\t');
    return Object.fromEntries(names.map((column, i) => [column, fields[i]]));
  });
}
