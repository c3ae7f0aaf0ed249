/**
 * Compares the commitments of the service with the stored records, for `audit verify`: roots with leaves, leaves with
 * the bytes of the months, and the bytes with the rows of the closed months. May run while the service writes.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { lastDayOf } from '@clockproof/platform/time/local-date';
import { defined } from '../store/defined.js';
import { findClosedMonth } from '../working-time/closed-month-rows.js';
import { type Figures, type MonthOfPerson, readMonths } from './month-parts.js';
import {
  type Leaf,
  leafOf,
  type Part,
  type Place,
  partHash,
  partSalt,
  rootOf,
  slotOf,
  upperNodesOf,
} from './month-proof.js';
import { unpackParts } from './packed-parts.js';
import {
  type CommitmentRow,
  listCommittedLeaves,
  listMonthCommitments,
  listMonthsWithoutCommitment,
  listPersonTokens,
  type MonthSpan,
} from './rows.js';

export interface MonthFault {
  readonly companyId: number;
  readonly month: string;
  readonly personId?: number;
  /** The name of the part that differs: a date, `figures`, … */
  readonly part?: string;
  /**
   * - `root`: the root does not follow from the leaves
   * - `order`: the revision does not follow the one before
   * - `leaf`: the bytes of the person do not fit their leaf
   * - `gone`: there are no bytes of the person, who was not erased
   * - `changed`: the stored rows of the closed month differ from the committed bytes
   * - `missing`: the closed month has nothing of the person any more
   * - `added`: the closed month has a person, or is closed itself, without a commitment
   * - `unreadable`: bytes or rows are damaged
   */
  readonly why: 'root' | 'order' | 'leaf' | 'gone' | 'changed' | 'missing' | 'added' | 'unreadable';
}

export interface MonthFindings {
  /** Commitments to months. */
  readonly commitments: number;
  readonly faults: readonly MonthFault[];
}

/** Verifies every commitment to a month, and every closed month against its newest one. */
export async function verifyMonths(reader: Reader): Promise<MonthFindings> {
  const commitments = await listMonthCommitments(reader);
  const faults: MonthFault[] = [];
  for (const [index, commitment] of commitments.entries()) {
    const previous = commitments[index - 1];
    faults.push(...(await lastingFaults(() => verifyCommitment(reader, commitment, previous))));
  }
  const listUncommitted = async () =>
    (await listMonthsWithoutCommitment(reader)).map(
      ({ company_id: companyId, month }): MonthFault => ({ companyId, month, why: 'added' }),
    );
  faults.push(...(await lastingFaults(listUncommitted)));
  return { commitments: commitments.length, faults };
}

/** Twice, if there are faults: re-opening or erasing between two reads makes none. */
async function lastingFaults(find: () => Promise<readonly MonthFault[]>): Promise<readonly MonthFault[]> {
  const first = await find();
  if (first.length === 0) return [];
  const second = new Set((await find()).map((fault) => JSON.stringify(fault)));
  return first.filter((fault) => second.has(JSON.stringify(fault)));
}

type Commitment = CommitmentRow & { readonly company_id: number; readonly company_token: string };
type CommittedLeaf = Awaited<ReturnType<typeof listCommittedLeaves>>[number];

async function verifyCommitment(
  reader: Reader,
  commitment: Commitment,
  previous: Commitment | undefined,
): Promise<MonthFault[]> {
  const { company_id: companyId, period: month } = commitment;
  const faults: MonthFault[] = [];
  const fault = (reason: MonthFault['why'], place: Pick<MonthFault, 'personId' | 'part'> = {}) =>
    faults.push({ companyId, month, ...place, why: reason });
  const leaves = await listCommittedLeaves(reader, commitment.id);
  const hashes = leaves.map(({ slot, leaf }): Leaf => ({ slot, hash: Buffer.from(leaf, 'hex') }));
  const seed = Buffer.from(commitment.seed ?? '', 'hex');
  const upperNodes = upperNodesOf(hashes, seed);
  const isKept = upperNodes.toString('base64') === commitment.upper_nodes;
  if (!isKept || rootOf(upperNodes, seed).toString('hex') !== commitment.root) fault('root');
  if (!isSuccessor(commitment, previous)) fault('order');
  const tokens = leaves.some(isBare) ? await listPersonTokens(reader, companyId) : [];
  const owners = new Map(tokens.map(({ id, proof_token: token }) => [slotOf(placeOf(commitment, token)), id]));
  const partsByPerson = new Map<number, readonly Part[]>();
  for (const leaf of leaves) {
    const personId = leaf.person_id ?? owners.get(leaf.slot);
    if (personId === undefined || isBare(leaf)) {
      // Only the leaf is left of an erased person, and its place has no owner.
      if (leaf.parts !== null) fault('leaf', defined({ personId }));
      else if (personId !== undefined) fault('gone', { personId });
      continue;
    }
    const parts = readOrUndefined(() => unpackParts(leaf.parts!));
    if (parts === undefined) fault('unreadable', { personId });
    else {
      partsByPerson.set(personId, parts);
      if (!fitsLeaf(commitment, leaf, parts)) fault('leaf', { personId });
    }
  }
  const closedMonth = await findClosedMonth(reader, companyId, month);
  if (closedMonth?.closed_at !== commitment.made_at) return faults;
  const span = { companyId, month, first: `${month}-01`, last: lastDayOf(month) };
  const storedMonths = await readStored(reader, span, closedMonth.company_name, partsByPerson);
  if (storedMonths === undefined) fault('unreadable');
  for (const { personId, parts } of storedMonths ?? []) {
    const committedParts = partsByPerson.get(personId);
    partsByPerson.delete(personId);
    if (committedParts === undefined && !faults.some((candidate) => candidate.personId === personId))
      fault('added', { personId });
    for (const part of committedParts === undefined ? [] : differencesOf(committedParts, parts))
      fault('changed', { personId, part });
  }
  if (storedMonths !== undefined) for (const personId of partsByPerson.keys()) fault('missing', { personId });
  return faults;
}

