// kid53: numbers for a bigint column which JavaScript represents exactly.
//
//     ms since 2020: 41 bits   sequence: 12 bits
import { getNumber, putNumber } from './block.js';
import { bitsOf, countsFromEpoch, idType, inOrder } from './type.js';

export const kid53 = idType({
  name: 'kid53',
  size: 8,
  bits: 53,
  layout: countsFromEpoch({ epoch: 1577836800000000n, unit: 1000n, shift: 12, width: 41 }),
  value: {
    put: (/** @type {number} */ id) => {
      if (!Number.isSafeInteger(id) || id < 0) return false;
      putNumber(id);
      return true;
    },
    get: getNumber,
    compare: inOrder,
    fromText: (text) => (/^(?:0|[1-9]\d*)$/.test(text) ? Number(text) : NaN),
  },
  parts: (id) => ({ sequence: Number(bitsOf(id, 0, 12)) }),
});
