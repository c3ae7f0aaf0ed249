/** The absences in the team around a request: people by days, and the number of people left. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { daysOf, plusDays, useDays } from '../parts/calendar.js';
import { freeOf, type NamedHolidays, useHolidays } from '../people/holidays.js';
import { useWords } from '../words/words.js';
import type { Approval } from './approval-words.js';

type TeamAbsence = Schemas['TeamAbsence'];
/** More columns do not fit beside the names. */
const maxDays = 14;
/** Rows beside the person's own; the others are a number. */
const shownColleagues = 10;

export function TeamStrip({
  request,
  absence,
}: {
  readonly request: Approval;
  readonly absence: Schemas['Leave'];
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const from = plusDays(absence.start_date, -2);
  const lastDay = plusDays(absence.end_date, 2);
  const to = lastDay > plusDays(from, maxDays - 1) ? plusDays(from, maxDays - 1) : lastDay;
  const department = request.department === undefined ? {} : { department_id: request.department.id };
  const absenceQuery = useQuery({
    queryKey: ['team-absences', from, to, request.department?.id],
    queryFn: () =>
      ask(client.GET('/app/team/absences', { params: { query: { from, to, ...department, limit: 500 } } })),
  });
  const team = useQuery({
    queryKey: ['presence', 'of', request.department?.id],
    queryFn: () => ask(client.GET('/app/team/clock-states', { params: { query: { ...department, limit: 500 } } })),
  });
  const holidays = useHolidays(from, to);
  if (absenceQuery.data === undefined || team.data === undefined) return null;
  const days = daysOf(from, to);
  // Home office is not away; an absence without a stated kind is.
  const absences = absenceQuery.data.data.filter(
    (colleague) => colleague.away !== false && colleague.id !== absence.id,
  );
  const colleagues = [
    ...new Map(
      absences.filter(({ person }) => person.id !== request.person.id).map(({ person }) => [person.id, person]),
    ).values(),
  ];
  const people = [request.person, ...colleagues.slice(0, shownColleagues)];
  const ownAbsence: TeamAbsence = {
    id: absence.id,
    person: request.person,
    start_date: absence.start_date,
    end_date: absence.end_date,
    status: request.status === 'approved' ? 'approved' : 'waiting',
  };
  const size = team.data.data.length;
  const awayOn = (day: string) =>
    new Set(
      [ownAbsence, ...absences]
        .filter(
          (shownAbsence) =>
            (shownAbsence === ownAbsence || shownAbsence.status !== 'waiting') && covers(shownAbsence, day),
        )
        .map(({ person }) => person.id),
    ).size;
  return (
    <section>
      <div className="strip-head">
        <h3>
          <bdi>
            {words.approvals_team_of(request.department?.name ?? words.approvals_team, calendar.span(from, to))}
          </bdi>
        </h3>
        <span className="legend">
          <i data-kind="approved" /> {words.approvals_legend_approved} <i data-kind="waiting" />{' '}
          {words.approvals_legend_waiting} <i data-kind="holiday" /> {words.calendar_holiday}
        </span>
      </div>
      <table className="strip">
        <thead>
          <tr>
            <td />
            {days.map((day) => (
              <th key={day} scope="col" data-free={freeOf(day, holidays)}>
                <abbr title={[calendar.fullDay(day), holidays.get(day)?.name].filter(Boolean).join(', ')}>
                  {calendar.weekday(day)}
                  <b>{Number(day.slice(8))}</b>
                </abbr>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {people.map((person) => (
            <tr key={person.id}>
              <th scope="row">
                <bdi>{person.name}</bdi>
              </th>
              <Cells
                days={days}
                absences={[ownAbsence, ...absences].filter((teamAbsence) => teamAbsence.person.id === person.id)}
                ownAbsence={ownAbsence}
                holidays={holidays}
              />
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{words.approvals_here(size)}</th>
            {days.map((day) => (
              <td key={day} data-free={freeOf(day, holidays)}>
                {freeOf(day, holidays) === undefined ? size - awayOn(day) : ''}
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
      {colleagues.length > shownColleagues && (
        <p className="hint">{words.away_more(colleagues.length - shownColleagues)}</p>
      )}
      {people.length === 1 && <p className="hint">{words.approvals_team_none}</p>}
    </section>
  );
}

function covers({ start_date, end_date }: TeamAbsence, day: string): boolean {
  return start_date <= day && day <= end_date;
}

/** A cell for each free day, and one across the days of each absence. */
function Cells({
  days,
  absences,
  ownAbsence,
  holidays,
}: {
  readonly days: readonly string[];
  readonly absences: readonly TeamAbsence[];
  readonly ownAbsence: TeamAbsence;
  readonly holidays: NamedHolidays;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const cells: ReactNode[] = [];
  for (let index = 0; index < days.length; ) {
    const day = days[index]!;
    const dayAbsence = absences.find((candidate) => covers(candidate, day));
    let length = 1;
    if (dayAbsence === undefined) cells.push(<td key={day} data-free={freeOf(day, holidays)} />);
    else {
      while (index + length < days.length && covers(dayAbsence, days[index + length]!)) length += 1;
      cells.push(
        <td key={day} colSpan={length}>
          <span
            className="strip-bar"
            data-kind={dayAbsence === ownAbsence ? 'own' : dayAbsence.status === 'waiting' ? 'waiting' : 'approved'}
          >
            <span className="hidden">
              {calendar.span(dayAbsence.start_date, dayAbsence.end_date)},{' '}
              {dayAbsence.status === 'waiting' ? words.approvals_legend_waiting : words.approvals_legend_approved}
            </span>
          </span>
        </td>,
      );
    }
    index += length;
  }
  return cells;
}
