import type { Handler } from '@clockproof/platform/http/operation';
import { pageOf } from '../../api/page.js';
import { type PersonMonthBalance, readCompanyMonth } from '../../balances/company-month.js';
import { presentMonth } from '../../balances/present.js';
import type { components, operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { refuseFarMonth, reportedCompany } from '../reach.js';

export function listMonthReport({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listMonthReport'], PersonCaller> {
  return async ({
    caller,
    query: { month, company_id: companyId, department_id: departmentId, cursor, limit = 100 },
    at,
  }) => {
    const { company, includes } = await reportedCompany(db, caller, companyId, departmentId);
    const binding = ['listMonthReport', caller.person.id, companyId, departmentId, month];
    const afterId = cursor === undefined ? 0 : cursors.read<number>(binding, cursor);
    refuseFarMonth(month, at);
    const { closed, lines } = await readCompanyMonth(db, company, month, at);
    const rows = lines.filter(({ person }) => person.id > afterId && includes(person)).slice(0, limit + 1);
    return {
      status: 200,
      body: pageOf(
        rows,
        limit,
        (line) => presentLine(line, month, closed),
        (last) => cursors.write(binding, last.person.id),
      ),
    };
  };
}

function presentLine(line: PersonMonthBalance, month: string, closed: boolean): components['schemas']['PersonMonth'] {
  const { person, sum } = line;
  return {
    person: { id: person.id, name: `${person.first_name} ${person.last_name}` },
    ...(person.department_name === null ? {} : { department: person.department_name }),
    balance: presentMonth({ ...line, month, closed }),
    absence_days: sum.absenceHalfDays / 2,
    findings: sum.findings,
  };
}
