import { describe, expect, it } from '@jest/globals';
import {
  type AbsenceRole,
  type AbsenceStatus,
  type AbsenceStep,
  counts,
  isLive,
  nextStatus,
  transitions,
} from './state.js';

const states = ['waiting', 'approved', 'rejected', 'withdrawn', 'cancellation_requested', 'cancelled'] as const;
const steps = [
  'change',
  'end_early',
  'take_back',
  'approve',
  'reject',
  'grant_cancellation',
  'decline_cancellation',
] as const;
const roles = ['requester', 'leading_system', 'approver'] as const;

/** Everything that is allowed; every other combination is refused. */
const allowedTransitions: readonly (readonly [AbsenceStatus, AbsenceStep, AbsenceRole, AbsenceStatus])[] = [
  ['waiting', 'change', 'requester', 'waiting'],
  ['waiting', 'change', 'leading_system', 'waiting'],
  ['waiting', 'change', 'approver', 'waiting'],
  ['waiting', 'take_back', 'requester', 'withdrawn'],
  ['waiting', 'take_back', 'leading_system', 'withdrawn'],
  ['waiting', 'take_back', 'approver', 'withdrawn'],
  ['waiting', 'approve', 'approver', 'approved'],
  ['waiting', 'reject', 'approver', 'rejected'],
  ['approved', 'change', 'leading_system', 'approved'],
  ['approved', 'change', 'approver', 'approved'],
  ['approved', 'end_early', 'requester', 'approved'],
  ['approved', 'take_back', 'requester', 'cancellation_requested'],
  ['approved', 'take_back', 'leading_system', 'cancelled'],
  ['approved', 'take_back', 'approver', 'cancelled'],
  ['cancellation_requested', 'take_back', 'leading_system', 'cancelled'],
  ['cancellation_requested', 'take_back', 'approver', 'cancelled'],
  ['cancellation_requested', 'grant_cancellation', 'approver', 'cancelled'],
  ['cancellation_requested', 'decline_cancellation', 'approver', 'approved'],
];

describe('the states of an absence', () => {
  it('the states of an absence allow the transitions of the table and no others', () => {
    const outcomes = states.flatMap((status) =>
      steps.flatMap((step) => roles.map((role) => [status, step, role, nextStatus(status, step, role)] as const)),
    );
    expect(outcomes).toHaveLength(126);
    expect(outcomes.filter(([, , , next]) => next !== undefined)).toEqual(
      expect.arrayContaining([...allowedTransitions]),
    );
    expect(outcomes.filter(([, , , next]) => next !== undefined)).toHaveLength(allowedTransitions.length);
  });

  it('rejected, withdrawn and cancelled absences never change state', () => {
    for (const end of ['rejected', 'withdrawn', 'cancelled'] as const) expect(transitions[end]).toEqual({});
  });

  it('a person decides about no absence', () => {
    for (const status of states)
      for (const step of ['approve', 'reject', 'grant_cancellation', 'decline_cancellation'] as const)
        expect(nextStatus(status, step, 'requester')).toBeUndefined();
  });

  it('an absence takes days while pending or approved, until a cancellation is granted', () => {
    expect(states.filter(isLive)).toEqual(['waiting', 'approved', 'cancellation_requested']);
    expect(states.filter(counts)).toEqual(['approved', 'cancellation_requested']);
  });
});
