import type { Handler } from '@clockproof/platform/http/operation';
import { readCompanyMonth } from '../../balances/company-month.js';
import type { operations } from '../../generated/app-types.js';
import { companyFor } from '../admin/administered.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { refuseFarMonth } from '../reach.js';

const heading = 'user_id;personnel_number;name;target_minutes;worked_minutes;balance_minutes';

export function exportMonthReport({
  db,
}: Pick<AppNeeds, 'db'>): Handler<operations['exportMonthReport'], PersonCaller> {
  return async ({ caller, query: { month, company_id: companyId }, at }) => {
    const company = await companyFor(db, caller, companyId);
    refuseFarMonth(month, at);
    const { lines } = await readCompanyMonth(db, company, month, at);
    const rows = lines.map(({ person, sum, balanceMinutes }) =>
      [
        person.id,
        cell(person.personnel_number ?? ''),
        cell(`${person.first_name} ${person.last_name}`),
        sum.targetMinutes,
        sum.workedMinutes,
        balanceMinutes,
      ].join(';'),
    );
    return {
      status: 200,
      headers: {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="months-${companyId}-${month}.csv"`,
      },
      body: [heading, ...rows].map((row) => `${row}\r\n`).join(''),
    };
  };
}

/** RFC 4180 quoting. Text that a spreadsheet would take for a formula gets an apostrophe in front. */
function cell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[";\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
