/** Holidays that a company adds or changes: each change counts the days of the absences it concerns again. */
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import { recountEveryonesDays } from '../absences/recount-days.js';
import { everyone } from '../inbox/notices.js';
import { type Admin, companyFor } from '../people/administered.js';
import type { CompanyRow } from '../people/rows.js';
import type { CompanyHolidayId, CompanyId } from '../store/ids.js';
import { invalidField, Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { firstOpenDay } from '../working-time/closed-months.js';
import { holidaysIn } from '../working-time/holidays.js';
import {
  type CompanyHolidayRow,
  deleteCompanyHoliday,
  insertCompanyHoliday,
  listCompanyHolidays,
  updateCompanyHoliday,
} from '../working-time/rows.js';

/** More than a company needs, and few enough to read with every stamp. */
const maxHolidays = 300;

export interface HolidayDraft {
  readonly date: LocalDate;
  readonly kind: CompanyHolidayRow['kind'];
  readonly yearly: boolean;
  readonly nameDe?: string | undefined;
  readonly nameEn?: string | undefined;
}

/**
 * Row, audit entry and recounted absences are written together.
 * @param id the company
 * @throws Refusal `not_found`, `month_closed`, `value_taken`, `invalid_request` no name, no public holiday to work on,
 * or too many
 */
export async function addCompanyHoliday(
  write: Write,
  admin: Admin,
  id: CompanyId,
  draft: HolidayDraft,
): Promise<CompanyHolidayRow> {
  const company = await lockCompany(write, admin, id);
  const rows = await listCompanyHolidays(write, company.id);
  if (rows.length >= maxHolidays)
    throw invalidField('date', 'too_many', `A company has at most ${maxHolidays} holidays of its own.`);
  const values = valuesOf(company, draft);
  refuseTaken(rows, values);
  await refuseClosed(write, company.id, draft.date);
  const row = await insertCompanyHoliday(write, { company_id: company.id, last_date: null, ...values });
  await write.audit({
    companyId: company.id,
    action: 'holiday.added',
    subject: `holiday ${row.id}`,
    details: detailsOf(row),
  });
  await recount(write, company.id, row.date);
  return row;
}

/** @throws Refusal `not_found`, `month_closed` it falls into a closed month before or after, `value_taken`, `invalid_request` */
export async function changeCompanyHoliday(
  write: Write,
  admin: Admin,
  id: CompanyId,
  holidayId: CompanyHolidayId,
  change: Partial<HolidayDraft>,
): Promise<CompanyHolidayRow> {
  const company = await lockCompany(write, admin, id);
  const rows = await listCompanyHolidays(write, company.id);
  const before = rows.find((row) => row.id === holidayId);
  if (before === undefined) throw new Refusal('not_found');
  const { date, kind, yearly, name_de: nameDe, name_en: nameEn } = before;
  const values = valuesOf(company, { date, kind, yearly: yearly === 1, nameDe, nameEn, ...change });
  const row = { ...before, ...values };
  refuseTaken(
    rows.filter((other) => other !== before),
    row,
  );
  const first = date < row.date ? date : row.date;
  await refuseClosed(write, company.id, first);
  await updateCompanyHoliday(write, row);
  await write.audit({
    companyId: company.id,
    action: 'holiday.changed',
    subject: `holiday ${row.id}`,
    details: { before: detailsOf(before), after: detailsOf(row) },
  });
  await recount(write, company.id, first);
  return row;
}

/** A yearly holiday that has days in closed months ends before the first open month.
 * @throws Refusal `not_found`, `month_closed`
 */
export async function removeCompanyHoliday(
  write: Write,
  admin: Admin,
  id: CompanyId,
  holidayId: CompanyHolidayId,
): Promise<void> {
  const company = await lockCompany(write, admin, id);
  const row = (await listCompanyHolidays(write, company.id)).find((holiday) => holiday.id === holidayId);
  if (row === undefined) throw new Refusal('not_found');
  const firstOpen = await firstOpenDay(write, company.id);
  const lastDate =
    row.yearly === 1 && firstOpen !== undefined && row.date < firstOpen ? addDays(firstOpen, -1) : undefined;
  if (lastDate === undefined) {
    await refuseClosed(write, company.id, row.date);
    await deleteCompanyHoliday(write, row.id);
  } else {
    if (row.last_date !== null && row.last_date <= lastDate) throw new Refusal('month_closed');
    await updateCompanyHoliday(write, { ...row, last_date: lastDate });
  }
  await write.audit({
    companyId: company.id,
    action: 'holiday.removed',
    subject: `holiday ${row.id}`,
    details: { ...detailsOf(row), last_date: lastDate },
  });
  await recount(write, company.id, lastDate === undefined ? row.date : firstOpen!);
}

/** The days of everyone, and of their absences, depend on it. */
async function lockCompany(write: Write, admin: Admin, id: CompanyId): Promise<CompanyRow> {
  await write.lock({ company: id, everyone: id });
  return companyFor(write, admin, id);
}

type Values = Pick<CompanyHolidayRow, 'date' | 'kind' | 'yearly' | 'name_de' | 'name_en'>;

/** Without a name in the draft, the name of the public holiday of the place is used. */
function valuesOf(
  { country, region, local_holidays }: CompanyRow,
  { date, kind, yearly, nameDe, nameEn }: HolidayDraft,
): Values {
  const publicHoliday = holidaysIn(country, region, local_holidays).on(date);
  if (kind === 'working_day' && publicHoliday === undefined)
    throw invalidField('kind', 'not_allowed', 'There is no public holiday on this day.');
  const [de, en] = [nameDe ?? publicHoliday?.name.de ?? nameEn, nameEn ?? publicHoliday?.name.en ?? nameDe];
  if (de === undefined || en === undefined) throw invalidField('name_de', 'required', 'The holiday needs a name.');
  return { date, kind, yearly: yearly ? 1 : 0, name_de: de, name_en: en };
}

/** @throws Refusal `value_taken` the company has one on this day; one for a single year may fall on one of every year */
function refuseTaken(rows: readonly CompanyHolidayRow[], { date, yearly }: Values): void {
  const isTaken = rows.some(
    (row) =>
      row.yearly === yearly &&
      (yearly === 1
        ? row.date.slice(4) === date.slice(4) && (row.last_date === null || row.last_date >= date)
        : row.date === date),
  );
  if (isTaken)
    throw new Refusal('value_taken', {
      details: [{ field: 'date', code: 'taken', error: 'The company has a holiday on this day.' }],
    });
}

async function refuseClosed(write: Write, companyId: CompanyId, date: LocalDate): Promise<void> {
  const firstOpen = await firstOpenDay(write, companyId);
  if (firstOpen !== undefined && date < firstOpen) throw new Refusal('month_closed');
}

async function recount(write: Write, companyId: CompanyId, from: LocalDate): Promise<void> {
  // Holidays are on everyone's pages.
  write.touch({ family: 'company', company: companyId, parties: [everyone] });
  await recountEveryonesDays(write, companyId, from);
}

const detailsOf = ({ date, kind, yearly, name_de, name_en }: Values) => ({
  date,
  kind,
  yearly: yearly === 1,
  name_de,
  name_en,
});
