import { describe, expect, it } from '@jest/globals';
import { doorText } from './door-text.js';
import type { Outcome } from './relay.js';

const stampOutcome = (
  action: 'in' | 'out' | 'break_start' | 'break_end',
  warnings: readonly string[] = [],
): Outcome => ({
  kind: 'stamped',
  firstName: 'Ada',
  action,
  stamp: { state: 'in', server_time: '2026-11-23T07:03:59Z', warnings: warnings.map((message) => ({ message })) },
});

describe('the line at the door', () => {
  it.each([
    [stampOutcome('in'), 'Ada: clocked in at 08:03'],
    [stampOutcome('out'), 'Ada: clocked out at 08:03'],
    [stampOutcome('break_start'), 'Ada: break started at 08:03'],
    [stampOutcome('break_end'), 'Ada: break ended at 08:03'],
    [
      stampOutcome('in', ['Only 9 hours of rest.', 'It is Sunday.']),
      'Ada: clocked in at 08:03. Only 9 hours of rest. It is Sunday.',
    ],
  ])('the line says what was stamped, in the time of the door', (outcome, line) => {
    expect(doorText(outcome, 'Europe/Berlin')).toBe(line);
  });

  it('the line writes midnight as 00:00', () => {
    expect(
      doorText(
        {
          kind: 'stamped',
          firstName: 'Ada',
          action: 'in',
          stamp: { state: 'in', server_time: '2026-11-22T23:00:00Z', warnings: [] },
        },
        'Europe/Berlin',
      ),
    ).toBe('Ada: clocked in at 00:00');
  });

  it('the line names a person only where the card has proved itself', () => {
    expect(doorText({ kind: 'refused', code: 'card_refused', error: 'The card was refused.' }, 'UTC')).toBe(
      'This badge is not accepted. Please ask the administration.',
    );
    expect(doorText({ kind: 'refused', code: 'pin_wrong', error: 'The PIN is wrong.', firstName: 'Ada' }, 'UTC')).toBe(
      'Ada: the PIN is wrong',
    );
  });

  it("the line passes on the service's own sentence for a code it does not know", () => {
    expect(doorText({ kind: 'refused', code: 'brand_new', error: 'Something new.' }, 'UTC')).toBe('Something new.');
  });

  it('never says that nothing was stamped where that is not known', () => {
    expect(doorText({ kind: 'uncertain', firstName: 'Ada' }, 'UTC')).not.toMatch(/nothing/);
    expect(doorText({ kind: 'unreachable', reason: 'x' }, 'UTC')).toMatch(/nothing was stamped/);
  });

  it.each<Outcome>([
    { kind: 'nothing_chosen', firstName: 'Ada' },
    { kind: 'repeated', firstName: 'Ada', action: 'in' },
    { kind: 'counted', firstName: 'Ada', action: 'in' },
    { kind: 'issued' },
    { kind: 'removed' },
    { kind: 'unreadable' },
    { kind: 'random_uid' },
    { kind: 'fault', reason: 'x' },
  ])('the text is one line for $kind', (outcome) => {
    expect(doorText(outcome, 'UTC')).toMatch(/^[^\n]+$/);
  });
});
