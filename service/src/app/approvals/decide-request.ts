/** One decision about whatever waits: the room that owns the subject takes it. */
import type { Database } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { decideAbsence } from '../../absences/decide-absence.js';
import { findApproval } from '../../approvals/rows.js';
import { decideCorrection } from '../../clocking/corrections.js';
import { decidePendingEntry } from '../../clocking/decide-pending-entry.js';
import type { components } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import { actorOf, type PersonCaller } from '../caller.js';
import { numberIn } from '../prefixed-id.js';
import { decidedFor } from '../reach.js';
import { presentApprovals } from './present-approval.js';

export interface Decision {
  readonly caller: PersonCaller;
  readonly id: string;
  readonly outcome: 'approved' | 'rejected';
  readonly comment: string | undefined;
  readonly at: Instant;
}

/** @throws Refusal `not_found`, `own_request`, `already_decided`, and what the owning room refuses */
export function decideRequest(
  db: Database,
  { caller, id, outcome, comment, at }: Decision,
): Promise<components['schemas']['Approval']> {
  return db.write(async (tx) => {
    const approval = await findApproval(tx, numberIn(id, 'apr'), null);
    if (approval === undefined) throw new Refusal('not_found');
    await decidedFor(tx, caller, approval.person_id);
    if (approval.person_id === caller.person.id) throw new Refusal('own_request');
    if (approval.status !== 'waiting') throw new Refusal('already_decided');
    const decision = { id: approval.subject_id, comment, at };
    switch (approval.kind) {
      case 'absence':
        await decideAbsence(tx, {
          ...decision,
          decision: outcome === 'approved' ? 'approve' : 'reject',
          decider: caller.person,
          actor: actorOf(caller),
        });
        break;
      case 'absence_cancellation':
        await decideAbsence(tx, {
          ...decision,
          decision: outcome === 'approved' ? 'grant_cancellation' : 'decline_cancellation',
          decider: caller.person,
          actor: actorOf(caller),
        });
        break;
      case 'correction':
        await decideCorrection(tx, { ...decision, by: caller.person, decision: outcome });
        break;
      case 'offline_stamp':
        await decidePendingEntry(tx, { ...decision, by: caller.person, decision: outcome });
        break;
    }
    const decided = (await findApproval(tx, approval.id, null))!;
    return (await presentApprovals(tx, [decided], caller.person.language, at)).get(decided)!;
  });
}
