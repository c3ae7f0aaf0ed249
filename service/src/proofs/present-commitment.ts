import type { Reader } from '@clockproof/platform/database/database';
import { formatInstant, type Instant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/service-types.js';
import { type CommitmentWithToken, listReportedAnchors, type ReportedAnchor } from './anchor-rows.js';
import { isOverdue } from './commitment-state.js';

type Commitment = components['schemas']['Commitment'];

export async function presentCommitment(
  reader: Reader,
  commitment: CommitmentWithToken,
  at: Instant,
): Promise<Commitment> {
  return (await presentCommitments(reader, [commitment], at)).get(commitment)!;
}

/** @returns them by row */
export async function presentCommitments<T extends CommitmentWithToken>(
  reader: Reader,
  commitments: readonly T[],
  at: Instant,
): Promise<ReadonlyMap<T, Commitment>> {
  const reportedIds = commitments.filter(({ state }) => state !== 'made').map(({ id }) => id);
  const anchors = await listReportedAnchors(reader, reportedIds);
  return new Map(commitments.map((row) => [row, present(row, anchors.get(row.id) ?? [], at)]));
}

function present(commitment: CommitmentWithToken, anchors: readonly ReportedAnchor[], at: Instant): Commitment {
  const { id, company_token, kind, period, revision, root, previous_root: previousRoot, made_at, state } = commitment;
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
    anchors: anchors.map(({ anchor: { tx, sender, package: packageId, chain, reported_at }, checks }) => ({
      tx,
      sender,
      package: packageId,
      chain,
      reported_at: formatInstant(reported_at),
      checks: checks.map(({ index_url, verdict, checked_at }) => ({
        index: index_url,
        verdict,
        checked_at: formatInstant(checked_at),
      })),
    })),
  };
}
