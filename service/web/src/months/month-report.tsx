/** The figures of a month: by department, by person, and the findings of working-time rules. */
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import type { Schemas } from '../api/session.js';
import { plusDays, plusMonths, useDays } from '../parts/calendar.js';
import { Glyph } from '../parts/glyph.js';
import { GrowingList } from '../parts/growing-list.js';
import { compareTexts, useSorting } from '../parts/sorting.js';
import { useWords } from '../words/words.js';

type Line = Schemas['PersonMonth'];

/** Every person's line, by name. */
export function useMonthReport(company: number, month: string): UseQueryResult<readonly Line[]> {
  return useQuery({
    queryKey: ['report', company, month],
    queryFn: async () => {
      const lines: Line[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await ask(
          client.GET('/app/reports/months', {
            params: { query: { month, company_id: company, limit: 500, cursor } },
          }),
        );
        lines.push(...page.data);
        if (page.next_cursor === null) return lines.sort((a, b) => compareTexts(a.person.name, b.person.name));
        cursor = page.next_cursor;
      }
    },
  });
}

interface Sum {
  people: number;
  worked: number;
  difference: number;
  absent: number;
}

function sumOf(lines: readonly Line[]): Sum {
  return lines.reduce(
    (sum, { balance, absence_days }) => ({
      people: sum.people + 1,
      worked: sum.worked + balance.worked_minutes,
      difference: sum.difference + balance.difference_minutes,
      absent: sum.absent + absence_days,
    }),
    { people: 0, worked: 0, difference: 0, absent: 0 },
  );
}

export function MonthSums({ lines }: { readonly lines: readonly Line[] }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const departments = [...new Set(lines.map(({ department }) => department ?? ''))].sort(compareTexts);
  const row = (name: ReactNode, { people, worked, difference, absent }: Sum) => (
    <>
      <th scope="row">{name}</th>
      <td className="number" data-label={words.people_title}>
        {calendar.count(people)}
      </td>
      <td className="number" data-label={words.report_worked}>
        {calendar.duration(worked)}
      </td>
      <td className={difference < 0 ? 'number minus' : 'number'} data-label="±">
        {calendar.signed(difference)}
      </td>
      <td className="number" data-label={words.report_absent}>
        {calendar.days(absent)}
      </td>
    </>
  );
  return (
    <section className="panel sums" aria-label={words.report_sums}>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col">{words.people_department}</th>
            <th scope="col" className="number">
              {words.people_title}
            </th>
            <th scope="col" className="number">
              {words.report_worked}
            </th>
            <th scope="col" className="number">
              ±
            </th>
            <th scope="col" className="number">
              {words.report_absent}
            </th>
          </tr>
        </thead>
        <tbody>
          {departments.map((name) => (
            <tr key={name}>
              {row(
                <bdi>{name === '' ? words.presence_department_none : name}</bdi>,
                sumOf(lines.filter(({ department }) => (department ?? '') === name)),
              )}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="total">{row(words.company, sumOf(lines))}</tr>
        </tfoot>
      </table>
    </section>
  );
}

const valuesOf = {
  name: ({ person }: Line) => person.name,
  department: ({ department }: Line) => department,
  target: ({ balance }: Line) => balance.target_minutes,
  worked: ({ balance }: Line) => balance.worked_minutes,
  difference: ({ balance }: Line) => balance.difference_minutes,
  balance: ({ balance }: Line) => balance.balance_minutes,
  absent: ({ absence_days }: Line) => absence_days,
};

export function ReportTable({ lines, name }: { readonly lines: readonly Line[]; readonly name: string }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const sorting = useSorting('name');
  return (
    <section className="panel wide-row" aria-label={words.report_title(name)}>
      <h2 className="panel-head">{words.report_title(name)}</h2>
      <table className="grid">
        <thead>
          <tr>
            <th scope="col" {...sorting.column('name', words.people_name)} />
            <th scope="col" {...sorting.column('department', words.people_department)} />
            <th scope="col" className="number" {...sorting.column('target', words.report_target)} />
            <th scope="col" className="number" {...sorting.column('worked', words.report_worked)} />
            <th scope="col" className="number" {...sorting.column('difference', '±')} />
            <th scope="col" className="number" {...sorting.column('balance', words.report_balance)} />
            <th scope="col" className="number" {...sorting.column('absent', words.report_absent)} />
          </tr>
        </thead>
        <tbody>
          {sorting.sortRows(lines, valuesOf).map(({ person, department, balance, absence_days }) => (
            <tr key={person.id}>
              <th scope="row">
                <Link href={`/company/people/${person.id}?tab=time`} className="link">
                  <bdi>{person.name}</bdi>
                </Link>
              </th>
              <td className="quiet" data-label={words.people_department}>
                <bdi>{department}</bdi>
              </td>
              <td className="number" data-label={words.report_target}>
                {calendar.duration(balance.target_minutes)}
              </td>
              <td className="number" data-label={words.report_worked}>
                {calendar.duration(balance.worked_minutes)}
              </td>
              <td className={balance.difference_minutes < 0 ? 'number minus' : 'number'} data-label="±">
                {calendar.signed(balance.difference_minutes)}
              </td>
              <td className={balance.balance_minutes < 0 ? 'number minus' : 'number'} data-label={words.report_balance}>
                {calendar.signed(balance.balance_minutes)}
              </td>
              <td className="number" data-label={words.report_absent}>
                {calendar.days(absence_days)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Findings({ company, month }: { readonly company: number; readonly month: string }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const period = { from: `${month}-01`, to: plusDays(`${plusMonths(month, 1)}-01`, -1) };
  const findings = usePagesOf(['report', 'findings', company, month], (cursor) =>
    ask(
      client.GET('/app/reports/findings', {
        params: { query: { ...period, company_id: company, limit: 50, cursor } },
      }),
    ),
  );
  return (
    <section className="panel wide-row no-print" aria-label={words.findings_title}>
      <h2 className="panel-head">{words.findings_title}</h2>
      <div className="panel-list">
        <GrowingList of={findings} none={words.findings_none}>
          {(rows) => (
            <ul className="rows">
              {rows.map(({ person, date, warning }) => (
                <li key={`${person.id} ${date} ${warning.code}`}>
                  <Glyph name="warning" />
                  <strong>
                    <Link className="name-link" href={`/company/people/${person.id}?tab=time&day=${date}`}>
                      <bdi>{person.name}</bdi>
                    </Link>
                  </strong>
                  <small>{calendar.day(date)}</small>
                  <span className="grow">{warning.message}</span>
                  <small>{warning.rule}</small>
                </li>
              ))}
            </ul>
          )}
        </GrowingList>
      </div>
    </section>
  );
}
