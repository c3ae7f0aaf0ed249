import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Leaf, pathOf, rootFrom, rootOf, slotsBeside, treeHeight, upperNodesOf } from './month-proof.js';

const seed = createHash('sha256').update('seed').digest();
const slot = fc.oneof(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fc.integer({ min: 0, max: 3 }));
const trees = fc
  .uniqueArray(slot, { minLength: 1, maxLength: 40 })
  .map((slots) =>
    slots
      .sort((a, b) => a - b)
      .map((place): Leaf => ({ slot: place, hash: createHash('sha256').update(`leaf ${place}`).digest() })),
  );
/** As a file gets it: from the leaves that the database would be asked for. */
function pathTo(leaves: readonly Leaf[], key: Uint8Array, place: number) {
  const upperNodes = upperNodesOf(leaves, key);
  const { first, end } = slotsBeside(place, upperNodes);
  const neighbours = leaves.filter((leaf) => first <= leaf.slot && leaf.slot < end);
  return pathOf(neighbours, key, place, upperNodes);
}
const flip = (bytes: Uint8Array, bit: number) =>
  bytes.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));

describe('the tree of a month', () => {
  it('the tree of a month leads every leaf by 48 hashes to its root', () => {
    fc.assert(
      fc.property(trees, (leaves) => {
        const root = rootOf(upperNodesOf(leaves, seed), seed);
        for (const leaf of leaves) {
          const path = pathTo(leaves, seed, leaf.slot);
          expect(path).toHaveLength(treeHeight);
          expect(rootFrom(leaf, path)).toEqual(root);
        }
      }),
      { seed: 1, numRuns: 50 },
    );
  });

  it('the tree of a month leads no other slot, leaf or path to its root, for any changed bit', () => {
    fc.assert(
      fc.property(trees, fc.nat(47), fc.nat(255), (leaves, level, bit) => {
        const leaf = leaves[level % leaves.length]!;
        const path = pathTo(leaves, seed, leaf.slot);
        const root = rootOf(upperNodesOf(leaves, seed), seed);
        const otherSlot = (BigInt(leaf.slot) ^ (1n << BigInt(level))).toString();
        expect(rootFrom({ ...leaf, slot: Number(otherSlot) }, path)).not.toEqual(root);
        expect(rootFrom({ ...leaf, hash: flip(leaf.hash, bit) }, path)).not.toEqual(root);
        expect(rootFrom(leaf, path.with(level, Buffer.from(flip(path[level]!, bit))))).not.toEqual(root);
      }),
      { seed: 1, numRuns: 50 },
    );
  });

  it('a path in the tree of a month does not tell an empty place from a full one', () => {
    fc.assert(
      fc.property(trees, (leaves) => {
        const path = pathTo(leaves, seed, leaves[0]!.slot).map((hash) => hash.toString('hex'));
        const pathAlone = pathTo(leaves.slice(0, 1), seed, leaves[0]!.slot).map((hash) => hash.toString('hex'));
        // One hash twice, or the same in another tree, would be an empty place.
        expect(new Set(path).size).toBe(treeHeight);
        expect(
          pathTo(leaves.slice(0, 1), flip(seed, 0), leaves[0]!.slot).some((hash) =>
            pathAlone.includes(hash.toString('hex')),
          ),
        ).toBe(false);
      }),
      { seed: 1, numRuns: 50 },
    );
  });
});
