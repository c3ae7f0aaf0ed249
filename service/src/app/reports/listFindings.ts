import type { Handler } from '@clockproof/platform/http/operation';
import { pageOf } from '../../api/page.js';
import { readPeriod } from '../../api/period.js';
import { type FoundOnDay, reckonCompanyMonth } from '../../balances/company-month.js';
import { monthsBetween } from '../../balances/months.js';
import type { operations } from '../../generated/app-types.js';
import { presentFinding } from '../../working-time/warnings.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { reportedCompany } from '../reach.js';

interface Place {
  readonly date: string;
  readonly nth: number;
}

/**
 * Findings by day. Months are judged one after the other until the page is full: a page costs as much as the months it
 * shows.
 */
export function listFindings({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listFindings'], PersonCaller> {
  return async ({
    caller,
    query: { from, to, company_id: companyId, department_id: departmentId, cursor, limit = 100 },
    at,
  }) => {
    const { company, includes } = await reportedCompany(db, caller, companyId, departmentId);
    const period = readPeriod({ from, to })!;
    const binding = ['listFindings', caller.person.id, companyId, departmentId, period];
    const after: Place = cursor === undefined ? { date: period.from, nth: 0 } : cursors.read<Place>(binding, cursor);
    const found: (FoundOnDay & { readonly nth: number })[] = [];
    for (const month of monthsBetween(after.date.slice(0, 7), period.to.slice(0, 7))) {
      let [day, nth] = ['', 0];
      await reckonCompanyMonth(db, company, month, at, (one) => {
        if (one.date < after.date || one.date > period.to || !includes(one.person)) return;
        [day, nth] = one.date === day ? [day, nth + 1] : [one.date, 1];
        if (one.date > after.date || nth > after.nth) found.push({ ...one, nth });
      });
      if (found.length > limit) break;
    }
    const page = found.slice(0, limit + 1);
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
}
