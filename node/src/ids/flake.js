// flake: the ID of the Node library flake-idgen.
//
//     ms since the epoch: 42 bits   datacenter: 5 bits   worker: 5 bits   sequence: 12 bits
import { getBigInt, putBigInt } from './block.js';
import { microsOf } from './time.js';
import { bitsOf, countsFromEpoch, idType, inOrder } from './type.js';

/** @typedef {import('./time.js').Time} Time */

const MAX = (1n << 64n) - 1n;

/**
 * Returns the type flake for another `kid.flake_epoch` than the server's default, 1970.
 * @param {Time} since a whole millisecond, 1970 or later
 */
export function flakeWith(since) {
  const epoch = microsOf(since);
  if (epoch < 0n || epoch >= 1000n << 42n || epoch % 1000n !== 0n) {
    throw new RangeError(`invalid epoch: ${String(since)}`);
  }
  return idType({
    name: 'flake',
    size: 8,
    layout: countsFromEpoch({ epoch, unit: 1000n, shift: 22, width: 42 }),
    value: {
      put: (/** @type {string} */ id) => {
        if (typeof id !== 'string' || !/^(?:0|[1-9]\d{0,19})$/.test(id)) return false;
        const number = BigInt(id);
        if (number > MAX) return false;
        putBigInt(number);
        return true;
      },
      get: () => getBigInt(64).toString(),
      // Decimal numbers without leading zeros.
      compare: (a, b) => inOrder(a.length, b.length) || inOrder(a, b),
      fromText: (text) => (/^0[xX][\da-fA-F]+$/.test(text) ? BigInt(text).toString() : text),
    },
    parts: (id) => ({
      datacenter: Number(bitsOf(id, 17, 5)), worker: Number(bitsOf(id, 12, 5)), sequence: Number(bitsOf(id, 0, 12)),
    }),
  });
}

export const flake = flakeWith(0);
