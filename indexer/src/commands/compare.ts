/**
 * Compares two indexes over their public APIs. If both claim the same digest, two requests are enough for anyone who
 * believes them; otherwise, and with `--full`, both lists are read and every disagreement is named: proofs that only
 * one has, periods that are missing per company, conflicting roots, records that differ, and an index whose own list
 * does not give the digest it claims.
 *
 * The other side is not trusted: agreement over nothing is none, and it decides neither how much is read nor how long.
 */
import { append, emptyFrontier, leafHash, rootOf } from '@clockproof/platform/bytes/merkle-tree';
import { fetch as undiciFetch } from 'undici';
import { sleep } from '../sleep.js';
import { canonicalJson, type ProofRecord } from '../store/proof-record.js';
import { type ApiFetch, createPeer, type PeerStatus } from './peer-index.js';

export interface ComparedIndex {
  readonly name: string;
  readonly status: PeerStatus;
  readonly proofs: readonly ProofRecord[];
}

export interface CompareContext {
  readonly print: (line: string) => void;
  readonly fetch?: ApiFetch;
  /** For so many milliseconds. */
  readonly wait?: (milliseconds: number) => Promise<void>;
}

/**
 * @param urls two indexes. @param full read both lists even if the claimed digests are equal
 * @returns 0 if they agree, 1 if not, 2 if one of them is too far behind to tell. @throws IndexUnreachable
 */
export async function compare(
  [firstUrl, secondUrl]: readonly [string, string],
  full: boolean,
  { print: write, fetch = undiciFetch, wait = sleep }: CompareContext,
): Promise<number> {
  const print = (line: string) => write(line.replace(/\p{Cc}/gu, '\ufffd'));
  const peers = [createPeer(firstUrl, fetch, wait), createPeer(secondUrl, fetch, wait)] as const;
  const [firstStatus, secondStatus] = await Promise.all([peers[0].status(), peers[1].status()]);
  for (const [url, status] of [
    [firstUrl, firstStatus],
    [secondUrl, secondStatus],
  ] as const)
    print(
      `${url}: ${status.indexed_count} proofs up to checkpoint ${status.checkpoint ?? 'none'}, history ${status.history}, digest ${status.index_digest?.root ?? 'none'}`,
    );
  const chains = new Set([firstStatus.chain_id, secondStatus.chain_id]);
  // An index that has not reached a node yet does not know its chain.
  if ((chains.size > 1 && !chains.has(undefined)) || firstStatus.package !== secondStatus.package) {
    print('compare: these are indexes of different ledgers or packages');
    return 1;
  }
  const sentence = tooFarBehind([firstUrl, firstStatus], [secondUrl, secondStatus]);
  if (sentence !== undefined) {
    print(`compare: ${sentence}`);
    return 2;
  }
  if (
    !full &&
    firstStatus.index_digest !== undefined &&
    firstStatus.index_digest.root === secondStatus.index_digest?.root
  ) {
    print('compare: both claim the same digest; with --full their lists are read and the digest is recomputed');
    return 0;
  }
  const long = [firstStatus, secondStatus].findIndex((status) => status.indexed_count > maxCompared);
  if (long >= 0) {
    print(
      `compare: ${[firstUrl, secondUrl][long]} claims ${[firstStatus, secondStatus][long]!.indexed_count} proofs; at most ${maxCompared} are compared one by one`,
    );
    return 2;
  }
  const [left, right] = await Promise.all([
    peers[0].proofs(firstStatus).then((proofs): ComparedIndex => ({ name: firstUrl, status: firstStatus, proofs })),
    peers[1].proofs(secondStatus).then((proofs): ComparedIndex => ({ name: secondUrl, status: secondStatus, proofs })),
  ]);
  for (const note of notCompared(left, right)) print(note);
  const findings = disagreements(left, right);
  for (const finding of findings) print(finding);
  const sharedCount = sharedProofs(left, left, right).size;
  if (findings.length === 0 && sharedCount === 0) {
    print('compare: the two index no sender in common: there is nothing to compare');
    return 2;
  }
  print(
    findings.length === 0
      ? `compare: both list the same ${sharedCount} proofs up to checkpoint ${reachedByBoth(left, right)}, of ${left.proofs.length} and ${right.proofs.length}`
      : `compare: ${findings.length} disagreements`,
  );
  return findings.length === 0 ? 0 : 1;
}

/** Both lists are held in memory, about a kilobyte a proof. */
const maxCompared = 5_000_000;

/** Checkpoints that one index may be behind the other; on a busy ledger, less than an hour. */
const maxGap = 10_000;

/** A sentence if a comparison would say nothing: it ends where the slower of the two does. */
function tooFarBehind(...indexes: readonly (readonly [string, PeerStatus])[]): string | undefined {
  const newest = Math.max(...indexes.map(([, { checkpoint }]) => checkpoint ?? -1));
  for (const [name, { checkpoint, indexed_count: count }] of indexes) {
    if (checkpoint === undefined) return `${name} has read nothing yet`;
    if (newest - checkpoint > maxGap)
      return `${name} is ${newest - checkpoint} checkpoints behind; wait until it has caught up`;
    if (count === 0) return `${name} has no proof: there is nothing to compare`;
  }
  return undefined;
}

