import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/service-types.js';
import { type CommitmentWithToken, listAnchorChecks, listAnchors } from './anchor-rows.js';
import { isOverdue } from './commitment-state.js';

export async function presentCommitment(
  reader: Reader,
  commitment: CommitmentWithToken,
  at: Instant,
): Promise<components['schemas']['Commitment']> {
  const { id, company_token, kind, period, revision, root, previous_root: previousRoot, made_at, state } = commitment;
  const anchors = state === 'made' ? [] : await listAnchors(reader, id);
  const checks = anchors.length === 0 ? [] : await listAnchorChecks(reader, id);
  return {
    id,
    company_token,
    kind,
    period,
    revision,
    merkle_root: root,
    previous_root: previousRoot ?? undefined,
    made_at: formatInstant(made_at),
    state,
    overdue: isOverdue(commitment, at),
    anchors: anchors.map(({ id: anchorId, tx, sender, package: packageId, chain, reported_at }) => ({
      tx,
      sender,
      package: packageId,
      chain,
      reported_at: formatInstant(reported_at),
      checks: checks
        .filter(({ anchor_id }) => anchor_id === anchorId)
        .map(({ index_url, verdict, checked_at }) => ({
          index: index_url,
          verdict,
          checked_at: formatInstant(checked_at),
        })),
    })),
  };
}
