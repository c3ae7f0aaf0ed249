/**
 * The bytes of a month's proof: parts, their salts, the leaf of a person, the place of the leaf and the tree of a
 * company. Pure. Source of every line: `docs/protocols/month-proof.md`.
 */
import { createHmac, hash } from 'node:crypto';
import { append, emptyFrontier, rootOf as treeHash } from '@clockproof/platform/bytes/merkle-tree';
import canonicalize from 'canonicalize';
import { groupBy } from '../months/grouping.js';

/** 32 bytes. */
export type Digest = Buffer;

/** The month of one person under one commitment. */
export interface Place {
  readonly companyToken: string;
  /** `2026-10` */
  readonly period: string;
  /** From 1; one more each time the month is closed again. */
  readonly revision: number;
  /** From 1; one more as long as two people would have the same slot. */
  readonly attempt: number;
  readonly personToken: string;
}

export interface Part {
  /** `head`, `person`, … or a date. */
  readonly name: string;
  /** RFC 8785. */
  readonly text: string;
}

/** Levels between a leaf and the root: 2^48 places. */
export const treeHeight = 48;

const digestOf = (...pieces: readonly (string | Uint8Array)[]): Digest =>
  hash(
    'sha256',
    Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece))),
    'buffer',
  );

const nodeOf = (left: Uint8Array, right: Uint8Array): Digest => digestOf(Uint8Array.of(1), left, right);

/** The canonical text of a part's content: RFC 8785 of objects, arrays, strings, integers, booleans and null. */
export function partText(content: object): string {
  return canonicalize(content)!;
}

/**
 * The salt of one part in one revision: other salts cannot be found from it.
 * @param recordSalt the person's, 16 bytes
 */
export function partSalt(
  recordSalt: Uint8Array,
  { companyToken, period, revision }: Pick<Place, 'companyToken' | 'period' | 'revision'>,
  name: string,
): Digest {
  const text = `clockproof part salt 1\n${companyToken}\n${period}\n${revision}\n${name}`;
  return createHmac('sha256', recordSalt).update(text).digest();
}

export function partHash({ name, text }: Part, salt: Uint8Array): Digest {
  return digestOf(Uint8Array.of(0), `clockproof part 1\n${name}\n`, salt, text);
}

/** The tree hash of RFC 6962 §2.1 over hashes that are its leaves already. @param hashes in order */
export function leafOf(hashes: readonly Buffer[]): Digest {
  return treeHash(hashes.reduce(append, emptyFrontier));
}

/** The place of a person's leaf: 0 to 2^48 - 1. */
export function slotOf({ companyToken, period, revision, attempt, personToken }: Place): number {
  const text = `clockproof slot 1\n${companyToken}\n${period}\n${revision}\n${attempt}\n${personToken}`;
  return digestOf(text).readUIntBE(0, 6);
}

export interface Leaf {
  readonly slot: number;
  readonly hash: Uint8Array;
}

/**
 * The nodes of the level that has about one leaf below each: with them, a path needs only the leaves below one of them.
 * @param leaves by slot, each slot once @param seed 32 random bytes of this tree alone
 * @returns 32 bytes each, from the left; zeros for one without a leaf below
 */
export function upperNodesOf(leaves: readonly Leaf[], seed: Uint8Array): Buffer {
  const depth = Math.ceil(Math.log2(Math.max(leaves.length, 1)));
  const level = treeHeight - depth;
  const leavesByNode = groupBy(leaves, ({ slot }) => Math.floor(slot / 2 ** level));
  const nodeOn = (index: number) => {
    const leavesBelow = leavesByNode.get(index);
    return leavesBelow === undefined ? emptyNode : subtree(leavesBelow, seed, level, index);
  };
  return Buffer.concat(Array.from({ length: 2 ** depth }, (_, index) => nodeOn(index)));
}

/** The root over all leaves. @param nodes of one level, as `upperNodesOf` gives them */
export function rootOf(nodes: Buffer, seed: Uint8Array): Digest {
  return nodes.length === nodeBytes ? hashOf(nodes, 0, seed) : rootOf(parentsOf(nodes, seed), seed);
}

