// What all types of IDs have in common.
import { form, getBigInt, getBytes, getText, putBigInt, putBytes, putText } from './block.js';
import { InvalidIdError } from './errors.js';
import { microsOf } from './time.js';

/** @typedef {import('./time.js').Time} Time */

/**
 * A type of IDs. An ID is what a driver returns for it: a string, and a number for kid53. The functions of a type can
 * be passed on, as in `ids.sort(kid64.compare)`. A value that is no ID is an InvalidIdError.
 *
 * @template {string | number} Id
 * @template {object} Parts
 * @typedef {object} IdType
 * @property {string} name
 * @property {number} size how many bytes the binary form has
 * @property {(value: unknown) => value is Id} is tells whether a value is an ID
 * @property {(text: string) => Id} fromText reads all that the server reads, and returns the usual form
 * @property {(id: Id) => string} toText
 * @property {(number: bigint) => Id} fromBigInt reads an unsigned number, or the signed one of a bigint column
 * @property {(id: Id) => bigint} toBigInt returns an unsigned number
 * @property {(bytes: Uint8Array) => Id} fromBytes reads the binary form, most significant byte first
 * @property {(id: Id) => Uint8Array} toBytes
 * @property {(id: Id, prefix?: string) => string} encode writes base32 after a prefix, as `kid_encode()` does
 * @property {(text: string, prefix?: string) => Id} decode reads what `encode()` wrote with the same prefix
 * @property {(id: Id) => Date} time returns when the time unit of an ID begins, cut to a millisecond
 * @property {(id: Id) => bigint} micros returns when it begins, in microseconds since 1970
 * @property {(time: Time) => Id} floor returns the lowest ID of the time unit that contains a time
 * @property {(time: Time) => Id} ceil returns the highest ID of that time unit
 * @property {(a: Id, b: Id) => -1 | 0 | 1} compare orders IDs as the database does
 * @property {(id: Id) => Parts} parts returns the components other than the time
 */

/**
 * How the IDs of a type are laid out.
 * @typedef {object} Layout
 * @property {bigint} first the first instant that an ID can carry, in microseconds since 1970
 * @property {bigint} last the last one
 * @property {(micros: bigint) => bigint} lowest returns the lowest ID of the time unit that contains an instant
 * @property {(micros: bigint) => bigint} highest returns the highest one
 * @property {(id: bigint) => bigint} micros returns when the time unit of an ID begins
 * @property {bigint} [greatest] the ID for instants after the last one, if it is not the greatest number
 */

/**
 * How a value that is an ID gets into the block, and out of it.
 * @template Id
 * @typedef {object} Value
 * @property {(value: Id) => boolean} put returns false if the value is no ID
 * @property {() => Id} get
 * @property {(a: Id, b: Id) => -1 | 0 | 1} compare
 * @property {(text: string) => Id} fromText returns the value of a text, or anything that `put` refuses
 */

const BASE32 = '0123456789abcdefghjkmnpqrstvwxyz';
const PREFIX = /^(?:[a-z](?:[a-z_]{0,61}[a-z])?)?$/;

/**
 * Returns what precedes the digits of an ID with this prefix.
 * @param {string} prefix
 */
export function separated(prefix) {
  if (typeof prefix !== 'string' || !PREFIX.test(prefix)) throw new RangeError(`invalid prefix: ${String(prefix)}`);
  return prefix && `${prefix}_`;
}

/**
 * Compares numbers, or texts whose order is that of their characters.
 * @template {string | number} T
 * @param {T} a
 * @param {T} b
 * @returns {-1 | 0 | 1}
 */
