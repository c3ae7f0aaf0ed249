/** The payroll export: the settings of a company, and the file of a month. */

import type { Reader } from '@clockproof/platform/database/database';
import { localDateAt } from '@clockproof/platform/time/local-date';
import type { components } from '../../generated/app-types.js';
import { refuseFarMonth } from '../../http/far-month.js';
import type { AppHandler } from '../../http/handler.js';
import { actorOf } from '../../people/actor.js';
import { companyFor } from '../../people/administered.js';
import type { CompanyRow } from '../../people/rows.js';
import { Refusal } from '../../store/refusal.js';
import { findClosedMonth } from '../../working-time/closed-month-rows.js';
import { type Permit, requirePermit } from '../../working-time/evaluations.js';
import { readClosedPayroll } from './closed-payroll.js';
import { monthOf, readPayrollDays } from './payroll-month.js';
import { payrollTable } from './payroll-table.js';
import { type PayrollSettings, readPayrollSettings, savePayrollSettings } from './settings.js';

export const showPayrollSettings: AppHandler<'showPayrollSettings'> = async ({ db, caller, path: { id } }) => {
  const company = await companyFor(db, caller, id);
  const { standard, ...settings } = await readPayrollSettings(db, company.id, caller.person.language);
  return { status: 200, body: presentSettings(settings, standard) };
};

export const setPayrollSettings: AppHandler<'setPayrollSettings'> = async ({ db, caller, path: { id }, body, at }) => {
  const settings = {
    wageTypes: body.wage_types,
    columns: body.columns,
    decimalMark: body.decimal_mark ?? 'comma',
  } as const;
  await db.write({ actor: actorOf(caller.person), at }, async (write) =>
    savePayrollSettings(write, (await companyFor(write, caller, id)).id, settings),
  );
  return { status: 200, body: presentSettings(settings, false) };
};

function presentSettings(
  { wageTypes, columns, decimalMark }: PayrollSettings,
  standard: boolean,
): components['schemas']['PayrollSettings'] {
  return { standard, wage_types: [...wageTypes], columns: [...columns], decimal_mark: decimalMark };
}

async function readOpenPayroll(
  reader: Reader,
  permit: Permit<'payroll_export'>,
  company: CompanyRow,
  month: string,
  language: string,
) {
  const settings = await readPayrollSettings(reader, company.id, language);
  return { settings, days: await readPayrollDays(reader, permit, company, month, settings.wageTypes) };
}

export const exportPayroll: AppHandler<'exportPayroll'> = async ({
  db,
  caller,
  query: { month, company_id: companyId, by = 'month', include_open: includeOpen = false },
  at,
}) => {
  const company = await companyFor(db, caller, companyId);
  refuseFarMonth(month, localDateAt(at, company.time_zone));
  const permit = await requirePermit(db, company.id, 'payroll_export');
  const closedMonth = await findClosedMonth(db, company.id, month);
  const isClosed = closedMonth !== undefined;
  if (!isClosed && !includeOpen) throw new Refusal('month_open');
  const { language } = caller.person;
  const { settings, days } = isClosed
    ? await readClosedPayroll(db, permit, closedMonth, language)
    : await readOpenPayroll(db, permit, company, month, language);
  const byDay = by === 'day';
  return {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="payroll-${companyId}-${month}${byDay ? '-days' : ''}${isClosed ? '' : '-open'}.csv"`,
    },
    body: payrollTable(byDay ? days : monthOf(days, settings.wageTypes), settings, { month, closed: isClosed, byDay }),
  };
};
