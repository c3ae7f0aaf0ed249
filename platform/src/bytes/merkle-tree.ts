/**
 * The Merkle tree hash of RFC 6962 §2.1, one hash over a list that grows. Kept as the roots of the complete subtrees,
 * so that a leaf is appended without reading the ones before.
 */
import { hash } from 'node:crypto';

/** The subtrees of a tree of `size` leaves, one per set bit of `size`, largest first, 32 bytes each. */
export interface Frontier {
  readonly size: number;
  readonly roots: readonly Buffer[];
}

export const emptyFrontier: Frontier = { size: 0, roots: [] };

/** SHA-256(0x00 ‖ leaf) */
export function leafHash(leaf: Uint8Array): Buffer {
  return hash('sha256', Buffer.concat([leafPrefix, leaf]), 'buffer');
}

/** SHA-256(0x01 ‖ left ‖ right) */
function nodeHash(left: Buffer, right: Buffer): Buffer {
  return hash('sha256', Buffer.concat([nodePrefix, left, right]), 'buffer');
}

const leafPrefix = Buffer.of(0);
const nodePrefix = Buffer.of(1);

/** The tree with one more leaf. Equal subtrees join like digits of a binary counter. */
export function append({ size, roots }: Frontier, leaf: Buffer): Frontier {
  const next = [...roots];
  let node = leaf;
  for (let bits = size; bits % 2 === 1; bits = Math.floor(bits / 2)) node = nodeHash(next.pop()!, node);
  next.push(node);
  return { size: size + 1, roots: next };
}

/** MTH(D[n]): the subtrees joined from the right; of nothing SHA-256(""). */
export function rootOf({ roots }: Frontier): Buffer {
  if (roots.length === 0) return hash('sha256', '', 'buffer');
  return roots.reduceRight((right, left) => nodeHash(left, right));
}

export function encodeFrontier({ roots }: Frontier): Buffer {
  return Buffer.concat(roots);
}

export function decodeFrontier(size: number, bytes: Uint8Array): Frontier {
  const buffer = Buffer.from(bytes);
  return {
    size,
    roots: Array.from({ length: buffer.length / 32 }, (_, index) => buffer.subarray(32 * index, 32 * index + 32)),
  };
}
