/**
 * The states of an absence, and who may move it from one to the next. Pure; for the diagram see
 * docs/guides/absences.md.
 */

export type AbsenceStatus = 'waiting' | 'approved' | 'rejected' | 'withdrawn' | 'cancellation_requested' | 'cancelled';

/**
 * `requester`: the person, or the extension that created it for the person. `leading_system`: an extension whose
 * absences count as approved, for its own absences. `approver`: decides about the person, in the web application.
 */
export type AbsenceRole = 'requester' | 'leading_system' | 'approver';

/** `end_early`: an earlier last day of an absence that needs no approval, and nothing else. */
export type AbsenceStep =
  | 'change'
  | 'end_early'
  | 'take_back'
  | 'approve'
  | 'reject'
  | 'grant_cancellation'
  | 'decline_cancellation';

type Transitions = Readonly<Partial<Record<AbsenceStep, Readonly<Partial<Record<AbsenceRole, AbsenceStatus>>>>>>;

/**
 * For each state: step, role, next state. Any other transition is refused. Rejected, withdrawn and cancelled are final.
 */
export const transitions: Readonly<Record<AbsenceStatus, Transitions>> = {
  waiting: {
    change: { requester: 'waiting', leading_system: 'waiting', approver: 'waiting' },
    take_back: { requester: 'withdrawn', leading_system: 'withdrawn', approver: 'withdrawn' },
    approve: { approver: 'approved' },
    reject: { approver: 'rejected' },
  },
  approved: {
    change: { leading_system: 'approved', approver: 'approved' },
    end_early: { requester: 'approved' },
    take_back: { requester: 'cancellation_requested', leading_system: 'cancelled', approver: 'cancelled' },
  },
  cancellation_requested: {
    // A system that became the leading one after its request grants the cancellation by requesting it again.
    take_back: { leading_system: 'cancelled', approver: 'cancelled' },
    grant_cancellation: { approver: 'cancelled' },
    decline_cancellation: { approver: 'approved' },
  },
  rejected: {},
  withdrawn: {},
  cancelled: {},
};

/** @returns the next state, or undefined if the state or the role does not allow the step */
export function nextStatus(status: AbsenceStatus, step: AbsenceStep, role: AbsenceRole): AbsenceStatus | undefined {
  return transitions[status][step]?.[role];
}

/** Whether its days are taken: another absence may not have them. */
export function isLive(status: AbsenceStatus): boolean {
  return status === 'waiting' || counts(status);
}

/** Whether its days count as absent. Until a cancellation is granted they do. */
export function counts(status: AbsenceStatus): boolean {
  return status === 'approved' || status === 'cancellation_requested';
}
