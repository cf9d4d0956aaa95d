// The bits of one ID, from which each of its forms is read, and into which each is written. There is one block, which
// a conversion fills and reads again before it returns: no ID stays in it.
//
//     byte    0       4                       20      24
//            +-------+-----------------------+-------+
//            | zeros |  the ID, at the end   | zeros |
//            +-------+-----------------------+-------+
//
// The zeros stand for padding: a text has a few bits more than its ID.

const FIRST = 4;
const END = 20;

const bytes = new Uint8Array(24);
const view = new DataView(bytes.buffer);

export function clear() {
  bytes.fill(0);
}

/**
 * Sets the block to a number below 2^128.
 * @param {bigint} number
 */
export function putBigInt(number) {
  view.setBigUint64(FIRST, number >> 64n);
  view.setBigUint64(FIRST + 8, number);
}

/**
 * Returns the number in the block, an ID of this many bits.
 * @param {number} bits
 */
export function getBigInt(bits) {
  const low = view.getBigUint64(FIRST + 8);
  return bits <= 64 ? low : view.getBigUint64(FIRST) << 64n | low;
}

/**
 * Sets the block to a number below 2^53.
 * @param {number} number
 */
export function putNumber(number) {
  view.setBigUint64(FIRST, 0n);
  view.setUint32(FIRST + 8, number / 2 ** 32);
  view.setUint32(FIRST + 12, number);
}

/** Returns the lower 64 bits of the block as a number, which has to be below 2^53. */
export function getNumber() {
  return view.getUint32(FIRST + 8) * 2 ** 32 + view.getUint32(FIRST + 12);
}

/**
 * Sets the block to the binary form of an ID.
 * @param {Uint8Array} binary
 */
export function putBytes(binary) {
  clear();
  bytes.set(binary, END - binary.length);
}

/**
 * Returns the binary form of the ID in the block.
 * @param {number} size
 */
export function getBytes(size) {
  return bytes.slice(END - size, END);
}

const INVALID = 255;

/**
 * A form of text whose characters stand for `width` bits each, most significant first.
 * @typedef {object} Form
 * @property {string} digits the characters in the order of what they stand for
 * @property {Uint8Array} values what each character of ASCII stands for, or INVALID
 * @property {number} width
 * @property {number} length how many characters the text has
 * @property {number} begin the bit of the block that is the first one of the text
 * @property {number} firstMax the greatest value of the first character: above, it has bits before the ID
 * @property {number} lastPadding the bits of the last character that are after the ID
 */

/**
 * @param {string} digits
 * @param {boolean} anyCase whether letters are also read in upper case
 * @param {number} bits of the ID
 * @param {boolean} padsAtEnd whether the padding is after the ID or before it
 * @returns {Form}
 */
export function form(digits, anyCase, bits, padsAtEnd) {
  const width = Math.log2(digits.length);
  const length = Math.ceil(bits / width);
  const padding = length * width - bits;
  const values = new Uint8Array(128).fill(INVALID);
  for (let value = 0; value < digits.length; value++) {
    values[digits.charCodeAt(value)] = value;
    if (anyCase) values[digits[value].toUpperCase().charCodeAt(0)] = value;
  }
  return {
    digits, values, width, length,
    begin: 8 * END - bits - (padsAtEnd ? 0 : padding),
    firstMax: padsAtEnd ? digits.length - 1 : (digits.length >> padding) - 1,
    lastPadding: padsAtEnd ? (1 << padding) - 1 : 0,
  };
}

/**
 * Returns the ID in the block as text.
 * @param {Form} form
 */
export function getText({ digits, width, length, begin }) {
  let text = '';
  for (let at = begin, end = begin + width * length; at < end; at += width) {
    const pair = bytes[at >> 3] << 8 | bytes[(at >> 3) + 1];
    text += digits[pair >> 16 - (at & 7) - width & (1 << width) - 1];
  }
  return text;
}

/**
 * Sets the block to what a text says from the character `offset` on. Returns false if that is not of this form.
 * @param {string} text
 * @param {number} offset
 * @param {Form} form
 */
export function putText(text, offset, { values, width, length, begin, firstMax, lastPadding }) {
  if (text.length !== offset + length) return false;
  clear();
  let every = 0;
  let value = 0;
  for (let i = 0, at = begin; i < length; i++, at += width) {
    const code = text.charCodeAt(offset + i);
    value = code < 128 ? values[code] : INVALID;
    if (i === 0 && value > firstMax) return false;
    every |= value;
    const pair = value << 16 - (at & 7) - width;
    bytes[at >> 3] |= pair >> 8;
    bytes[(at >> 3) + 1] |= pair;
  }
  const isValid = every < 1 << width && (value & lastPadding) === 0;
  if (!isValid) clear();
  return isValid;
}
