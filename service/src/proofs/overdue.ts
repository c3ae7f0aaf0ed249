/** Admins hear that a closed month is not on the ledger after a day, once, where somebody was asked to bring it there. */
import { day, type Instant } from '@clockproof/platform/time/instant';
import { companyAdmins, notify } from '../inbox/notices.js';
import { allCompanies } from '../store/every-company.js';
import type { Store } from '../store/write.js';
import { findCommitmentRow, listOverdueWithoutNotice } from './anchor-rows.js';
import { isOverdue } from './commitment-state.js';

export async function tellOverdueCommitments(db: Store, at: Instant): Promise<void> {
  for (const { id, company_id: companyId } of await listOverdueWithoutNotice(db, at - day)) {
    const admins = await companyAdmins(db, companyId);
    if (admins.length === 0) continue;
    // If the process stops after some of them, the others follow the next time.
    await db.write({ actor: { kind: 'system' }, at }, async (write) => {
      await write.lock({ company: companyId });
      const commitment = await findCommitmentRow(write, allCompanies, id);
      if (commitment === undefined || !isOverdue(commitment, at)) return write.unaudited('attempt');
      const { period } = commitment;
      await notify(write, admins, { kind: 'proof_overdue', month: period, commitment: id });
      await write.audit({ companyId, action: 'commitment.overdue', subject: `commitment ${id}`, details: { period } });
    });
  }
}
