/**
 * One pass: writes roots that are missing on the ledger, and asks every index about those that were written.
 *
 * A root is written once: who writes holds the only claim to it, and the service grants another one only to somebody who
 * has seen the ledger as it was after the first had ended. If this process dies, the claim ends; then either an index
 * lists the root, and it is reported, or nothing was written, and it is claimed anew.
 */
import type { Log } from '@clockproof/platform/log';
import { formatInstant, type Instant, parseInstant } from '@clockproof/platform/time/instant';
import type { CommandOutcome, LedgerCommand } from './ledger-command.js';
import type { IndexStatus, IndexVerdict, LedgerIndex } from './ledger-index.js';
import { Unreachable } from './read-json.js';
import type { Anchor, AnchorFacts, Commitment, Commitments } from './service-api.js';

export interface AnchorNeeds {
  readonly service: Commitments;
  readonly indexes: readonly LedgerIndex[];
  readonly command: LedgerCommand;
  /** Milliseconds that the command may take. */
  readonly timeoutMs: number;
  readonly sender: string;
  readonly clock: () => Instant;
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
  /** When the oldest of those was made that are not anchored. */
  readonly oldestMadeAt?: Instant;
  /** Sentences for the log, the metrics and the health. */
  readonly faults: readonly string[];
}

const day = 86_400_000;
/** So often an anchored root is asked for again. */
const recheckMs = 30 * day;
/** What a ledger's clock may differ from the service's, and what a transaction takes after its client has ended. */
const settleMs = 60_000;

interface Panel {
  readonly members: Map<LedgerIndex, IndexStatus>;
  readonly package: string;
  readonly chain: string;
  /** The ledger was read up to here by every index that answers. */
  readonly readUntil: Instant | undefined;
}

/** @throws Unreachable the service does not answer */
export async function anchorOnce(needs: AnchorNeeds): Promise<PassOutcome> {
  const { service, log } = needs;
  const faults = new Set<string>();
  const blame = (fault: string) => {
    if (faults.has(fault)) return;
    faults.add(fault);
    needs.onFault?.(fault);
    log.warn(fault);
  };
  const panel = await openPanel(needs, blame);
  if (panel !== undefined) {
    for (const commitment of await service.list('made')) {
      if (needs.stopped?.() === true || !(await write(needs, panel, commitment, blame))) break;
    }
    for (const state of ['reported', 'anchored', 'contradicted'] as const)
      for (const commitment of await service.list(state))
        if (needs.stopped?.() !== true) await confirm(needs, panel, commitment, blame);
  }
  const [made, reported, contradicted] = await Promise.all([
    service.list('made'),
    service.list('reported'),
    service.list('contradicted'),
  ]);
  const instants = [...made, ...reported].map(({ madeAt }) => madeAt);
  for (const { period, companyToken } of contradicted)
    blame(`an index contradicts the anchor of ${period} of company ${companyToken}`);
  return {
    waiting: made.length,
    unconfirmed: reported.length,
    contradicted: contradicted.length,
    ...(instants.length === 0 ? {} : { oldestMadeAt: Math.min(...instants) as Instant }),
    faults: [...faults],
  };
}

/** The indexes that answer. Without one, or if they follow different ledgers, nothing can be done. */
async function openPanel({ indexes, sender }: AnchorNeeds, blame: (fault: string) => void): Promise<Panel | undefined> {
  const members = new Map<LedgerIndex, IndexStatus>();
  for (const index of indexes)
    await ask(members, index, blame, async () => members.set(index, await index.status(sender)));
  const statuses = [...members.values()];
  const chains = [...new Set(statuses.flatMap(({ chain }) => chain ?? []))];
  if (chains.length > 1) blame(`the indexes follow different ledgers: ${chains.join(', ')}`);
  if (chains.length !== 1) return undefined;
  const known = statuses.find(({ chain }) => chain !== undefined)!;
  const readUntil = statuses.map((status) => status.readUntil ?? Number.NaN);
  return {
    members,
    package: known.package,
    chain: chains[0]!,
    readUntil: readUntil.some(Number.isNaN) ? undefined : (Math.min(...readUntil) as Instant),
  };
}

