/** The people whom an approver decides about, with their clock states. */
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { compareTexts } from '../parts/sorting.js';

export type TeamMember = Schemas['TeamClockState'];
export type PresenceState = 'in' | 'on_break' | 'out' | 'absent';

/** The whole team, by name. */
export async function fetchTeam(): Promise<readonly TeamMember[]> {
  const people: TeamMember[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await ask(
      client.GET('/app/team/clock-states', {
        params: { query: { limit: 500, cursor } },
      }),
    );
    people.push(...page.data);
    if (page.next_cursor === null) break;
    cursor = page.next_cursor;
  }
  return people.sort((a, b) => compareTexts(a.person.name, b.person.name));
}

/** The departments of the people, by name. */
export function departmentsOf(
  people: readonly Pick<TeamMember, 'department'>[],
): NonNullable<TeamMember['department']>[] {
  const departments = people.flatMap(({ department }) => department ?? []);
  return [...new Map(departments.map((department) => [department.id, department])).values()].sort((a, b) =>
    compareTexts(a.name, b.name),
  );
}

/** A clocked-in person is present, even during a planned absence. */
export function stateOf({ state, absence }: TeamMember): PresenceState {
  if (state !== 'out') return state;
  return absence?.away === true ? 'absent' : 'out';
}

/** Whether a person is at work but not in the building. */
export function isElsewhere({ absence }: TeamMember): boolean {
  return absence?.away === false;
}
