/** Commits to the audit log: an old backup, or a log whose end was cut, then contradicts the ledger. */
import { day, formatInstant, type Instant } from '@clockproof/platform/time/instant';
import { findHeadBefore } from '../store/audit/rows.js';
import type { Store } from '../store/write.js';
import { periodOfLog } from './log-period.js';
import { findLogCommitment, insertCommitment } from './rows.js';

/**
 * Once a day: the newest sealed head of the days before, under the period of the last of them, in UTC. If the process
 * stops before the commit, the next call commits to the same head.
 */
export async function commitLog(db: Store, at: Instant): Promise<void> {
  const midnight = at - (at % day);
  const period = periodOfLog(formatInstant(midnight - day).slice(0, 10));
  if ((await findLogCommitment(db, period)) !== undefined) return;
  const head = await findHeadBefore(db, midnight);
  if (head === undefined) return;
  await db.write({ actor: { kind: 'system' }, at }, async (write) => {
    await write.lock({ installation: true });
    if ((await findLogCommitment(write, period)) !== undefined) return;
    const commitment = { company_id: null, kind: 'log' as const, period, revision: 1, attempt: 1, root: head.root };
    const first = { made_at: at, state: 'made' as const, claimed_until: null, overdue_told_at: null };
    await insertCommitment(write, { ...commitment, seed: null, upper_nodes: null, previous_root: null, ...first }, []);
    await write.audit({ action: 'audit.committed', details: { period, size: head.size } });
  });
}
