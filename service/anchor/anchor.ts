/**
 * One pass: writes roots that are missing on the ledger, and asks every index about those that were written.
 *
 * A root is written once: its writer holds the only claim to it, and the service grants another one only to somebody
 * who has seen the ledger as it was after the first had ended. If this process dies, its claim ends; then an index lists
 * the root, and it is reported, or nothing was written, and it is claimed again.
 */
import type { Log } from '@clockproof/platform/log';
import { day, formatInstant, type Instant, minute, parseInstant, second } from '@clockproof/platform/time/instant';
import type { CommandOutcome, LedgerCommand } from './ledger-command.js';
import type { IndexStatus, LedgerIndex } from './ledger-index.js';
import { Unreachable } from './read-json.js';
import type { Check, Commitment, Commitments } from './service-api.js';

export interface AnchorNeeds {
  readonly service: Commitments;
  readonly indexes: readonly LedgerIndex[];
  readonly command: LedgerCommand;
  /** Milliseconds that the command may take. */
  readonly timeoutMs: number;
  readonly sender: string;
  readonly log: Log;
  /** The process is to end: nothing else is begun. */
  readonly stopped?: () => boolean;
  readonly onCommand?: (outcome: 'written' | Extract<CommandOutcome, { failure: string }>['failure']) => void;
  readonly onFault?: (fault: string) => void;
}

export interface PassOutcome {
  /** Not on the ledger yet, as far as the service knows. */
  readonly waiting: number;
  /** On the ledger, and not confirmed by every index. */
  readonly unconfirmed: number;
  readonly contradicted: number;
  /** Not anchored a day after they were made. */
  readonly overdue: number;
  /** Sentences for the log, the metrics and the health. */
  readonly faults: readonly string[];
}

/** So often an index is asked again, by the ledger's clock. */
const recheckMs = { reported: day, anchored: 30 * day, contradicted: day } as const;
/** By which a ledger's clock may differ from the service's, and a transaction outlive its client. */
const settleMs = minute;

type Blame = (fault: string) => void;

/** The indexes that answer; one that fails is left out until the next pass. */
interface Panel {
  readonly members: Map<LedgerIndex, IndexStatus>;
  readonly package: string;
  readonly chain: string;
  /** Every index that answers has read the ledger up to here. */
  readonly readUntil: Instant | undefined;
}

/** @throws Unreachable the service does not answer */
export async function anchorOnce(needs: AnchorNeeds): Promise<PassOutcome> {
  const { service, log, stopped = () => false } = needs;
  const faults = new Set<string>();
  const blame = (fault: string) => {
    if (faults.has(fault)) return;
    faults.add(fault);
    needs.onFault?.(fault);
    log.warn(fault);
  };
  const panel = await openPanel(needs, blame);
  if (panel !== undefined) {
    for (const commitment of await service.list('made'))
      if (stopped() || !(await write(needs, panel, commitment, blame))) break;
    for (const state of ['reported', 'anchored', 'contradicted'] as const)
      for (const commitment of await service.list(state))
        if (!stopped()) await confirm(needs, panel, { ...commitment, state }, blame);
  }
  const [made, reported, contradicted] = [
    await service.list('made'),
    await service.list('reported'),
    await service.list('contradicted'),
  ];
  const overdue = [...made, ...reported].filter(({ overdue }) => overdue);
  for (const { period, company_token } of overdue) blame(`${period} of company ${company_token} is overdue`);
  for (const { period, company_token } of contradicted)
    blame(`an index contradicts the anchor of ${period} of company ${company_token}`);
  return {
    waiting: made.length,
    unconfirmed: reported.length,
    contradicted: contradicted.length,
    overdue: overdue.length,
    faults: [...faults],
  };
}

