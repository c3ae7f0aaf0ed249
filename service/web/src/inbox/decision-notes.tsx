/** What became of decisions: the one that can still be taken back, and those that the service refused. */
import type { ReactNode } from 'react';
import { useCalendars } from '../parts/calendar.js';
import { Glyph } from '../parts/glyph.js';
import { withNames } from '../parts/names.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { lineOf } from './approval-words.js';
import type { Decision, Refused } from './decisions.js';
import { KeyCap } from './inbox-keys.js';

export function RefusedDecisions({ refused }: { readonly refused: readonly Refused[] }): ReactNode {
  const words = useWords();
  return refused.map(({ request, problem }) => (
    <div key={request.id} className="stack">
      <p className="note bad">
        <Glyph name="warning" /> <span>{withNames(words.approvals_refused, request.person.name)}</span>
      </p>
      <ProblemNotice problem={problem} />
    </div>
  ));
}

export function HeldDecision({
  of: { outcome, requests },
  keys,
  onUndo,
}: {
  readonly of: Decision;
  readonly keys: boolean;
  readonly onUndo: () => void;
}): ReactNode {
  const words = useWords();
  const calendarOf = useCalendars();
  const [first] = requests;
  return (
    <span className="toast">
      <Glyph name={outcome === 'approved' ? 'check' : 'cross'} />
      <span>
        {requests.length === 1
          ? withNames(
              words.approvals_pending[outcome],
              `${first!.person.name}, ${lineOf(first!, words, calendarOf(zoneOf(first!))).what}`,
            )
          : words.approvals_pending[outcome](words.approvals_pending_many(requests.length))}
      </span>
      <button type="button" onClick={onUndo}>
        {words.approvals_undo}
      </button>
      <KeyCap on={keys} name="z" />
    </span>
  );
}
