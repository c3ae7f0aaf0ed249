/**
 * The people of a department who are away during an absence, and the number who are left. Colleagues may see the
 * answer: it says nothing about the kind of an absence.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { addDays } from '@clockproof/platform/time/local-date';
import type { components } from '../generated/app-types.js';
import { isEmployed } from '../people/employment.js';
import { findPerson, listPeople, type PersonRow } from '../people/rows.js';
import type { DepartmentId } from '../store/ids.js';
import { daysBetween, loadWorkdays } from './days.js';
import { listInPeriod, maxSpanDays, type NamedAbsence } from './rows.js';
import { counts } from './state.js';
import { type AbsenceType, absenceTypesOf } from './types.js';

type Schemas = components['schemas'];

const wholeDepartment = 100_000;
/** The answer names at most this many colleagues and counts the others. */
const shownColleagues = 10;

/** The clash of an absence; undefined without a department, and for kinds during which the person works elsewhere. */
export type FindClash = (absence: NamedAbsence) => Promise<Schemas['AbsenceClash'] | undefined>;

/** For several absences of one answer: departments and kinds are read once. */
export function createFindClash(reader: Reader): FindClash {
  const teams = new Map<DepartmentId, Promise<PersonRow[]>>();
  const kinds = new Map<number, Promise<AbsenceType[]>>();
  return async (absence) => {
    const { company_id: company, department_id: department, start_date: from, end_date: to } = absence;
    if (department === null) return undefined;
    const types = await loadOnce(kinds, company, () => absenceTypesOf(reader, company));
    if (!isAway(types, absence.type)) return undefined;
    const scope = { company, departments: [department] };
    const team = await loadOnce(teams, department, () =>
      listPeople(reader, scope, { active: true, afterId: 0, limit: wholeDepartment }),
    );
    const members = new Set(team.map(({ id }) => id));
    const otherAbsences = (
      await listInPeriod(reader, scope, {
        states: 'live',
        from,
        to,
        earliest: addDays(from, 1 - maxSpanDays),
        after: undefined,
        limit: wholeDepartment,
      })
    ).filter(
      (candidate) =>
        candidate.person_id !== absence.person_id && members.has(candidate.person_id) && isAway(types, candidate.type),
    );
    const colleagues = firstOfEach(otherAbsences);
    const fewestPresent = await fewestLeft(reader, absence, team, otherAbsences);
    return {
      people: team.filter((person) => isEmployed(person, from)).length,
      ...(fewestPresent === undefined
        ? {}
        : { fewest_left: fewestPresent.present, fewest_left_on: fewestPresent.date }),
      colleagues: colleagues.slice(0, shownColleagues).map((colleague) => ({
        person: { id: colleague.person_id, name: colleague.user_name },
        start_date: colleague.start_date,
        end_date: colleague.end_date,
        half_day: colleague.half_day ?? undefined,
        waiting: !counts(colleague.status),
      })),
      colleagues_total: colleagues.length,
    };
  };
}

/** The first absence of each person, in the order given. */
function firstOfEach(absences: readonly NamedAbsence[]): NamedAbsence[] {
  const first = new Map<number, NamedAbsence>();
  for (const absence of absences) if (!first.has(absence.person_id)) first.set(absence.person_id, absence);
  return [...first.values()];
}

/** On the person's own working days, with the person away. */
async function fewestLeft(
  reader: Reader,
  { person_id: id, company_id: company, start_date: from, end_date: to }: NamedAbsence,
  team: readonly PersonRow[],
  otherAbsences: readonly NamedAbsence[],
): Promise<{ readonly present: number; readonly date: string } | undefined> {
  const person = await findPerson(reader, id, { company });
  if (person === undefined) return undefined;
  const countingAbsences = otherAbsences.filter(({ status }) => counts(status));
  let fewestPresent: { readonly present: number; readonly date: string } | undefined;
  const workdays = await loadWorkdays(reader, person);
  for (const date of daysBetween(from, to).filter((day) => workdays(day) > 0)) {
    const absentIds = new Set(
      countingAbsences
        .filter((candidate) => candidate.start_date <= date && date <= candidate.end_date)
        .map((absence) => absence.person_id),
    );
    const presentCount = team.filter(
      (member) => member.id !== id && !absentIds.has(member.id) && isEmployed(member, date),
    ).length;
    if (fewestPresent === undefined || presentCount < fewestPresent.present)
      fewestPresent = { present: presentCount, date };
  }
  return fewestPresent;
}

/** Whether people are away during a kind of absence. One that the company has deleted counts as away. */
export function isAway(types: readonly AbsenceType[], key: string): boolean {
  return types.find((type) => type.key === key)?.overlapClass !== 'elsewhere';
}

function loadOnce<Key, Value>(cache: Map<Key, Promise<Value>>, key: Key, load: () => Promise<Value>): Promise<Value> {
  const promise = cache.get(key) ?? load();
  cache.set(key, promise);
  return promise;
}
