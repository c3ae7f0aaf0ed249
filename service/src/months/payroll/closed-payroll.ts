/** Payroll of a closed month, as it was closed: wage types, columns and names that change later change nothing in it. */
import type { Reader } from '@clockproof/platform/database/database';
import { inLanguage, type Localized } from '../../people/language.js';
import type { CompanyRow } from '../../people/rows.js';
import type { CompanyId, PersonId } from '../../store/ids.js';
import { type ClosedMonthRow, findClosedMonth } from '../../working-time/closed-month-rows.js';
import type { Permit } from '../../working-time/evaluations.js';
import { groupBy } from '../grouping.js';
import { listPeopleOfStored, listStoredPayroll } from '../rows.js';
import { calculatePayrollDays, type PayrollLine } from './payroll-month.js';
import { type PayrollSettings, readPayrollSettings } from './settings.js';

/** `closed_months.payroll`: the standard wage types have a name in each language. */
type ClosedSettings = Localized<PayrollSettings>;

/** `month_balances.payroll`: the lines of a person by day; `code` of the wage type. */
type ClosedLine = Pick<PayrollLine, 'minutes' | 'halfDays'> & { readonly date: string; readonly code: string };

export interface ClosingPayroll {
  readonly settings: ClosedSettings;
  readonly linesOf: (personId: PersonId) => readonly ClosedLine[];
}

/** The payroll that closing a month stores. */
export async function calculateClosingPayroll(
  reader: Reader,
  company: CompanyRow,
  month: string,
): Promise<ClosingPayroll> {
  const settingsIn = async (language: string): Promise<PayrollSettings> => {
    const { standard: _, ...settings } = await readPayrollSettings(reader, company.id, language);
    return settings;
  };
  const settings = { de: await settingsIn('de'), en: await settingsIn('en') };
  const days = await calculatePayrollDays(reader, company, month, settings.en.wageTypes);
  const byPerson = groupBy(days, ({ person }) => person.id);
  return {
    settings,
    linesOf: (personId) =>
      (byPerson.get(personId) ?? []).map(({ date, type, minutes, halfDays }) => ({
        date: date!,
        code: type.code,
        minutes,
        halfDays,
      })),
  };
}

/** The decimal mark of a month's files: that of its closing, or else the company's. */
export async function decimalMarkOf(
  reader: Reader,
  companyId: CompanyId,
  month: string,
): Promise<PayrollSettings['decimalMark']> {
  const closedMonth = await findClosedMonth(reader, companyId, month);
  if (closedMonth !== undefined) return (JSON.parse(closedMonth.payroll) as ClosedSettings).en.decimalMark;
  return (await readPayrollSettings(reader, companyId, 'en')).decimalMark;
}

/** @param language of the reader */
export async function readClosedPayroll(
  reader: Reader,
  _permit: Permit<'payroll_export'>,
  { company_id: companyId, month, payroll }: ClosedMonthRow,
  language: string,
): Promise<{ readonly settings: PayrollSettings; readonly days: readonly PayrollLine[] }> {
  const settings = inLanguage(language, JSON.parse(payroll) as ClosedSettings);
  const types = new Map(settings.wageTypes.map((type) => [type.code, type]));
  const people = new Map((await listPeopleOfStored(reader, companyId, month)).map((person) => [person.id, person]));
  const days = (await listStoredPayroll(reader, companyId, month)).flatMap((row) =>
    (JSON.parse(row.payroll) as ClosedLine[]).map(
      ({ code, ...line }): PayrollLine => ({ ...line, person: people.get(row.person_id)!, type: types.get(code)! }),
    ),
  );
  return { settings, days };
}
