// kid64 and kid96: the local and the global ID of the Erlang library uid. A kid96 is a kid64 with a node inserted into
// its seconds: within 2^neighborhood seconds the node sorts before the time.
//
//     kid64   A: 20 bits, megaseconds   B: 20 bits, seconds   C: 10 bits, 1.024 ms   sequence: 14 bits
//     kid96   A   B, its upper 20 - I bits   node: 32 bits   B, its I lowest bits   C   sequence
import { bitsOf, idType, orderedText } from './type.js';

const DIGITS = '.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const MILLION = 1000000n;
const LAST = (1n << 20n) * MILLION * MILLION - 1n;

/** @param {bigint} micros */
function lowest(micros) {
  const seconds = micros / MILLION;
  return seconds / MILLION << 44n | seconds % MILLION << 24n | micros % MILLION >> 10n << 14n;
}

/** @param {bigint} id */
function micros(id) {
  return ((id >> 44n) * MILLION + bitsOf(id, 24, 20)) * MILLION + (bitsOf(id, 14, 10) << 10n);
}

/** @param {bigint} id */
const sequence = (id) => Number(bitsOf(id, 0, 14));

export const kid64 = idType({
  name: 'kid64',
  size: 8,
  layout: { first: 0n, last: LAST, lowest, highest: (time) => lowest(time) | 0x3fffn, micros },
  value: orderedText(DIGITS, 64),
  parts: (id) => ({ sequence: sequence(id) }),
});

/**
 * Returns the type kid96 for another `kid.neighborhood` than the server's default, 8: 0 to 10 bits.
 * @param {number} neighborhood
 */
export function kid96With(neighborhood) {
  if (!(Number.isInteger(neighborhood) && neighborhood >= 0 && neighborhood <= 10)) {
    throw new RangeError(`invalid neighborhood: ${neighborhood}`);
  }
  const shift = 24 + neighborhood;
  const below = (1n << BigInt(shift)) - 1n;
  const local = (/** @type {bigint} */ id) => id >> BigInt(shift + 32) << BigInt(shift) | id & below;
  const global = (/** @type {bigint} */ id, /** @type {bigint} */ node) =>
    id >> BigInt(shift) << BigInt(shift + 32) | node << BigInt(shift) | id & below;
  return idType({
    name: 'kid96',
    size: 12,
    layout: {
      first: 0n,
      last: LAST,
      lowest: (time) => global(lowest(time) & ~below, 0n),
      highest: (time) => global(lowest(time) | below, 0xffffffffn),
      micros: (id) => micros(local(id)),
    },
    value: orderedText(DIGITS, 96),
    parts: (id) => ({ node: Number(bitsOf(id, shift, 32)), sequence: sequence(id) }),
  });
}

/** Its order is coarse: `floor` and `ceil` are the bounds of the 2^neighborhood seconds that contain a time. */
export const kid96 = kid96With(8);