/** Differences of two indexes, up to the checkpoint that both have reached. Pure. */
export function disagreements(left: ComparedIndex, right: ComparedIndex): string[] {
  const findings: string[] = [];
  for (const index of [left, right]) {
    const claimedDigest = index.status.index_digest;
    if (claimedDigest === undefined) continue;
    const root = digestOf(
      index.proofs.filter((proof) => proof.checkpoint <= claimedDigest.checkpoint && indexedBy(index, proof)),
    );
    if (root !== claimedDigest.root)
      findings.push(`${index.name} claims the digest ${claimedDigest.root}, but its list gives ${root}`);
  }
  const [inLeft, inRight] = [sharedProofs(left, left, right), sharedProofs(right, left, right)];
  const [months, otherMonths] = [byMonth(inLeft), byMonth(inRight)];
  for (const [key, proof] of inLeft) {
    const otherProof = inRight.get(key);
    if (otherProof === undefined) findings.push(describeMissing(right.name, proof, otherMonths));
    else if (canonicalJson({ ...proof }) !== canonicalJson({ ...otherProof })) {
      findings.push(
        `transaction ${proof.tx} event ${proof.event_sequence}: ${left.name} has root ${proof.merkle_root}, ${right.name} has ${otherProof.merkle_root}${proof.merkle_root === otherProof.merkle_root ? ', and other members differ' : ''}`,
      );
    }
  }
  for (const [key, proof] of inRight) if (!inLeft.has(key)) findings.push(describeMissing(left.name, proof, months));
  return findings;
}

/**
 * Proofs of an index that both have to hold: up to the checkpoint that both have reached, of senders that both index.
 */
function sharedProofs(
  index: ComparedIndex,
  left: ComparedIndex,
  right: ComparedIndex,
): ReadonlyMap<string, ProofRecord> {
  const upTo = reachedByBoth(left, right);
  return new Map(
    index.proofs
      .filter((proof) => proof.checkpoint <= upTo && indexedBy(left, proof) && indexedBy(right, proof))
      .map((proof) => [`${proof.tx} ${proof.event_sequence}`, proof]),
  );
}

const reachedByBoth = (left: ComparedIndex, right: ComparedIndex) =>
  Math.min(left.status.checkpoint ?? -1, right.status.checkpoint ?? -1);

/** An index of certain senders owes nothing about others. */
function indexedBy({ status }: ComparedIndex, { sender }: ProofRecord): boolean {
  return status.addresses.length === 0 || status.addresses.includes(sender);
}

/** Proofs left out of the comparison, because one of the two says that it does not index them. */
export function notCompared(left: ComparedIndex, right: ComparedIndex): string[] {
  return [
    [left, right],
    [right, left],
  ].flatMap(([filteredIndex, otherIndex]) => {
    const count = otherIndex!.proofs.filter((proof) => !indexedBy(filteredIndex!, proof)).length;
    return count === 0
      ? []
      : [
          `${filteredIndex!.name} indexes ${filteredIndex!.status.addresses.length} senders only; ${count} proofs of others that ${otherIndex!.name} has were not compared`,
        ];
  });
}

type Months = ReadonlyMap<string, readonly ProofRecord[]>;
const monthOf = ({ company_token, period }: ProofRecord) => JSON.stringify([company_token, period]);

function byMonth(proofs: ReadonlyMap<string, ProofRecord>): Months {
  const months = new Map<string, ProofRecord[]>();
  for (const proof of proofs.values()) {
    const proofsOfMonth = months.get(monthOf(proof));
    if (proofsOfMonth === undefined) months.set(monthOf(proof), [proof]);
    else proofsOfMonth.push(proof);
  }
  return months;
}

function describeMissing(name: string, proof: ProofRecord, months: Months): string {
  const proofsOfMonth = months.get(monthOf(proof)) ?? [];
  const conflict = proofsOfMonth.some((candidate) => candidate.merkle_root === proof.merkle_root)
    ? undefined
    : proofsOfMonth[0];
  const cause =
    proofsOfMonth.length === 0
      ? ', of which it has nothing'
      : conflict === undefined
        ? ''
        : `, in conflict with root ${conflict.merkle_root} of transaction ${conflict.tx} that it has`;
  return `${name} lacks transaction ${proof.tx} event ${proof.event_sequence} with root ${proof.merkle_root} (company ${proof.company_token}, period ${proof.period}${cause})`;
}

/** The tree hash of RFC 6962 over proofs in ledger order, in hex. */
export function digestOf(proofs: readonly ProofRecord[]): string {
  const text = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const orderedProofs = [...proofs].sort(
    (a, b) => a.checkpoint - b.checkpoint || text(a.tx, b.tx) || a.event_sequence - b.event_sequence,
  );
  return rootOf(
    orderedProofs.reduce(
      (tree, proof) => append(tree, leafHash(Buffer.from(canonicalJson({ ...proof })))),
      emptyFrontier,
    ),
  ).toString('hex');
}
