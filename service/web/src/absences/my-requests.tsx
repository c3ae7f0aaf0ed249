/** The person's absences of a year: taken back, changed while they wait, ended early. */
import { type ReactNode, useState } from 'react';
import { ask, Problem } from '../api/ask.js';
import { outboxClient as client } from '../api/client.js';
import { hold, usePendingSubjects } from '../api/outbox.js';
import type { Schemas } from '../api/session.js';
import { plusDays, useDays } from '../parts/calendar.js';
import { useWords } from '../words/words.js';
import { EndEarly } from './end-early.js';
import { changedByAbsence } from './request-form.js';

type Leave = Schemas['OwnAbsence'];

/** The name of an absence in the outbox. */
const subjectOf = ({ id }: Leave) => `absence ${id}`;

export function MyRequests({
  leaves,
  today,
  onChange,
}: {
  readonly leaves: readonly Leave[];
  readonly today: string;
  /** Opens the form with a waiting request. */
  readonly onChange: (leave: Leave) => void;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const pendingSubjects = usePendingSubjects();
  const [ending, setEnding] = useState<number>();
  const takeBack = (leave: Leave) => {
    let isRepeated = false;
    hold({
      intent: leave.status === 'waiting' ? words.absence_withdrawing : words.absence_cancelling,
      failure: words.absence_not_taken_back(calendar.span(leave.start_date, leave.end_date)),
      subjects: [subjectOf(leave)],
      queries: changedByAbsence,
      async send() {
        try {
          await ask(client.DELETE('/app/me/absences/{id}', { params: { path: { id: leave.id } } }));
        } catch (problem) {
          // The answer to an earlier attempt was lost.
          if (!isRepeated || !(problem instanceof Problem) || problem.code !== 'absence_not_changeable') throw problem;
        } finally {
          isRepeated = true;
        }
        return [];
      },
    });
  };
  if (leaves.length === 0) return <p className="card empty">{words.absences_none}</p>;
  return (
    <div className="month-frame">
      <table className="requests">
        <thead>
          <tr>
            <th scope="col">{words.absence_period}</th>
            <th scope="col">{words.absence_kind}</th>
            <th scope="col">{words.absence_days}</th>
            <th scope="col">{words.month_state}</th>
          </tr>
        </thead>
        <tbody>
          {[...leaves]
            .sort((a, b) => b.start_date.localeCompare(a.start_date))
            .map((leave) => {
              const { id, status } = leave;
              const isGoing = pendingSubjects.has(subjectOf(leave));
              const open = status === 'waiting' || (status === 'approved' && leave.end_date >= today);
              const half = leave.half_day === undefined ? '' : `, ${words.absence_parts[leave.half_day]}`;
              const kind = `${leave.type_label}${half}`;
              return (
                <tr key={id}>
                  <th scope="row">
                    {calendar.span(leave.start_date, leave.end_date)}
                    <small>
                      {kind}, {words.number_of_days(leave.days, calendar.days(leave.days))}
                    </small>
                  </th>
                  <td>{kind}</td>
                  <td>{calendar.days(leave.days)}</td>
                  <td>
                    <span
                      className="badge"
                      data-tone={
                        status === 'approved'
                          ? 'ok'
                          : status === 'rejected'
                            ? 'bad'
                            : status === 'waiting'
                              ? 'warn'
                              : 'plain'
                      }
                    >
                      {isGoing ? words.absence_going : words.absence_states[status]}
                    </span>{' '}
                    {status === 'waiting' && !isGoing && (
                      <>
                        <button
                          type="button"
                          className="link-button"
                          aria-label={words.absence_change_of(kind, calendar.span(leave.start_date, leave.end_date))}
                          onClick={() => onChange(leave)}
                        >
                          {words.absence_change}
                        </button>{' '}
                      </>
                    )}
                    {leave.may_end_early && !isGoing && leave.end_date >= plusDays(today, -31) && (
                      <>
                        <button
                          type="button"
                          className="link-button"
                          aria-expanded={ending === id}
                          onClick={() => setEnding(ending === id ? undefined : id)}
                        >
                          {words.absence_end_early}
                        </button>{' '}
                      </>
                    )}
                    {open && !isGoing && (
                      <button type="button" className="link-button" onClick={() => takeBack(leave)}>
                        {status === 'waiting' ? words.withdraw : words.absence_cancel}
                      </button>
                    )}
                    {leave.decided_by !== undefined && leave.decision_comment !== undefined && (
                      <p>
                        <bdi>{leave.decided_by.name}</bdi>: {leave.decision_comment}
                      </p>
                    )}
                    {ending === id && leave.may_end_early && (
                      <EndEarly leave={leave} today={today} onDone={() => setEnding(undefined)} />
                    )}
                  </td>
                </tr>
              );
            })}
        </tbody>
      </table>
    </div>
  );
}