/** True for the leaf of a person who was erased, or made to look so. */
function isBare(leaf: CommittedLeaf): boolean {
  return leaf.person_id === null || leaf.parts === null;
}

function placeOf({ period, revision, attempt, company_token: companyToken }: Commitment, personToken: string): Place {
  return { companyToken, period, revision, attempt, personToken };
}

/** Revisions count from 1, and each names the root of the one before. */
function isSuccessor(commitment: Commitment, previous: Commitment | undefined): boolean {
  const isSame = previous?.company_id === commitment.company_id && previous.period === commitment.period;
  const [revision, root] = isSame ? [previous.revision + 1, previous.root] : [1, null];
  return commitment.revision === revision && commitment.previous_root === root;
}

function fitsLeaf(commitment: Commitment, leaf: CommittedLeaf, parts: readonly Part[]): boolean {
  const place = placeOf(commitment, leaf.proof_token ?? '');
  const recordSalt = Buffer.from(leaf.record_salt ?? '', 'hex');
  const hashes = parts.map((part) => partHash(part, partSalt(recordSalt, place, part.name)));
  return slotOf(place) === leaf.slot && leafOf(hashes).toString('hex') === leaf.leaf;
}

/** The months from their rows; the carry-over comes from the months before, which have proofs of their own. */
async function readStored(
  reader: Reader,
  span: MonthSpan,
  companyName: string,
  committedByPerson: ReadonlyMap<number, readonly Part[]>,
): Promise<readonly MonthOfPerson[] | undefined> {
  try {
    return await readMonths(reader, span, companyName, (row) => ({
      ...(contentOf(committedByPerson.get(row.person_id) ?? [], 'figures') as unknown as Figures),
      target: row.target_minutes,
      worked: row.worked_minutes,
      difference: row.difference_minutes,
    }));
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

/** Names of the parts that differ. The head is that of the commitment. Later sign-offs change nothing. */
function differencesOf(committedParts: readonly Part[], storedParts: readonly Part[]): string[] {
  const texts = new Map(storedParts.map(({ name, text }) => [name, text]));
  const names = new Set([...committedParts, ...storedParts].map(({ name }) => name));
  const changedNames = [...names].filter((name) => {
    if (name === 'head') return false;
    const text = committedParts.find((part) => part.name === name)?.text;
    if (name === 'sign_offs' && text !== undefined) return !isBeginning(text, texts.get(name) ?? '[]');
    return text !== texts.get(name);
  });
  // The validity of a sign-off follows from the days.
  return changedNames.filter((name) => name !== 'sign_offs' || !changedNames.some((other) => /^\d/.test(other)));
}

/** Whether a list begins with all of another one. */
function isBeginning(beginning: string, list: string): boolean {
  const first = JSON.parse(beginning) as unknown[];
  return JSON.stringify((JSON.parse(list) as unknown[]).slice(0, first.length)) === JSON.stringify(first);
}

function contentOf(parts: readonly Part[], name: string): object {
  return JSON.parse(parts.find((part) => part.name === name)?.text ?? '{}') as object;
}

function readOrUndefined<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return undefined;
  }
}

/** Damaged bytes or rows, not a database that does not answer. */
function isDamage(error: unknown): boolean {
  const { code = '' } = error as { code?: string };
  return (
    error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError || code.startsWith('Z_')
  );
}
