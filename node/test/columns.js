// The types of columns: what the server calls each, what makes its IDs, and its functions.
import * as ids from 'pgkid';

/**
 * @param {any} codec
 * @param {string} type
 * @param {string} next
 * @param {string} bounds the beginning of the names of the functions for bounds
 * @param {string} reading the beginning of the names of the functions that read an ID
 */
const column = (codec, type, next, bounds, reading = 'kid') => ({ codec, type, next, bounds, reading });

export const COLUMNS = {
  kid64: column(ids.kid64, 'kid64', 'kid_next', 'kid64'),
  kid53: column(ids.kid53, 'bigint', 'kid53_next', 'kid53', 'kid53'),
  kid96: column(ids.kid96, 'kid96', 'kid96_next', 'kid96'),
  sno: column(ids.sno, 'sno', 'sno_next', 'sno'),
  flake: column(ids.flake, 'flake', 'flake_next', 'flake'),
  flax: column(ids.flax, 'flax', 'flax_next', 'flax'),
  uuidv7: column(ids.uuidv7, 'uuid', 'kid_uuidv7', 'kid_uuidv7'),
};
