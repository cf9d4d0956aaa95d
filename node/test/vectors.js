// Reads the vectors that the tests of the server read, too. KID_VECTORS is their folder, if it is not in this tree.
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const folder = process.env.KID_VECTORS
  ? pathToFileURL(`${process.env.KID_VECTORS}/`)
  : new URL('../../test/vectors/', import.meta.url);

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
