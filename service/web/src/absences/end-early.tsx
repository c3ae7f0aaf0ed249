/**
 * Ends an absence that needs no approval, such as sickness, before its last day. The page first says how the days
 * count.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { daysOf, plusDays, useDays } from '../parts/calendar.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useToast } from '../parts/toasts.js';
import { useWords } from '../words/words.js';
import { changedByAbsence } from './request-form.js';
import { returnedOutside } from './returned.js';

export function EndEarly({
  leave,
  today,
  onDone,
}: {
  readonly leave: Schemas['OwnAbsence'];
  readonly today: string;
  readonly onDone: () => void;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const queries = useQueryClient();
  const toast = useToast();
  const lastDays = daysOf(leave.start_date, plusDays(leave.end_date, -1));
  const yesterday = plusDays(today, -1);
  const [last, setLast] = useState(lastDays.includes(yesterday) ? yesterday : lastDays.at(-1)!);
  const vacation = returnedOutside(leave, leave.start_date, last);
  const ending = useMutation({
    mutationFn: () =>
      ask(client.PATCH('/app/me/absences/{id}', { params: { path: { id: leave.id } }, body: { end_date: last } })),
    onSuccess: () => {
      toast({ text: words.absence_ended(calendar.day(last)) });
      onDone();
    },
    onSettled: () => {
      for (const key of changedByAbsence) void queries.invalidateQueries({ queryKey: [key] });
    },
  });
  return (
    <form
      className="end-early"
      aria-label={words.absence_end_early}
      onSubmit={(event) => {
        event.preventDefault();
        if (!ending.isPending) ending.mutate();
      }}
    >
      <ProblemNotice problem={ending.error} />
      <label>
        <span>{words.absence_last_day}</span>
        <select className="field" value={last} onChange={(event) => setLast(event.target.value)}>
          {lastDays.map((day) => (
            <option key={day} value={day}>
              {calendar.day(day)}
            </option>
          ))}
        </select>
      </label>
      <p role="status">
        {vacation.length === 0
          ? words.absence_back_on(calendar.day(plusDays(last, 1)))
          : words.absence_vacation_goes_on(
              vacation.map((span) => calendar.span(span.start_date, span.end_date)).join(', '),
            )}
      </p>
      <button type="submit" className="button primary" aria-disabled={ending.isPending || undefined}>
        {words.absence_end_early}
      </button>
    </form>
  );
}
