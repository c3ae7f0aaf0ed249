/** The verdicts of the indexes on a reported root. */
import { day, parseInstant } from '@clockproof/platform/time/instant';
import type { AnchorNeeds } from './anchor-needs.js';
import { ask, type Blame, type Panel } from './panel.js';
import type { Check, Commitment, CommitmentState } from './service-api.js';

/** Time until an index is asked again, by the ledger's clock. The pass looks at anchored roots once a day. */
const recheckMs = { made: day, reported: day, anchored: 30 * day, contradicted: day } as const;

/**
 * Asks about a root until every index confirms it, and again from time to time; reports new verdicts.
 * @returns the senders of the transactions in which an index has found it
 */
export async function confirmRoot(
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
      // An index that does not answer, or has not read the ledger, keeps its verdict. Without one it would not count as
      // asked; an added index takes nothing back from what the others have confirmed.
      const isSilent =
        verdict === undefined || (verdict === 'unknown' && panel.members.get(index)?.readUntil === undefined);
      if (isSilent && (last !== undefined || state === 'anchored')) continue;
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
