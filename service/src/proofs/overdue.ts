/** Admins get one notice if a root is not on the ledger after a day, and an extension may report anchors. */
import { day, type Instant } from '@clockproof/platform/time/instant';
import { companyAdmins, installationAdmins, type NoticeFacts, notify } from '../inbox/notices.js';
import { allCompanies } from '../store/every-company.js';
import type { Store } from '../store/write.js';
import { findCommitmentRow, listOverdueWithoutNotice, updateCommitment } from './anchor-rows.js';
import { isOverdue } from './commitment-state.js';
import { dayOfLog } from './log-period.js';

export async function tellOverdueCommitments(db: Store, at: Instant): Promise<void> {
  for (const { id, company_id: companyId } of await listOverdueWithoutNotice(db, at - day)) {
    const admins = companyId === null ? await installationAdmins(db) : await companyAdmins(db, companyId);
    if (admins.length === 0) continue;
    // If the process stops after some of them, the others follow the next time.
    await db.write({ actor: { kind: 'system' }, at }, async (write) => {
      await write.lock(companyId === null ? { installation: true } : { company: companyId });
      const commitment = await findCommitmentRow(write, allCompanies, id);
      if (commitment === undefined || commitment.overdue_told_at !== null || !isOverdue(commitment, at))
        return write.unaudited('attempt');
      const { period } = commitment;
      const notice: NoticeFacts =
        companyId === null
          ? { kind: 'log_overdue', day: dayOfLog(period), commitment: id }
          : { kind: 'proof_overdue', month: period, commitment: id };
      await notify(write, admins, notice);
      await updateCommitment(write, id, { overdue_told_at: at });
      await write.audit({
        ...(companyId === null ? {} : { companyId }),
        action: 'commitment.overdue',
        subject: `commitment ${id}`,
        details: { period },
      });
    });
  }
}
