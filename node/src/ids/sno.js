// sno: the ID of the Go library sno.
//
//     4 ms since 2010: 39 bits   tick: 1 bit   meta: 8 bits   partition: 16 bits   sequence: 16 bits
import { bitsOf, countsFromEpoch, idType, orderedText } from './type.js';

export const sno = idType({
  name: 'sno',
  size: 10,
  layout: countsFromEpoch({ epoch: 1262304000000000n, unit: 4000n, shift: 41, width: 39 }),
  value: orderedText('23456789abcdefghijklmnopqrstuvwx', 80),
  parts: (id) => ({
    tick: bitsOf(id, 40, 1) === 1n,
    meta: Number(bitsOf(id, 32, 8)),
    partition: Number(bitsOf(id, 16, 16)),
    sequence: Number(bitsOf(id, 0, 16)),
  }),
});
