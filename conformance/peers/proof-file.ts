/** Reads a proof file as its protocol page says, independently of the service: `docs/protocols/month-proof.md`. */
import { createHash } from 'node:crypto';
import { at } from '../kit/json.js';

const sha256 = (...pieces: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
};
const nodeOf = (left: Uint8Array, right: Uint8Array) => sha256(Uint8Array.of(1), left, right);
const bytesAt = (value: unknown, path: string) => Buffer.from(String(at(value, path)), 'hex');

/** @param file as downloaded @returns the root to which its parts and its path lead, in hexadecimal digits */
export function rootOfProofFile(file: unknown): string {
  const parts = at(file, 'parts') as readonly unknown[];
  const hashes = parts.map((part) =>
    at(part, 'text') === undefined
      ? bytesAt(part, 'hash')
      : sha256(
          Uint8Array.of(0),
          `clockproof part 1\n${String(at(part, 'name'))}\n`,
          bytesAt(part, 'salt'),
          String(at(part, 'text')),
        ),
  );
  let index = BigInt(Number(at(file, 'slot')));
  let node = treeHash(hashes);
  for (const text of at(file, 'path') as readonly string[]) {
    const sibling = Buffer.from(text, 'hex');
    node = index % 2n === 1n ? nodeOf(sibling, node) : nodeOf(node, sibling);
    index /= 2n;
  }
  return node.toString('hex');
}

/** RFC 6962 §2.1 over hashes that are leaves already; at least one. */
function treeHash(hashes: readonly Buffer[]): Buffer {
  if (hashes.length === 1) return hashes[0]!;
  const split = 2 ** Math.ceil(Math.log2(hashes.length) - 1);
  return nodeOf(treeHash(hashes.slice(0, split)), treeHash(hashes.slice(split)));
}
