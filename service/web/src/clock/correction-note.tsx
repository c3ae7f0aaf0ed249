import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { useWithdrawal } from './day-row.js';

/** A requested correction: old and new times, side by side. */
export function CorrectionNote({
  correction,
  zone,
  own = true,
}: {
  readonly correction: Schemas['Correction'];
  /** Zone of the person's company. */
  readonly zone: Zone;
  /** Whether the signed-in person asked for it: they can withdraw it, others decide. */
  readonly own?: boolean;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const withdrawing = useWithdrawal();
  const span = (start: string | undefined, end: string | undefined) =>
    start === undefined ? '–' : calendar.times(start, end, words.no_clock_out);
  const breaks = (spans: Schemas['Correction']['breaks'] | undefined) =>
    spans === undefined || spans.length === 0
      ? ''
      : `, ${words.time_breaks} ${spans.map((pause) => span(pause.start, pause.end)).join(', ')}`;
  const { status, entry, present_entry: present, remove, start, end } = correction;
  return (
    <div className="correction-note" data-status={status}>
      <p>
        <span
          className="badge"
          data-tone={
            status === 'waiting' ? 'warn' : status === 'approved' ? 'ok' : status === 'rejected' ? 'bad' : 'plain'
          }
        >
          {words.correction_states[status]}
        </span>{' '}
        {entry !== undefined && (
          <>
            <del>
              {span(entry.start, entry.end)}
              {breaks(entry.breaks)}
            </del>{' '}
            <span aria-hidden="true">→</span>{' '}
          </>
        )}
        <ins>{remove ? words.correction_removed : `${span(start, end)}${breaks(correction.breaks)}`}</ins>
      </p>
      {present !== undefined && (
        <p>
          {words.correction_changed_since}: {span(present.start, present.end)}
          {breaks(present.breaks)}
        </p>
      )}
      <p className="muted">
        <q>{correction.reason}</q>
        {correction.decided_by !== undefined && (
          <>
            {' '}
            · <bdi>{correction.decided_by.name}</bdi>
          </>
        )}
        {correction.decision_reason !== undefined && (
          <>
            : <q>{correction.decision_reason}</q>
          </>
        )}
      </p>
      <ProblemNotice problem={withdrawing.error} />
      {status === 'waiting' && !own && (
        <Link className="link-button" href={`/team/approvals?person=${correction.person.id}`}>
          {words.correction_decide}
        </Link>
      )}
      {status === 'waiting' && own && (
        <button
          type="button"
          className="link-button"
          disabled={withdrawing.isPending}
          onClick={() => withdrawing.mutate(correction.id)}
        >
          {words.withdraw}
        </button>
      )}
    </div>
  );
}
