// The number, the text and the time of a kid64, and the least number of a time, as BigInt. Times are microseconds since 1970, UTC.
const DIGITS = '.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';

export const number = (text) => [...text].reduce((n, c) => n << 6n | BigInt(DIGITS.indexOf(c)), 0n) >> 2n;
export const text = (number) => Array.from({ length: 11 }, (_, i) => DIGITS[number << 2n >> BigInt(60 - 6 * i) & 63n]).join('');
export const micros = (number) =>
  ((number >> 44n) * 1000000n + (number >> 24n & 0xfffffn)) * 1000000n + ((number >> 14n & 0x3ffn) << 10n);
export const floor = (micros) =>
  micros / 10n ** 12n << 44n | micros / 10n ** 6n % 10n ** 6n << 24n | micros % 10n ** 6n >> 10n << 14n;
