/** A pass writes missing roots to the ledger, and asks every index about the written ones. */
import { day, type Instant } from '@clockproof/platform/time/instant';
import type { AnchorNeeds } from './anchor-needs.js';
import { confirmRoot } from './confirm-root.js';
import { type Blame, openPanel, type Panel } from './panel.js';
import type { Commitment, CommitmentState, Commitments } from './service-api.js';
import { writeRoot } from './write-root.js';

export interface PassOutcome {
  /** Roots that are not on the ledger yet, as far as the service knows. */
  readonly waiting: number;
  /** Roots on the ledger that not every index has confirmed. */
  readonly unconfirmed: number;
  readonly contradicted: number;
  /** Roots that are not anchored a day after they were made. */
  readonly overdue: number;
  /** Sentences for the log, the metrics and the health. */
  readonly faults: readonly string[];
}

/** Remembers from pass to pass whether the sender is proven, and its last look at the anchored roots. */
export function createAnchoring(needs: AnchorNeeds): { readonly pass: () => Promise<PassOutcome> } {
  const { service, log, clock, stopped = () => false } = needs;
  /** An index has found a root of this sender: the command writes the right roots. */
  let isProven = false;
  let sweptAt: Instant | undefined;

  /** @returns the commitments whose root no index has found yet */
  async function confirmAll(panel: Panel, states: readonly CommitmentState[], blame: Blame): Promise<Commitment[]> {
    const notFound: Commitment[] = [];
    for (const state of states)
      for (const commitment of await service.list(state)) {
        if (stopped()) return [];
        const senders = await confirmRoot(needs, panel, { ...commitment, state }, blame);
        if (senders.size === 0) notFound.push(commitment);
        isProven ||= senders.has(needs.sender);
      }
    return notFound;
  }

  /**
   * Writes one root only as long as the sender is not proven: a wrong sender would cost a transaction for each.
   * @returns true if there is something to ask the indexes about
   */
  async function writeAll(panel: Panel, missing: readonly Commitment[], blame: Blame): Promise<boolean> {
    let hasReported = false;
    for (const commitment of missing) {
      if (stopped()) break;
      const outcome = await writeRoot(needs, panel, commitment, blame);
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
    const panel = await openPanel(needs.indexes, needs.sender, blame);
    if (panel !== undefined) {
      const startedAt = clock();
      const isSweep = sweptAt === undefined || startedAt - sweptAt >= day;
      let notFound = await confirmAll(panel, ['reported', 'contradicted', ...(isSweep ? anchoredOnly : [])], blame);
      if (isSweep && !stopped()) sweptAt = startedAt;
      for (;;) {
        const wasProven = isProven;
        const missing = [...notFound, ...(await service.list('made'))];
        if (!(await writeAll(panel, missing, blame))) break;
        notFound = await confirmAll(panel, ['reported'], blame);
        if (wasProven || !isProven) break;
      }
    }
    return { ...(await readOutcome(service, blame)), faults: [...faults] };
  }

  return { pass };
}

const anchoredOnly = ['anchored'] as const;

async function readOutcome(service: Commitments, blame: Blame): Promise<Omit<PassOutcome, 'faults'>> {
  const openCommitments = await service.list('made');
  const reportedCommitments = await service.list('reported');
  const contradictedCommitments = await service.list('contradicted');
  const overdueCommitments = [...openCommitments, ...reportedCommitments].filter(({ overdue }) => overdue);
  for (const { period, company_token } of overdueCommitments) blame(`${period} of company ${company_token} is overdue`);
  for (const { period, company_token } of contradictedCommitments)
    blame(`an index contradicts the anchor of ${period} of company ${company_token}`);
  return {
    waiting: openCommitments.length,
    unconfirmed: reportedCommitments.length,
    contradicted: contradictedCommitments.length,
    overdue: overdueCommitments.length,
  };
}
