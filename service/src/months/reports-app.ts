import { localDateAt } from '@clockproof/platform/time/local-date';
import { stringify } from 'csv-stringify/sync';
import { reportedCompany } from '../absences/deciders/approver-scope.js';
import type { components } from '../generated/app-types.js';
import { refuseFarMonth } from '../http/far-month.js';
import type { AppHandler } from '../http/handler.js';
import { pageOf } from '../http/page.js';
import { readPeriod } from '../http/period.js';
import { administers, companyFor } from '../people/administered.js';
import { permitOf, requirePermit } from '../working-time/evaluations.js';
import { presentFinding } from '../working-time/warnings.js';
import type { FoundOnDay, PersonMonthBalance } from './company-month.js';
import { readFindings, readMonthReport } from './company-reports.js';
import { monthsBetween } from './months.js';
import { decimalMarkOf } from './payroll/closed-payroll.js';
import { withMark } from './payroll/settings.js';
import { presentMonth } from './present.js';

export const listMonthReport: AppHandler<'listMonthReport'> = async ({
  db,
  cursors,
  caller,
  query: { month, company_id: companyId, department_id: departmentId, cursor, limit = 100 },
  at,
}) => {
  const { company, includes } = await reportedCompany(db, caller, companyId, departmentId);
  const binding = ['listMonthReport', caller.person.id, companyId, departmentId, month];
  const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
  refuseFarMonth(month, localDateAt(at, company.time_zone));
  const permit = await requirePermit(db, company.id, 'month_reports');
  const findings = await permitOf(db, company.id, 'findings');
  const { closed: isClosed, lines } = await readMonthReport(db, permit, { company, month }, at);
  const rows = lines.filter(({ person }) => person.id > afterId && includes(person)).slice(0, limit + 1);
  return {
    status: 200,
    body: pageOf(
      rows,
      limit,
      (line) => presentLine(line, month, { closed: isClosed, findings: findings !== undefined }),
      (last) => cursors.write(binding, last.person.id),
    ),
  };
};

function presentLine(
  line: PersonMonthBalance,
  month: string,
  { closed: isClosed, findings }: { readonly closed: boolean; readonly findings: boolean },
): components['schemas']['PersonMonth'] {
  const { person, sum } = line;
  return {
    person: { id: person.id, name: `${person.first_name} ${person.last_name}` },
    department: person.department_name ?? undefined,
    balance: presentMonth({ ...line, month, closed: isClosed }),
    absence_days: sum.absenceHalfDays / 2,
    findings: findings ? sum.findings : undefined,
  };
}

/**
 * RFC 4180, with the byte order mark by which spreadsheets know UTF-8. Text that one would take for a formula gets an
 * apostrophe in front.
 */
const csvFormat = {
  bom: true,
  header: true,
  columns: [
    'user_id',
    'personnel_number',
    'name',
    'target_minutes',
    'worked_minutes',
    'balance_minutes',
    // Later columns follow at the end: imports may go by position.
    'difference_minutes',
    'carried_minutes',
    'absence_days',
    'findings',
    'booked_minutes',
  ],
  delimiter: ';',
  record_delimiter: 'windows',
  quoted_match: /[\r\n]/,
  escape_formulas: true,
} as const;

export const exportMonthReport: AppHandler<'exportMonthReport'> = async ({
  db,
  caller,
  query: { month, company_id: companyId },
  at,
}) => {
  const company = await companyFor(db, caller, companyId);
  refuseFarMonth(month, localDateAt(at, company.time_zone));
  const permit = await requirePermit(db, company.id, 'month_reports');
  const findings = await permitOf(db, company.id, 'findings');
  const { lines } = await readMonthReport(db, permit, { company, month }, at);
  const decimalMark = await decimalMarkOf(db, company.id, month);
  const rows = lines.map(({ person, sum, carriedMinutes, bookedMinutes, balanceMinutes }) => [
    person.id,
    person.personnel_number,
    `${person.first_name} ${person.last_name}`,
    sum.targetMinutes,
    sum.workedMinutes,
    balanceMinutes,
    sum.differenceMinutes,
    carriedMinutes,
    withMark(String(sum.absenceHalfDays / 2), decimalMark),
    findings === undefined ? '' : sum.findings,
    bookedMinutes,
  ]);
  return {
    status: 200,
    headers: {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': `attachment; filename="months-${companyId}-${month}.csv"`,
    },
    body: stringify(rows, csvFormat),
  };
};

interface Place {
  readonly date: string;
  readonly nth: number;
}

/**
 * Findings by day. Months are judged one after the other until the page is full: a page costs as much as the months it
 * shows.
 */
export const listFindings: AppHandler<'listFindings'> = async ({
  db,
  cursors,
  caller,
  query: { from, to, company_id: companyId, department_id: departmentId, cursor, limit = 100 },
  at,
}) => {
  const { company, includes } = await reportedCompany(db, caller, companyId, departmentId);
  const permit = await requirePermit(db, company.id, 'findings');
  const period = readPeriod({ from, to })!;
  const binding = ['listFindings', caller.person.id, companyId, departmentId, period];
  const after: Place = cursor === undefined ? { date: period.from, nth: 0 } : cursors.read<Place>(binding, cursor);
  const foundFindings: (FoundOnDay & { readonly nth: number })[] = [];
  for (const month of monthsBetween(after.date.slice(0, 7), period.to.slice(0, 7))) {
    let [day, nth] = ['', 0];
    const onFinding = (foundOnDay: FoundOnDay) => {
      if (foundOnDay.date < after.date || foundOnDay.date > period.to || !includes(foundOnDay.person)) return;
      [day, nth] = foundOnDay.date === day ? [day, nth + 1] : [foundOnDay.date, 1];
      if (foundOnDay.date > after.date || nth > after.nth) foundFindings.push({ ...foundOnDay, nth });
    };
    const confidentiality = administers(caller, company.id) ? 'confidential' : 'general';
    await readFindings(db, permit, { company, month }, at, { onFinding, confidentiality });
    if (foundFindings.length > limit) break;
  }
  const page = foundFindings.slice(0, limit + 1);
  return {
    status: 200,
    body: pageOf(
      page,
      limit,
      ({ person, date, finding }) => ({
        person: { id: person.id, name: `${person.first_name} ${person.last_name}` },
        date,
        warning: presentFinding(finding, caller.person.language),
      }),
      (last) => cursors.write(binding, { date: last.date, nth: last.nth }),
    ),
  };
};
