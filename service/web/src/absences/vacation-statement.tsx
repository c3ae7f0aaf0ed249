/** The lines of a vacation account: additions and deductions with their reasons, and the balance after each. */
import type { ReactNode } from 'react';
import type { Schemas } from '../api/session.js';
import { useDays } from '../parts/calendar.js';
import { useFormats } from '../parts/formats.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

export function VacationStatement({
  of,
  zone,
}: {
  readonly of: Schemas['VacationStatement'];
  readonly zone: Zone;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  return (
    <table className="grid">
      <thead>
        <tr>
          <th scope="col">{words.statement_date}</th>
          <th scope="col">{words.statement_what}</th>
          <th scope="col" className="number">
            {words.statement_days}
          </th>
          <th scope="col" className="number">
            {words.statement_balance}
          </th>
        </tr>
      </thead>
      <tbody>
        {of.lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id of their own, and are shown whole
          <tr key={index}>
            <th scope="row">{calendar.span(line.date, line.absence?.end_date ?? line.date)}</th>
            <td>
              <What line={line} zone={zone} />
            </td>
            <td className={line.days < 0 ? 'number minus' : 'number'} data-label={words.statement_days}>
              {line.days > 0 && '+'}
              {calendar.days(line.days)}
            </td>
            <td className="number" data-label={words.statement_balance}>
              {calendar.days(line.balance_days)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function What({ line, zone }: { readonly line: Schemas['VacationLine']; readonly zone: Zone }): ReactNode {
  const words = useWords();
  const formats = useFormats(zone);
  if (line.absence !== undefined) return <bdi>{line.absence.type_label}</bdi>;
  const kind = words.statement_kinds[line.kind as keyof typeof words.statement_kinds] ?? line.kind;
  if (line.reason === undefined) return kind;
  return (
    <>
      {kind}: <bdi>{line.reason}</bdi>
      {line.booked_by !== undefined && line.booked_at !== undefined && (
        <small className="quiet"> {words.statement_by(line.booked_by.name, formats.instant(line.booked_at))}</small>
      )}
    </>
  );
}
