/** The people in the building by department, each with a box to tick; for print only. */
import type { ReactNode } from 'react';
import { useCalendar, useCalendars } from '../parts/calendar.js';
import { compareTexts } from '../parts/sorting.js';
import { useOwnZone, zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { isElsewhere, stateOf, type TeamMember } from './team.js';

export function EvacuationList({
  people,
  company,
  at,
}: {
  readonly people: readonly TeamMember[];
  readonly company: string;
  readonly at: number;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  const calendarOf = useCalendars();
  const peopleInside = people.filter((person) => ['in', 'on_break'].includes(stateOf(person)) && !isElsewhere(person));
  const departments = new Map<string, TeamMember[]>();
  for (const person of peopleInside) {
    const name = person.department?.name ?? words.presence_department_none;
    const members = departments.get(name);
    if (members === undefined) departments.set(name, [person]);
    else members.push(person);
  }
  const instant = new Date(at).toISOString();
  return (
    <section className="print-only evacuation" aria-hidden="true">
      <h2>{words.presence_evacuation}</h2>
      <p>
        <bdi>{company}</bdi>, {calendar.fullDay(calendar.dateOf(instant))}, {calendar.time(instant)} ·{' '}
        {words.presence_evacuation_count(peopleInside.length)}
      </p>
      {[...departments]
        .sort(([a], [b]) => compareTexts(a, b))
        .map(([name, members]) => (
          <table key={name}>
            <thead>
              <tr>
                <th colSpan={2}>
                  <bdi>{name}</bdi> ({members.length})
                </th>
                <th>{words.presence_since}</th>
                <th>{words.presence_checked}</th>
              </tr>
            </thead>
            <tbody>
              {members.map((person, index) => (
                <tr key={person.user_id}>
                  <td>{index + 1}</td>
                  <td>
                    <bdi>{person.person.name}</bdi>
                  </td>
                  <td>
                    {person.since !== undefined && calendarOf(zoneOf(person)).since(person.since)}
                    {person.probably_left && ` · ${words.presence_left}`}
                  </td>
                  <td>
                    <span className="tick-box" />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        ))}
      <p>{words.presence_evacuation_note}</p>
    </section>
  );
}
