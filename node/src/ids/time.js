// Times, as the functions take them.

/**
 * A `Date`, milliseconds since 1970 as `Date.now()` returns them, or, where a millisecond is too coarse, microseconds
 * since 1970 as a bigint. The numbers `-Infinity` and `Infinity` are before and after all times.
 * @typedef {Date | number | bigint} Time
 */

/** Further from 1970 than any time of an ID, in microseconds. */
const FAR = 10n ** 20n;

/**
 * Returns microseconds since 1970.
 * @param {Time} time
 * @returns {bigint}
 */
export function microsOf(time) {
  if (typeof time === 'bigint') return time;
  const millis = time instanceof Date ? time.getTime() : time;
  if (typeof millis !== 'number' || Number.isNaN(millis)) throw new RangeError(`invalid time: ${String(time)}`);
  if (!Number.isFinite(millis)) return millis < 0 ? -FAR : FAR;
  const whole = Math.floor(millis);
  return BigInt(whole) * 1000n + BigInt(Math.floor((millis - whole) * 1000));
}