/** @returns false if the command does not work: the others wait for the next pass */
async function write(
  { service, command, sender, timeoutMs, log, onCommand }: AnchorNeeds,
  panel: Panel,
  commitment: Commitment,
  blame: (fault: string) => void,
): Promise<boolean> {
  const { id, companyToken, period, root } = commitment;
  const subject = { commitment: id, period };
  const report = (tx: string) =>
    service.report(id, { tx, sender, package: panel.package, chain: panel.chain }, []).then((refusal) => {
      if (refusal !== undefined) blame(`the service refuses transaction ${tx} for commitment ${id}: ${refusal}`);
    });
  for (const index of panel.members.keys()) {
    const tx = await ask(panel.members, index, blame, () => index.find({ companyToken, period, root, sender }));
    if (tx === undefined) continue;
    log.info({ ...subject, tx, index: index.url }, 'the root is on the ledger already');
    await report(tx);
    return true;
  }
  if (panel.members.size === 0) return false;
  const refusal = await service.claim(id, {
    seconds: Math.ceil((timeoutMs + settleMs) / 1_000),
    ...(panel.readUntil === undefined ? {} : { ledger_read_until: formatInstant(panel.readUntil) }),
  });
  if (refusal !== undefined) {
    log.info({ ...subject, refusal }, 'not claimed: somebody may be writing it');
    return true;
  }
  // If this process dies from here on, the claim ends, and the indexes say whether the root was written.
  const outcome = await command({ companyToken, period, root });
  onCommand?.('tx' in outcome ? 'written' : outcome.failure);
  if (!('tx' in outcome)) {
    blame(`ANCHOR_COMMAND for ${period}: ${outcome.failure}, ${outcome.words}`);
    return false;
  }
  log.info({ ...subject, tx: outcome.tx }, 'written to the ledger');
  await report(outcome.tx);
  return true;
}

async function confirm(
  { service, log, clock }: AnchorNeeds,
  panel: Panel,
  { id, state, companyToken, period, root, anchors }: Commitment,
  blame: (fault: string) => void,
): Promise<void> {
  for (const anchor of anchors) {
    if (state !== 'reported' && !isDue(anchor, clock())) continue;
    const checks: (IndexVerdict & { readonly index: string })[] = [];
    for (const index of panel.members.keys()) {
      const expectation = { companyToken, period, root, sender: anchor.sender };
      const verdict = await ask(panel.members, index, blame, () => index.verify(anchor.tx, expectation));
      if (verdict === undefined) continue;
      const last = anchor.checks.findLast((check) => check.index === index.url);
      if (last?.verdict === verdict.verdict && last.reason === verdict.reason && state === 'reported') continue;
      checks.push({ index: index.url, ...verdict });
      log.info({ commitment: id, period, tx: anchor.tx, index: index.url, ...verdict }, 'verdict');
    }
    if (checks.length === 0) continue;
    const { tx, sender, package: anchorPackage, chain } = anchor;
    const facts: AnchorFacts = { tx, sender, package: anchorPackage, chain };
    const refusal = await service.report(id, facts, checks);
    if (refusal !== undefined) blame(`the service refuses the verdicts on transaction ${tx}: ${refusal}`);
  }
}

function isDue({ checks }: Anchor, now: Instant): boolean {
  return Math.max(0, ...checks.map(({ at }) => parseInstant(at) ?? 0)) + recheckMs <= now;
}

/** @returns undefined if the index does not answer: it is left out until the next pass */
async function ask<T>(
  members: Map<LedgerIndex, unknown>,
  index: LedgerIndex,
  blame: (fault: string) => void,
  question: (index: LedgerIndex) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await question(index);
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error;
    members.delete(index);
    blame(error.message);
    return undefined;
  }
}
