// flax: the ID of the Python library Flax ID.
//
//     ms since 2015: 40 bits   random: 56 bits
import { bitsOf, countsFromEpoch, idType, orderedText } from './type.js';

export const flax = idType({
  name: 'flax',
  size: 12,
  layout: countsFromEpoch({ epoch: 1420070400000000n, unit: 1000n, shift: 56, width: 40 }),
  value: orderedText('-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz', 96),
  parts: (id) => ({ random: bitsOf(id, 0, 56) }),
});
