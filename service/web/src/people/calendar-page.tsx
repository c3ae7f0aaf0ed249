/** The team calendar: people by days, six weeks at a time. Names stay in sight, today has a line. */
import { Checkbox, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import { holds } from '../api/session.js';
import { dayIn } from '../parts/address-dates.js';
import { daysOf, plusDays, useCalendar } from '../parts/calendar.js';
import { Icon } from '../parts/icon.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { compareTexts } from '../parts/sorting.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { type CalendarPerson, CalendarTable, type TeamAbsence } from './calendar-table.js';
import { useHolidays } from './holidays.js';
import { HiddenFromColleaguesHint } from './not-shown.js';
import { departmentsOf, fetchTeam } from './team.js';

const noAbsences: readonly TeamAbsence[] = [];
const length = 42;
const step = 28;

export function CalendarPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  const [, go] = useLocation();
  const search = new URLSearchParams(useSearch());
  const monday = (date: string) => plusDays(date, -((new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7));
  const from = monday(dayIn(search, 'from') ?? calendar.today);
  const to = plusDays(from, length - 1);
  const department = search.get('department') ?? '';
  const awayOnly = search.get('away') === 'only';
  const show = (name: string, value: string) => {
    if (value === '') search.delete(name);
    else search.set(name, value);
    go(`/team/calendar${search.size === 0 ? '' : `?${search}`}`);
  };
  // Presence may be hidden from colleagues: then the calendar has the people who are away.
  const seesEveryone = holds(session, 'approver') || session.company.colleagues_see === 'absences_and_presence';
  const absenceQuery = useQuery({ queryKey: ['team-absences', 'all', from, to], queryFn: () => allAbsences(from, to) });
  const team = useQuery<readonly CalendarPerson[]>({
    queryKey: seesEveryone ? ['presence', 'all'] : ['team-absences', 'people', from, to],
    queryFn: seesEveryone ? fetchTeam : async () => peopleOf(await allAbsences(from, to)),
  });
  const holidays = useHolidays(from, to);
  const days = useMemo(() => daysOf(from, to), [from, to]);
  return (
    <Page
      title={words.calendar_title}
      beside={
        <span className="period">
          <button
            type="button"
            className="button square"
            aria-label={words.calendar_previous}
            onClick={() => show('from', plusDays(from, -step))}
          >
            <Icon name="left" />
          </button>
          <strong>{calendar.span(from, to)}</strong>
          <button
            type="button"
            className="button square"
            aria-label={words.calendar_next}
            onClick={() => show('from', plusDays(from, step))}
          >
            <Icon name="right" />
          </button>
          <button type="button" className="button quiet" onClick={() => show('from', '')}>
            {words.calendar_today}
          </button>
        </span>
      }
    >
      <HiddenFromColleaguesHint session={session} unless={['absences', 'absences_and_presence']} />
      <QueryState of={team}>
        {(people) => {
          const departments = departmentsOf(people);
          const absences = absenceQuery.data ?? noAbsences;
          const awayIds = new Set(absences.map(({ person }) => person.id));
          const shownPeople = people.filter(
            (person) =>
              (department === '' || String(person.department?.id) === department) &&
              (!awayOnly || awayIds.has(person.user_id)),
          );
          return (
            <>
              <div className="toolbar">
                <NativeSelect
                  aria-label={words.presence_filter}
                  value={department}
                  onChange={(event) => show('department', event.currentTarget.value)}
                  data={[
                    { value: '', label: words.calendar_department_all },
                    ...departments.map(({ id, name }) => ({ value: String(id), label: name })),
                  ]}
                />
                <Checkbox
                  label={words.calendar_away_only}
                  checked={awayOnly}
                  onChange={(event) => show('away', event.currentTarget.checked ? 'only' : '')}
                />
              </div>
              <p className="legend">
                <i data-kind="approved" /> {words.calendar_away} <i data-kind="elsewhere" /> {words.calendar_elsewhere}{' '}
                <i data-kind="waiting" /> {words.calendar_waiting} <i data-kind="holiday" /> {words.calendar_holiday}
              </p>
              {shownPeople.length === 0 ? (
                <p className="empty">
                  {people.length === 0 && seesEveryone ? words.presence_none : words.calendar_none}
                </p>
              ) : (
                <CalendarTable
                  people={shownPeople}
                  absences={absences}
                  days={days}
                  holidays={holidays}
                  showsCount={seesEveryone}
                />
              )}
            </>
          );
        }}
      </QueryState>
    </Page>
  );
}

/** The people who are away, by name. */
function peopleOf(absences: readonly TeamAbsence[]): readonly CalendarPerson[] {
  const people = absences.map(({ person, department }) => ({
    user_id: person.id,
    person,
    department,
  }));
  return [...new Map(people.map((person) => [person.user_id, person])).values()].sort((a, b) =>
    compareTexts(a.person.name, b.person.name),
  );
}

async function allAbsences(from: string, to: string): Promise<readonly TeamAbsence[]> {
  const absences: TeamAbsence[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await ask(
      client.GET('/app/team/absences', {
        params: { query: { from, to, limit: 500, cursor } },
      }),
    );
    absences.push(...page.data);
    if (page.next_cursor === null) return absences;
    cursor = page.next_cursor;
  }
}