/** The slots below that upper node which has a slot below it. */
export function slotsBeside(slot: number, upperNodes: Buffer): { readonly first: number; readonly end: number } {
  const width = 2 ** treeHeight / (upperNodes.length / nodeBytes);
  const first = slot - (slot % width);
  return { first, end: first + width };
}

/**
 * The hashes beside the way from a slot to the root, from the leaf upward; always 48.
 * @param leaves by slot, those below the same upper node @param upperNodes of the whole tree
 */
export function pathOf(leaves: readonly Leaf[], seed: Uint8Array, slot: number, upperNodes: Buffer): Digest[] {
  const path: Digest[] = [];
  const { first, end } = slotsBeside(slot, upperNodes);
  const node = first / (end - first);
  let [leavesBelow, index] = [leaves, node];
  for (let level = Math.log2(end - first) - 1; level >= 0; level--) {
    const [left, right] = halves(leavesBelow, level, index);
    const isRight = slot >= middleOf(level, index);
    path.unshift(isRight ? subtree(left, seed, level, index * 2) : subtree(right, seed, level, index * 2 + 1));
    [leavesBelow, index] = isRight ? [right, index * 2 + 1] : [left, index * 2];
  }
  for (let [nodes, at] = [upperNodes, node]; nodes.length > nodeBytes; [nodes, at] = [parentsOf(nodes, seed), at >> 1])
    path.push(hashOf(nodes, at ^ 1, seed));
  return path;
}

/** RFC 9162 §2.1.3.2 with a tree of 2^48 leaves. @returns the root that the path leads to */
export function rootFrom({ slot, hash: leaf }: Leaf, path: readonly Uint8Array[]): Digest {
  let [node, index] = [leaf, slot];
  for (const sibling of path) {
    node = index % 2 === 1 ? nodeOf(sibling, node) : nodeOf(node, sibling);
    index = Math.floor(index / 2);
  }
  return Buffer.from(node);
}

const nodeBytes = 32;
const emptyNode = Buffer.alloc(nodeBytes);
const nodeAt = (nodes: Buffer, index: number): Buffer => nodes.subarray(index * nodeBytes, (index + 1) * nodeBytes);

function hashOf(nodes: Buffer, index: number, seed: Uint8Array): Digest {
  const node = nodeAt(nodes, index);
  return node.equals(emptyNode) ? emptySubtree(seed, treeHeight - Math.log2(nodes.length / nodeBytes), index) : node;
}

function parentsOf(nodes: Buffer, seed: Uint8Array): Buffer {
  const parentOf = (left: number) =>
    nodes.subarray(left * nodeBytes, (left + 2) * nodeBytes).every((byte) => byte === 0)
      ? emptyNode
      : nodeOf(hashOf(nodes, left, seed), hashOf(nodes, left + 1, seed));
  return Buffer.concat(Array.from({ length: nodes.length / nodeBytes / 2 }, (_, index) => parentOf(index * 2)));
}

/** @param level of the node: 0 for a place @param index of the node within its level, from the left */
function subtree(leaves: readonly Leaf[], seed: Uint8Array, level: number, index: number): Digest {
  if (leaves.length === 0) return emptySubtree(seed, level, index);
  if (level === 0) return Buffer.from(leaves[0]!.hash);
  const [left, right] = halves(leaves, level - 1, index);
  return nodeOf(subtree(left, seed, level - 1, index * 2), subtree(right, seed, level - 1, index * 2 + 1));
}

/** Looks like a full one without the seed: a path shows no headcount. */
function emptySubtree(seed: Uint8Array, level: number, index: number): Digest {
  const place = Buffer.alloc(9);
  place.writeUInt8(level);
  place.writeBigUInt64BE(BigInt(index), 1);
  return createHmac('sha256', seed).update(place).digest();
}

/** The first slot of the right child of a node; `level` is that of the children. */
const middleOf = (level: number, index: number): number => (index * 2 + 1) * 2 ** level;

function halves(leaves: readonly Leaf[], level: number, index: number): [readonly Leaf[], readonly Leaf[]] {
  const middle = middleOf(level, index);
  let first = leaves.findIndex(({ slot }) => slot >= middle);
  if (first === -1) first = leaves.length;
  return [leaves.slice(0, first), leaves.slice(first)];
}
