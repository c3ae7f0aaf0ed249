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
import type { Check, Commitment, CommitmentState, Commitments } from './service-api.js';

export interface AnchorNeeds {
  readonly service: Commitments;
  readonly indexes: readonly LedgerIndex[];
  readonly command: LedgerCommand;
  /** Milliseconds that the command may take. */
  readonly timeoutMs: number;
  readonly sender: string;
  readonly log: Log;
  readonly clock: () => Instant;
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

/** So often an index is asked again, by the ledger's clock. What is anchored is looked at once a day. */
const recheckMs = { made: day, reported: day, anchored: 30 * day, contradicted: day } as const;
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

/** Remembers from pass to pass whether the sender is proven, and when it has last looked at what is anchored. */
export function createAnchoring(needs: AnchorNeeds): { readonly pass: () => Promise<PassOutcome> } {
  const { service, log, clock, stopped = () => false } = needs;
  /** An index has found a root of this sender: the command writes what it is asked to. */
  let isProven = false;
  let sweptAt: Instant | undefined;

  /** @returns those whose root no index has found yet */
  async function confirmAll(panel: Panel, states: readonly CommitmentState[], blame: Blame): Promise<Commitment[]> {
    const unfound: Commitment[] = [];
    for (const state of states)
      for (const commitment of await service.list(state)) {
        if (stopped()) return [];
        const senders = await confirm(needs, panel, { ...commitment, state }, blame);
        if (senders.size === 0) unfound.push(commitment);
        isProven ||= senders.has(needs.sender);
      }
    return unfound;
  }

  /**
   * As long as the sender is not proven, one root: a wrong sender would cost a transaction for each.
   * @returns whether there is something to ask the indexes about
   */
  async function writeAll(panel: Panel, missing: readonly Commitment[], blame: Blame): Promise<boolean> {
    let hasReported = false;
    for (const commitment of missing) {
      if (stopped()) break;
      const outcome = await write(needs, panel, commitment, blame);
      hasReported ||= outcome === 'written' || outcome === 'found';
      isProven ||= outcome === 'found';
      if (outcome === 'failed' || !isProven) break;
    }
    return hasReported;
  }

  /** @throws Unreachable the service does not answer */
  async function pass(): Promise<PassOutcome> {
    const faults = new Set<string>();
    const blame = (fault: string) => {
      if (faults.has(fault)) return;
      faults.add(fault);
      needs.onFault?.(fault);
      log.warn(fault);
    };
    const panel = await openPanel(needs, blame);
    if (panel !== undefined) {
      const startedAt = clock();
      const isSweep = sweptAt === undefined || startedAt - sweptAt >= day;
      let unfound = await confirmAll(panel, ['reported', 'contradicted', ...(isSweep ? anchoredOnly : [])], blame);
      if (isSweep && !stopped()) sweptAt = startedAt;
      for (;;) {
        const wasProven = isProven;
        const missing = [...unfound, ...(await service.list('made'))];
        if (!(await writeAll(panel, missing, blame))) break;
        unfound = await confirmAll(panel, ['reported'], blame);
        if (wasProven || !isProven) break;
      }
    }
    return { ...(await readOutcome(service, blame)), faults: [...faults] };
  }

  return { pass };
}

const anchoredOnly = ['anchored'] as const;

async function readOutcome(service: Commitments, blame: Blame): Promise<Omit<PassOutcome, 'faults'>> {
  const made = await service.list('made');
  const reported = await service.list('reported');
  const contradicted = await service.list('contradicted');
  const overdue = [...made, ...reported].filter(({ overdue }) => overdue);
  for (const { period, company_token } of overdue) blame(`${period} of company ${company_token} is overdue`);
  for (const { period, company_token } of contradicted)
    blame(`an index contradicts the anchor of ${period} of company ${company_token}`);
  return {
    waiting: made.length,
    unconfirmed: reported.length,
    contradicted: contradicted.length,
    overdue: overdue.length,
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

/**
 * `found`: it was on the ledger already. `waiting`: somebody else has the claim, or the root was reported less than a
 * day ago and may still appear. `failed`: nothing can be written now.
 */
type WriteOutcome = 'found' | 'written' | 'waiting' | 'failed';

async function write(needs: AnchorNeeds, panel: Panel, commitment: Commitment, blame: Blame): Promise<WriteOutcome> {
  const { service, command, sender, timeoutMs, log } = needs;
  const { id, company_token, period, merkle_root, anchors } = commitment;
  const subject = { commitment: id, period };
  const report = async (tx: string) => {
    const refusal = await service.report(id, { tx, sender, package: panel.package, chain: panel.chain });
    if (refusal !== undefined) blame(`the service refuses transaction ${tx} for commitment ${id}: ${refusal}`);
  };
  for (const index of [...panel.members.keys()]) {
    const tx = await ask(panel.members, index, blame, () => index.find({ company_token, period, merkle_root, sender }));
    if (tx === undefined) continue;
    if (anchors.some((anchor) => anchor.tx === tx && anchor.sender === sender)) return 'waiting';
    log.info({ ...subject, tx, index: index.url }, 'the root is on the ledger already');
    await report(tx);
    return 'found';
  }
  if (panel.members.size === 0) return 'failed';
  const { readUntil } = panel;
  const latest = anchors.at(-1)?.reported_at;
  if (latest !== undefined && (readUntil === undefined || readUntil - parseInstant(latest)! < day)) return 'waiting';
  const refusal = await service.claim(id, {
    seconds: Math.ceil((timeoutMs + settleMs) / second),
    ...(readUntil === undefined ? {} : { ledger_read_until: formatInstant(readUntil) }),
  });
  if (refusal !== undefined) {
    log.info({ ...subject, refusal }, 'not claimed');
    return 'waiting';
  }
  // If this process dies from here on, the claim ends, and the indexes say whether the root was written.
  const outcome = await command({ company_token, period, merkle_root });
  needs.onCommand?.('tx' in outcome ? 'written' : outcome.failure);
  if (!('tx' in outcome)) {
    blame(`ANCHOR_COMMAND for ${period}: ${outcome.failure}, ${outcome.words}`);
    return 'failed';
  }
  log.info({ ...subject, tx: outcome.tx }, 'written to the ledger');
  await report(outcome.tx);
  return 'written';
}

/**
 * Asks about a root until every index confirms it, and again from time to time; reports what is new.
 * @returns the senders of the transactions in which an index has found it
 */
async function confirm(
  needs: AnchorNeeds,
  panel: Panel,
  commitment: Commitment & { readonly state: CommitmentState },
  blame: Blame,
): Promise<ReadonlySet<string>> {
  const { service, indexes, log } = needs;
  const { id, state, company_token, period, merkle_root, anchors } = commitment;
  const dueBefore = panel.readUntil === undefined ? undefined : panel.readUntil - recheckMs[state];
  const urls = indexes.map(({ url }) => url);
  const senders = new Set<string>();
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
    if ([...earlier, ...checks].some(({ verdict }) => verdict === 'match')) senders.add(sender);
    const isLeftOut = earlier.some(({ index, verdict }) => verdict === 'unknown' && !urls.includes(index));
    if (checks.length === 0 && !isLeftOut) continue;
    log.info({ commitment: id, period, tx, checks }, 'verdicts');
    const facts = { tx, sender, package: anchorPackage, chain };
    const refusal = await service.report(id, { ...facts, checks, indexes: urls });
    if (refusal !== undefined) blame(`the service refuses the verdicts on transaction ${tx}: ${refusal}`);
  }
  return senders;
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
