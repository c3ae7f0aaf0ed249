/** Everyone whom the documents of a closed month name, as they were called when it was closed. */

import type { Reader } from '@clockproof/platform/database/database';
import { lastDayOf } from '@clockproof/platform/time/local-date';
import type { Tables } from '../generated/tables.js';
import { listNames } from '../people/rows.js';
import type { CompanyId, PersonId } from '../store/ids.js';
import { among, insertFrom, type Writing } from '../store/tables.js';

export type ClosedPersonRow = Tables['closed_month_people'];

const columns = [
  'company_id',
  'month',
  'person_id',
  'first_name',
  'last_name',
  'personnel_number',
  'department_name',
] as const satisfies readonly (keyof ClosedPersonRow)[];

interface MonthOfCompany {
  readonly companyId: CompanyId;
  readonly month: string;
}

/** Selects the people with figures, and those who corrected, booked, signed off or re-opened. */
const namedPeople = `p.id IN (
  SELECT person_id FROM month_balances WHERE company_id = :companyId AND month = :month
  UNION SELECT signed_by FROM month_sign_offs WHERE company_id = :companyId AND month = :month
  UNION SELECT person_id FROM month_steps WHERE company_id = :companyId AND month = :month
  UNION SELECT booked_by FROM time_bookings WHERE company_id = :companyId AND date >= :first AND date <= :last
  UNION SELECT v.changed_by FROM time_entries e JOIN entry_versions v ON v.entry_id = e.id
    WHERE e.company_id = :companyId AND e.date >= :first AND e.date <= :last AND v.change <> 'recorded')`;

/** Call it when everything else of the month is written. */
export async function keepNames(tx: Writing, { companyId, month }: MonthOfCompany): Promise<void> {
  await insertNames(tx, namedPeople, { companyId, month, first: `${month}-01`, last: lastDayOf(month) });
}

/** Keeps the name of a person who signs off a month that is closed already. */
export async function keepName(tx: Writing, { companyId, month }: MonthOfCompany, personId: PersonId): Promise<void> {
  const isClosed = 'EXISTS (SELECT 1 FROM closed_months WHERE company_id = :companyId AND month = :month)';
  await insertNames(tx, `p.id = :personId AND ${isClosed}`, { companyId, month, personId });
}

async function insertNames(
  tx: Writing,
  condition: string,
  parameters: MonthOfCompany & Readonly<Record<string, string | number>>,
): Promise<void> {
  await insertFrom(
    tx,
    'closed_month_people',
    columns,
    `SELECT :companyId, :month, p.id, p.first_name, p.last_name, p.personnel_number, d.name
     FROM people p LEFT JOIN departments d ON d.id = p.department_id WHERE ${condition} ON CONFLICT DO NOTHING`,
    parameters,
  );
}

export function findClosedPerson(
  reader: Reader,
  { companyId, month }: MonthOfCompany,
  personId: PersonId,
): Promise<ClosedPersonRow | undefined> {
  return reader.get<ClosedPersonRow>(
    'SELECT * FROM closed_month_people WHERE company_id = :companyId AND month = :month AND person_id = :personId',
    { companyId, month, personId },
  );
}

/** Names by id, as of a month: those of a closed one, or else those of today. Erased people have none. */
export async function listNamesInMonth(
  reader: Reader,
  { companyId, month }: MonthOfCompany,
  ids: readonly PersonId[],
): Promise<ReadonlyMap<PersonId, string>> {
  if (ids.length === 0) return new Map();
  const { list, parameters } = among(ids);
  const closedNames = await reader.all<Pick<ClosedPersonRow, 'person_id' | 'first_name' | 'last_name'>>(
    `SELECT person_id, first_name, last_name FROM closed_month_people
     WHERE company_id = :companyId AND month = :month AND person_id IN (${list})`,
    { companyId, month, ...parameters },
  );
  return new Map([
    ...(await listNames(reader, ids)),
    ...closedNames.map(({ person_id: id, first_name, last_name }) => [id, `${first_name} ${last_name}`] as const),
  ]);
}
