/** The person's absences of a year: taken back, changed while they wait, ended early. */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { plusDays, useDays } from '../parts/calendar.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useToast } from '../parts/toasts.js';
import { useWords } from '../words/words.js';
import { EndEarly } from './end-early.js';
import { changedByAbsence } from './request-form.js';

type Leave = Schemas['OwnAbsence'];

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
  const queries = useQueryClient();
  const toast = useToast();
  const [going, setGoing] = useState<readonly number[]>([]);
  const [problem, setProblem] = useState<unknown>(null);
  const [ending, setEnding] = useState<number>();
  const takeBack = (leave: Leave) => {
    const stay = () => setGoing((now) => now.filter((id) => id !== leave.id));
    setProblem(null);
    setGoing((now) => [...now, leave.id]);
    toast({
      text: leave.status === 'waiting' ? words.absence_withdrawing : words.absence_cancelling,
      onUndo: stay,
      onDone: () =>
        void ask(client.DELETE('/app/me/absences/{id}', { params: { path: { id: leave.id } }, keepalive: true }))
          .catch(setProblem)
          .finally(() => {
            stay();
            for (const key of changedByAbsence) void queries.invalidateQueries({ queryKey: [key] });
          }),
    });
  };
  if (leaves.length === 0) return <p className="card empty">{words.absences_none}</p>;
  return (
    <div className="month-frame">
      <ProblemNotice problem={problem} />
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
                      {going.includes(id) ? words.absence_going : words.absence_states[status]}
                    </span>{' '}
                    {status === 'waiting' && !going.includes(id) && (
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
                    {leave.may_end_early && !going.includes(id) && leave.end_date >= plusDays(today, -31) && (
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
                    {open && !going.includes(id) && (
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
