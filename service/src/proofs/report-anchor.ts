/** The report of the anchor service on a root: a transaction of the ledger, and the verdicts of indexes on it. */
import { installationAdmins, markOverdueRead, notify, notifyCompany } from '../inbox/notices.js';
import { Refusal } from '../store/refusal.js';
import type { CompanyScope } from '../store/scope.js';
import type { Write } from '../store/write.js';
import {
  type AnchorRow,
  type CommitmentWithToken,
  correctAnchor,
  findCommitmentRow,
  insertAnchor,
  keepAnchorCheck,
  listAnchorsOf,
  removeUnknownOfOthers,
  updateCommitment,
} from './anchor-rows.js';
import { type AnchorVerdict, isFound, maxAnchors, maxIndexes, stateOf, verdictsOf } from './commitment-state.js';
import { dayOfLog } from './log-period.js';
import { presentCommitment } from './present-commitment.js';

export interface AnchorReport {
  readonly commitmentId: number;
  readonly anchor: Pick<AnchorRow, 'tx' | 'sender' | 'package' | 'chain'>;
  readonly checks: readonly { readonly index: string; readonly verdict: AnchorVerdict }[];
  /** All that are asked, if the report says so. */
  readonly indexes?: readonly string[] | undefined;
}

/**
 * Stores it, and notifies everybody concerned when the state changes. If the process stops before the commit, nothing
 * was reported; the anchor service reports again.
 * @returns the commitment, and whether the transaction is new
 * @throws Refusal `not_found`, `anchor_differs`, `anchor_limit`
 */
export async function reportAnchorOf(
  write: Write,
  scope: CompanyScope,
  { commitmentId, anchor, checks, indexes }: AnchorReport,
): Promise<{ readonly commitment: CommitmentWithToken; readonly isNew: boolean }> {
  const commitmentRow = await findCommitmentRow(write, scope, commitmentId);
  if (commitmentRow === undefined) throw new Refusal('not_found');
  await write.lock(commitmentRow.company_id === null ? { installation: true } : { company: commitmentRow.company_id });
  const before = (await findCommitmentRow(write, scope, commitmentId))!;
  const earlierAnchors = await listAnchorsOf(write, commitmentId);
  const reportedAnchor = earlierAnchors.find((row) => row.anchor.tx === anchor.tx);
  const existingAnchor = reportedAnchor?.anchor;
  const isCorrection =
    existingAnchor !== undefined && !isSame(existingAnchor, { ...anchor, commitment_id: commitmentId });
  if (isCorrection) {
    const verdicts = verdictsOf(reportedAnchor!.checks);
    // A wrong ANCHOR_SENDER was reported: the corrected one finds the same transaction. Nothing else is taken back.
    if (isFound(verdicts) || ![...verdicts.values()].includes('mismatch')) throw new Refusal('anchor_differs');
    const { sender, package: packageId, chain } = anchor;
    await correctAnchor(write, existingAnchor.id, { sender, package: packageId, chain, reported_at: write.at });
  }
  if (existingAnchor === undefined && earlierAnchors.length >= maxAnchors) throw new Refusal('anchor_limit');
  const { id } =
    existingAnchor ?? (await insertAnchor(write, { ...anchor, commitment_id: commitmentId, reported_at: write.at }));
  for (const { index, verdict } of checks)
    await keepAnchorCheck(write, { anchor_id: id, index_url: index, verdict, checked_at: write.at });
  if (indexes !== undefined) await removeUnknownOfOthers(write, id, indexes);
  const anchors = await listAnchorsOf(write, commitmentId);
  if (anchors.some((row) => row.checks.length > maxIndexes)) throw new Refusal('anchor_limit');
  const state = stateOf(anchors.map((row) => verdictsOf(row.checks)));
  const commitment = { ...before, state };
  if (state !== before.state) {
    await updateCommitment(write, commitmentId, { state });
    await announce(write, commitment);
  }
  await write.audit({
    ...(before.company_id === null ? {} : { companyId: before.company_id }),
    action: 'commitment.reported',
    subject: `commitment ${commitmentId}`,
    details: {
      period: before.period,
      revision: before.revision,
      tx: anchor.tx,
      state,
      ...(isCorrection
        ? { corrected: { sender: existingAnchor.sender, package: existingAnchor.package, chain: existingAnchor.chain } }
        : {}),
    },
  });
  return { commitment, isNew: existingAnchor === undefined };
}

function isSame(existingAnchor: AnchorRow, anchor: Omit<AnchorRow, 'id' | 'reported_at'>): boolean {
  return (Object.keys(anchor) as (keyof typeof anchor)[]).every((name) => existingAnchor[name] === anchor[name]);
}

/** A contradiction concerns everybody in the company; of the audit log, those who run the installation. */
async function announce(write: Write, commitment: CommitmentWithToken): Promise<void> {
  const { company_id: companyId, period, state } = commitment;
  if (state !== 'anchored' && state !== 'contradicted') return;
  // Events are about companies.
  if (companyId !== null)
    await write.event({
      type: `commitment.${state}`,
      companyId,
      data: await presentCommitment(write, commitment, write.at),
    });
  if (state === 'anchored') await markOverdueRead(write, commitment.id);
  else if (companyId !== null) await notifyCompany(write, companyId, { kind: 'proof_contradicted', month: period });
  else await notify(write, await installationAdmins(write), { kind: 'log_contradicted', day: dayOfLog(period) });
}
