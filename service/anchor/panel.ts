/** The indexes of a pass, none of which is trusted alone. */
import type { Instant } from '@clockproof/platform/time/instant';
import type { IndexStatus, LedgerIndex } from './ledger-index.js';
import { Unreachable } from './read-json.js';

/** Notes a fault, in a sentence. */
export type Blame = (fault: string) => void;

/** The indexes that answer; one that fails is left out until the next pass. */
export interface Panel {
  readonly members: Map<LedgerIndex, IndexStatus>;
  readonly package: string;
  readonly chain: string;
  /** Instant on the ledger up to which every answering index has read. */
  readonly readUntil: Instant | undefined;
}

/** @returns undefined if no index answers, or if they follow different ledgers: then nothing is written */
export async function openPanel(
  indexes: readonly LedgerIndex[],
  sender: string,
  blame: Blame,
): Promise<Panel | undefined> {
  const members = new Map<LedgerIndex, IndexStatus>();
  for (const index of indexes)
    await ask(members, index, blame, async () => members.set(index, await index.status(sender)));
  const statuses = [...members.values()];
  const chains = [...new Set(statuses.flatMap(({ chain }) => chain ?? []))];
  if (chains.length > 1) blame(`the indexes follow different ledgers: ${chains.join(', ')}`);
  const reference = statuses.find(({ chain }) => chain !== undefined);
  if (chains.length > 1 || reference === undefined) return undefined;
  const readUntil = Math.min(...statuses.map((status) => status.readUntil ?? Number.NaN));
  return {
    members,
    package: reference.package,
    chain: chains[0]!,
    readUntil: Number.isNaN(readUntil) ? undefined : readUntil,
  };
}

/** @returns undefined if the index does not answer */
export async function ask<T>(
  members: Map<LedgerIndex, unknown>,
  index: LedgerIndex,
  blame: Blame,
  question: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await question();
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    members.delete(index);
    blame(error.message);
    return undefined;
  }
}