export function inOrder(a, b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Returns the bits of a number from `shift` on.
 * @param {bigint} id
 * @param {number} shift
 * @param {number} width
 */
export function bitsOf(id, shift, width) {
  return BigInt.asUintN(width, id >> BigInt(shift));
}

/**
 * Returns a layout whose uppermost field counts time units from an epoch.
 * @param {{ epoch: bigint, unit: bigint, shift: number, width: number }} field epoch and unit in microseconds
 * @returns {Layout}
 */
export function countsFromEpoch({ epoch, unit, shift, width }) {
  const by = BigInt(shift);
  const lowest = (/** @type {bigint} */ micros) => (micros - epoch) / unit << by;
  return {
    first: epoch,
    last: epoch + (unit << BigInt(width)) - 1n,
    lowest,
    highest: (micros) => lowest(micros) | (1n << by) - 1n,
    micros: (id) => epoch + (id >> by) * unit,
  };
}

/**
 * The values of a type whose IDs are known by their own text, in an alphabet that is in the order of its characters.
 * @param {string} digits
 * @param {number} bits
 * @returns {Value<string>}
 */
export function orderedText(digits, bits) {
  const text = form(digits, false, bits, true);
  return {
    put: (value) => typeof value === 'string' && putText(value, 0, text),
    get: () => getText(text),
    compare: inOrder,
    fromText: (value) => value,
  };
}

/**
 * @template {string | number} Id
 * @template {object} Parts
 * @param {object} options
 * @param {string} options.name
 * @param {number} options.size
 * @param {number} [options.bits]
 * @param {Layout} options.layout
 * @param {Value<Id>} options.value
 * @param {(id: bigint) => Parts} options.parts
 * @returns {IdType<Id, Parts>}
 */
export function idType({ name, size, bits = 8 * size, layout, value, parts }) {
  const base32 = form(BASE32, true, bits, false);
  const max = (1n << BigInt(bits)) - 1n;
  const { greatest = max } = layout;

  /**
   * @param {unknown} id
   * @returns {never}
   */
  const refuse = (id) => {
    throw new InvalidIdError(name, id);
  };
  /** @param {Id} id */
  const put = (id) => {
    if (!value.put(id)) refuse(id);
  };
  /** @param {Id} id */
  const toBigInt = (id) => {
    put(id);
    return getBigInt(bits);
  };
  /** @param {bigint} number */
  const make = (number) => {
    putBigInt(number);
    return value.get();
  };
  /**
   * @param {Time} time
   * @param {'lowest' | 'highest'} end
   */
  const bound = (time, end) => {
    const micros = microsOf(time);
    if (micros < layout.first) return make(layout.lowest(layout.first));
    return make(micros > layout.last ? greatest : layout[end](micros));
  };

  return Object.freeze({
    name,
    size,
    is: /** @type {(id: unknown) => id is Id} */ ((id) => value.put(/** @type {Id} */ (id))),
    fromText: (text) => {
      const id = typeof text === 'string' ? value.fromText(text) : refuse(text);
      if (!value.put(id)) refuse(text);
      return value.get();
    },
    toText: (id) => {
      put(id);
      return String(value.get());
    },
    fromBigInt: (number) => {
      const isNegative = bits === 64 && number < 0n && number >= -(1n << 63n);
      const unsigned = isNegative ? BigInt.asUintN(64, number) : number;
      return unsigned >= 0n && unsigned <= max ? make(unsigned) : refuse(number);
    },
    toBigInt,
    fromBytes: (bytes) => {
      if (!(bytes instanceof Uint8Array) || bytes.length !== size) refuse(bytes);
      putBytes(bytes);
      const number = getBigInt(8 * size);
      return number > max ? refuse(bytes) : make(number);
    },
    toBytes: (id) => {
      put(id);
      return getBytes(size);
    },
    encode: (id, prefix = '') => {
      const before = separated(prefix);
      put(id);
      return before + getText(base32);
    },
    decode: (text, prefix = '') => {
      const before = separated(prefix);
      if (typeof text !== 'string' || !text.startsWith(before) || !putText(text, before.length, base32)) refuse(text);
      return value.get();
    },
    time: (id) => new Date(Number(layout.micros(toBigInt(id)) / 1000n)),
    micros: (id) => layout.micros(toBigInt(id)),
    floor: (time) => bound(time, 'lowest'),
    ceil: (time) => bound(time, 'highest'),
    compare: value.compare,
    parts: (id) => parts(toBigInt(id)),
  });
}
