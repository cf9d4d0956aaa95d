// kid with postgres.js. An ID is a string, in arrays too. This is for kid53.
import { exactNumber } from './sql.js';

/**
 * For the option `types`: a `bigint` is a number, as for columns with `kid53_next()`. One that a number cannot be is an
 * error.
 */
export const numbers = {
  bigint: { to: 20, from: [20], serialize: String, parse: exactNumber },
};
