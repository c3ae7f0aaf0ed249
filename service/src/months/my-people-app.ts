/** The people the caller decides for, with an overview of each. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { absencesToday } from '../absences/absences-today.js';
import { approverScope } from '../absences/deciders/approver-scope.js';
import { authorityOf, undecidableApprovers } from '../absences/deciders/authority.js';
import { readVacationAccounts } from '../absences/vacation/vacation-account.js';
import { readClocksOf } from '../clock/rows.js';
import { presentClock } from '../clock/time-entry.js';
import type { components } from '../generated/app-types.js';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { countWaiting } from '../inbox/approval-rows.js';
import type { PersonCaller } from '../people/caller.js';
import { findCompany, listDepartments, listPeopleByName, type PersonRow } from '../people/rows.js';
import type { CompanyId } from '../store/ids.js';
import type { TenantScope } from '../store/scope.js';
import { permitOf } from '../working-time/evaluations.js';
import { readMonthReport } from './company-reports.js';
import { groupBy } from './grouping.js';
import { presentMonth } from './present.js';
import { monthsToSignOff } from './sheets/month-sheet.js';

type MyPerson = components['schemas']['MyPerson'];

interface Place {
  readonly name: string;
  readonly id: number;
}

export const listMyPeople: AppHandler<'listMyPeople'> = async ({
  db,
  cursors,
  caller,
  query: { company_id: companyId, department_id: departmentId, user_id: personId, search, cursor, limit = 100 },
  at,
}) => {
  const authority = await authorityOf(db, caller.person, at);
  const callerScope = await approverScope(db, caller, { companyId, departmentId }, authority);
  const scope = personId === undefined ? callerScope : { ...callerScope, person: personId };
  const binding = ['listMyPeople', caller.person.id, search, scope];
  const rows = await listPeopleByName(db, scope, {
    // The time of those who have left can still be corrected.
    active: personId === undefined ? true : undefined,
    search,
    namesOnly: true,
    exceptPeople: [caller.person.id, ...(await undecidableApprovers(db, authority, caller.person))],
    after: cursor === undefined ? undefined : cursors.read<Place>(binding, cursor),
    limit: limit + 1,
  });
  const peopleById = new Map<number, MyPerson>();
  for (const [company, people] of groupBy(rows.slice(0, limit), (person) => person.company_id))
    for (const person of await presentPeople(db, company, people, caller, at)) peopleById.set(person.user_id, person);
  return {
    status: 200,
    body: {
      ...pageOf(
        rows,
        limit,
        ({ id }) => peopleById.get(id)!,
        (last) => cursors.write(binding, { name: last.sort_name, id: last.id } satisfies Place),
      ),
      departments: await departmentsOf(db, await approverScope(db, caller, { companyId }, authority)),
    },
  };
};

async function departmentsOf(
  reader: Reader,
  { departments, ...companies }: TenantScope,
): Promise<components['schemas']['MyPersonList']['departments']> {
  return (await listDepartments(reader, companies))
    .filter(({ id }) => departments?.includes(id) ?? true)
    .map(({ id, name }) => ({ id, name }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** Omits the members of each evaluation that the company has switched off. */
async function presentPeople(
  reader: Reader,
  companyId: CompanyId,
  people: readonly PersonRow[],
  caller: PersonCaller,
  at: Instant,
): Promise<MyPerson[]> {
  const company = (await findCompany(reader, companyId))!;
  const today = localDateAt(at, company.time_zone);
  const month = today.slice(0, 7);
  const ids = people.map(({ id }) => id);
  const presence = await permitOf(reader, companyId, 'presence');
  const clocks = presence === undefined ? undefined : await readClocksOf(reader, presence, ids);
  const absencesByPerson =
    presence === undefined ? undefined : await absencesToday(reader, { company: companyId }, people, caller, at);
  const reports = await permitOf(reader, companyId, 'month_reports');
  const report =
    reports === undefined ? undefined : await readMonthReport(reader, reports, { company, month }, at, new Set(ids));
  const lines = new Map(report?.lines.map((line) => [line.person.id, line]));
  const vacation = await readVacationAccounts(reader, company, people, Number(today.slice(0, 4)), today);
  const waitingCounts = await countWaiting(reader, ids);
  const toSignOff = await monthsToSignOff(reader, people, today, at);
  return people.map((person) => {
    const { id } = person;
    const clock = clocks?.get(id);
    const absence = absencesByPerson?.get(id);
    const line = lines.get(id);
    return {
      user_id: id,
      company_id: companyId,
      time_zone: company.time_zone,
      first_name: person.first_name,
      last_name: person.last_name,
      department:
        person.department_id === null ? undefined : { id: person.department_id, name: person.department_name! },
      clock_state: clock === undefined ? undefined : presentClock(clock),
      absence,
      balance: line === undefined ? undefined : presentMonth({ ...line, month, closed: report!.closed }),
      vacation_left_days: vacation.get(id)!.remainingDays,
      waiting_requests: waitingCounts.get(id) ?? 0,
      months_to_sign_off: [...(toSignOff.get(id) ?? [])],
    };
  });
}