/** @returns undefined if no index answers, or if they follow different ledgers: then nothing is written */
async function openPanel({ indexes, sender }: AnchorNeeds, blame: Blame): Promise<Panel | undefined> {
  const members = new Map<LedgerIndex, IndexStatus>();
  for (const index of indexes)
    await ask(members, index, blame, async () => members.set(index, await index.status(sender)));
  const statuses = [...members.values()];
  const chains = [...new Set(statuses.flatMap(({ chain }) => chain ?? []))];
  if (chains.length > 1) blame(`the indexes follow different ledgers: ${chains.join(', ')}`);
  const known = statuses.find(({ chain }) => chain !== undefined);
  if (chains.length > 1 || known === undefined) return undefined;
  const readUntil = Math.min(...statuses.map((status) => status.readUntil ?? Number.NaN));
  return {
    members,
    package: known.package,
    chain: chains[0]!,
    readUntil: Number.isNaN(readUntil) ? undefined : readUntil,
  };
}

/** @returns false if nothing can be written now: the others wait for the next pass */
async function write(needs: AnchorNeeds, panel: Panel, commitment: Commitment, blame: Blame): Promise<boolean> {
  const { service, command, sender, timeoutMs, log } = needs;
  const { id, company_token, period, merkle_root } = commitment;
  const subject = { commitment: id, period };
  const report = async (tx: string) => {
    const refusal = await service.report(id, { tx, sender, package: panel.package, chain: panel.chain });
    if (refusal !== undefined) blame(`the service refuses transaction ${tx} for commitment ${id}: ${refusal}`);
  };
  for (const index of [...panel.members.keys()]) {
    const tx = await ask(panel.members, index, blame, () => index.find({ company_token, period, merkle_root, sender }));
    if (tx === undefined) continue;
    log.info({ ...subject, tx, index: index.url }, 'the root is on the ledger already');
    await report(tx);
    return true;
  }
  if (panel.members.size === 0) return false;
  const refusal = await service.claim(id, {
    seconds: Math.ceil((timeoutMs + settleMs) / second),
    ...(panel.readUntil === undefined ? {} : { ledger_read_until: formatInstant(panel.readUntil) }),
  });
  if (refusal !== undefined) {
    log.info({ ...subject, refusal }, 'not claimed');
    return true;
  }
  // If this process dies from here on, the claim ends, and the indexes say whether the root was written.
  const outcome = await command({ company_token, period, merkle_root });
  needs.onCommand?.('tx' in outcome ? 'written' : outcome.failure);
  if (!('tx' in outcome)) {
    blame(`ANCHOR_COMMAND for ${period}: ${outcome.failure}, ${outcome.words}`);
    return false;
  }
  log.info({ ...subject, tx: outcome.tx }, 'written to the ledger');
  await report(outcome.tx);
  return true;
}

/** Asks about a root until every index confirms it, and again from time to time; reports what is new. */
async function confirm(
  needs: AnchorNeeds,
  panel: Panel,
  commitment: Commitment & { readonly state: keyof typeof recheckMs },
  blame: Blame,
): Promise<void> {
  const { service, indexes, log } = needs;
  const { id, state, company_token, period, merkle_root, anchors } = commitment;
  const dueBefore = panel.readUntil === undefined ? undefined : panel.readUntil - recheckMs[state];
  for (const { tx, sender, package: anchorPackage, chain, checks: earlier } of anchors) {
    const checks: Check[] = [];
    for (const index of indexes) {
      const last = earlier.find((check) => check.index === index.url);
      const isDue = last === undefined || (dueBefore !== undefined && parseInstant(last.checked_at)! <= dueBefore);
      if (state !== 'reported' && !isDue) continue;
      const verdict = panel.members.has(index)
        ? await ask(panel.members, index, blame, () => index.verify(tx, { company_token, period, merkle_root, sender }))
        : undefined;
      // An index that does not answer keeps its verdict; without one it would not count as asked.
      if (verdict === undefined && last !== undefined) continue;
      if (isDue || verdict !== last.verdict) checks.push({ index: index.url, verdict: verdict ?? 'unknown' });
    }
    if (checks.length === 0) continue;
    log.info({ commitment: id, period, tx, checks }, 'verdicts');
    const refusal = await service.report(id, { tx, sender, package: anchorPackage, chain, checks });
    if (refusal !== undefined) blame(`the service refuses the verdicts on transaction ${tx}: ${refusal}`);
  }
}

/** @returns undefined if the index does not answer */
async function ask<T>(
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
