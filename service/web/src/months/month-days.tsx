/** A month of a person: its figures and its days. */
import type { ReactNode } from 'react';
import type { Schemas } from '../api/session.js';
import { useDays } from '../parts/calendar.js';
import { QueryState } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { useMonthRecords, type WhoseMonth } from './month-records.js';
import { MonthTable } from './month-table.js';

export interface MonthDaysProps extends WhoseMonth {
  /** The opened day. */
  readonly open: string | undefined;
  readonly onOpen: (day: string | undefined) => void;
  readonly vacation?: Schemas['VacationAccount'] | undefined;
}

export function MonthDays({ open, onOpen, vacation, ...whose }: MonthDaysProps): ReactNode {
  const { rows, sum, pending, problem } = useMonthRecords(whose);
  return (
    <>
      <ProblemNotice problem={problem} />
      <Figures month={sum} vacation={vacation} today={whose.today} />
      {/* A day says that nothing was recorded, and offers to add it, only once that is known. */}
      <QueryState of={pending} rows={16}>
        {() => (
          <MonthTable
            rows={rows}
            zone={whose.zone}
            personId={whose.own ? undefined : whose.person}
            today={whose.today}
            open={open}
            onOpen={onOpen}
            isClosed={sum?.closed === true}
          />
        )}
      </QueryState>
    </>
  );
}

function Figures({
  month,
  vacation,
  today,
}: {
  readonly month: Schemas['MonthBalance'] | undefined;
  readonly vacation: Schemas['VacationAccount'] | undefined;
  readonly today: string;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const card = (label: string, value: ReactNode, hint: ReactNode) => (
    <div className="card figure-card">
      <small>{label}</small>
      <strong>{value}</strong>
      <small>{hint}</small>
    </div>
  );
  if (month === undefined) return null;
  return (
    <div className="figure-cards">
      {card(
        words.balance,
        calendar.signed(month.balance_minutes),
        month.booked_minutes === 0
          ? words.month_difference(calendar.signed(month.difference_minutes))
          : `${words.month_difference(calendar.signed(month.difference_minutes))}, ${words.month_booked(calendar.signed(month.booked_minutes))}`,
      )}
      {card(
        words.worked,
        calendar.duration(month.worked_minutes),
        (month.month < today.slice(0, 7) ? words.month_due : words.month_due_yesterday)(
          calendar.duration(month.target_minutes),
        ),
      )}
      {vacation !== undefined &&
        card(
          words.own_vacation_left,
          words.number_of_days(vacation.left_days, calendar.days(vacation.left_days)),
          vacation.waiting_days > 0
            ? words.own_vacation_waiting(calendar.days(vacation.waiting_days))
            : words.vacation_of(calendar.days(vacation.entitled_days + vacation.carried_over_days)),
        )}
      {card(
        words.month_state,
        month.closed ? words.month_closed_word : words.month_open_word,
        words.month_carried(calendar.signed(month.carried_minutes)),
      )}
    </div>
  );
}
