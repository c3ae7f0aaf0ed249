// Checks that a record was anchored: INDEX=… LEDGER=…/graphql TX=… npx tsx verifier.mts records.jsonl 3, from 0
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const { INDEX: index, LEDGER: ledger = '', TX: tx } = process.env;
const [file = '', position = '0'] = process.argv.slice(2);
const sha = (...parts: Uint8Array[]) => createHash('sha256').update(Buffer.concat(parts)).digest();

// RFC 6962 §2.1: a leaf is hashed after a 0, two nodes after a 1. A left side is as large a power of two as fits.
const leafOf = (record: string) => sha(Buffer.of(0), Buffer.from(record));
const parentOf = (left: Buffer, right: Buffer) => sha(Buffer.of(1), left, right);
const splitOf = (size: number) => 2 ** Math.ceil(Math.log2(size) - 1);
function rootOf(leaves: Buffer[]): Buffer {
  if (leaves.length === 1) return leaves[0]!;
  const split = splitOf(leaves.length);
  return parentOf(rootOf(leaves.slice(0, split)), rootOf(leaves.slice(split)));
}
/** The nodes beside the way from a leaf to the root: all that someone needs who has this record only. */
interface Step {
  side: 'left' | 'right';
  node: Buffer;
}
function pathOf(leaves: Buffer[], at: number): Step[] {
  if (leaves.length === 1) return [];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return at < split
    ? [...pathOf(left, at), { side: 'right', node: rootOf(right) }]
    : [...pathOf(right, at - split), { side: 'left', node: rootOf(left) }];
}

const records = readFileSync(file, 'utf8').trimEnd().split('\n');
const path = pathOf(records.map(leafOf), Number(position));
let node = leafOf(records[Number(position)]!);
for (const step of path) node = step.side === 'left' ? parentOf(step.node, node) : parentOf(node, step.node);
const root = node.toString('hex');
console.log(`record ${position} of ${records.length}, ${path.length} steps: root ${root}`);

// The ledger itself, through any node of it.
const query = `query ($tx: String!) { transactionBlock(digest: $tx) { effects { events { nodes { json } } } } }`;
interface Anchored {
  json: { merkle_root?: number[] };
}
const block = await fetch(ledger, {
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ query, variables: { tx } }),
});
const { data } = (await block.json()) as { data: { transactionBlock: { effects: { events: { nodes: Anchored[] } } } } };
const anchored = data.transactionBlock.effects.events.nodes.map(({ json }) => Buffer.from(json.merkle_root ?? []));
const onLedger = anchored.some((one) => one.equals(node));
// An index, which also answers once the node has forgotten old transactions.
const answer = await fetch(`${index}/api/v1/verify/${tx}?root=${root}`);
const { verdict } = (await answer.json()) as { verdict: string };
console.log(`ledger: ${onLedger ? 'match' : 'mismatch'}, index: ${verdict}`);
process.exitCode = onLedger && verdict === 'match' ? 0 : 1;
