// uuidv7: UUID version 7 of RFC 9562, with its method 3. The type takes every UUID. Only one of version 7 has a time.
//
//     ms since 1970: 48 bits   7: 4 bits   fraction: 12 bits   2: 2 bits   count: 4 bits   random: 58 bits
import { getBigInt, putBigInt } from './block.js';
import { bitsOf, idType, inOrder } from './type.js';

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/;
const MARKS = 7n << 76n | 2n << 62n;
const LAST = (1000n << 48n) - 1n;

/** @param {bigint} micros */
const lowest = (micros) => micros / 1000n << 80n | MARKS;
/** @param {bigint} micros */
const highest = (micros) => lowest(micros) | 0xfffn << 64n | (1n << 62n) - 1n;

const uuid = idType({
  name: 'uuid',
  size: 16,
  layout: { first: 0n, last: LAST, lowest, highest, micros: (id) => (id >> 80n) * 1000n, greatest: highest(LAST) },
  value: {
    put: (/** @type {string} */ id) => {
      if (typeof id !== 'string' || !UUID.test(id)) return false;
      putBigInt(BigInt(`0x${id.replaceAll('-', '')}`));
      return true;
    },
    get: () => getBigInt(128).toString(16).padStart(32, '0').replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'),
    compare: inOrder,
    fromText: (text) => text.toLowerCase(),
  },
  parts: (id) => ({
    version: Number(bitsOf(id, 76, 4)),
    fraction: Number(bitsOf(id, 64, 12)),
    variant: Number(bitsOf(id, 62, 2)),
    count: Number(bitsOf(id, 58, 4)),
    random: bitsOf(id, 0, 58),
  }),
});

/** @param {string} id */
function isVersion7(id) {
  const { version, variant } = uuid.parts(id);
  return version === 7 && variant === 2;
}

/** The time of a UUID of another version than 7 is null. */
export const uuidv7 = Object.freeze({
  ...uuid,
  time: (/** @type {string} */ id) => (isVersion7(id) ? uuid.time(id) : null),
  micros: (/** @type {string} */ id) => (isVersion7(id) ? uuid.micros(id) : null),
});
