/** The lines of a time account: the result of each month, bookings with their reasons, and the balance after each. */
import type { ReactNode } from 'react';
import type { Schemas } from '../api/session.js';
import { useDays } from '../parts/calendar.js';
import { useFormats } from '../parts/formats.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

type Line = Schemas['TimeAccountLine'];

export function AccountStatement({
  of,
  zone,
  onCancel,
}: {
  readonly of: Schemas['TimeAccount'];
  readonly zone: Zone;
  /** Cancels a booking; absent if bookings cannot be cancelled here. */
  readonly onCancel?: (line: Line) => void;
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
            {words.account_minutes}
          </th>
          <th scope="col" className="number">
            {words.statement_balance}
          </th>
          {onCancel !== undefined && (
            <th scope="col">
              <span className="hidden">{words.account_cancel}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{calendar.day(of.from)}</th>
          <td className="wrap">{words.account_opening}</td>
          <td />
          <td className="number" data-label={words.statement_balance}>
            {calendar.signed(of.opening_minutes)}
          </td>
          {onCancel !== undefined && <td />}
        </tr>
        {of.lines.map((line) => (
          <tr key={line.id ?? line.date}>
            <th scope="row">{calendar.span(line.date, line.end_date ?? line.date)}</th>
            <td className="wrap">
              <What line={line} zone={zone} />
            </td>
            <td className={line.minutes < 0 ? 'number minus' : 'number'} data-label={words.account_minutes}>
              {calendar.signed(line.minutes)}
            </td>
            <td className={line.balance_minutes < 0 ? 'number minus' : 'number'} data-label={words.statement_balance}>
              {calendar.signed(line.balance_minutes)}
            </td>
            {onCancel !== undefined && (
              <td>
                {line.id !== undefined && line.cancels === undefined && line.cancelled_by === undefined && (
                  <button
                    type="button"
                    className="button small"
                    aria-label={words.account_cancel_of(calendar.day(line.date), calendar.signed(line.minutes))}
                    onClick={() => onCancel(line)}
                  >
                    {words.account_cancel}
                  </button>
                )}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function What({ line, zone }: { readonly line: Line; readonly zone: Zone }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const formats = useFormats(zone);
  if (line.kind === 'month')
    return (
      <>
        {words.account_month(calendar.duration(line.worked_minutes ?? 0), calendar.duration(line.target_minutes ?? 0))}
        {line.closed === true && <small className="quiet"> {words.account_closed}</small>}
      </>
    );
  const kind = words.account_kinds[line.kind as keyof typeof words.account_kinds] ?? line.kind;
  return (
    <>
      {line.cancelled_by === undefined ? kind : <del>{kind}</del>}
      {line.reason !== undefined && (
        <>
          : <bdi>{line.reason}</bdi>
        </>
      )}
      {line.booked_at !== undefined && (
        <small className="quiet">
          {' '}
          {line.booked_by === undefined
            ? formats.instant(line.booked_at)
            : words.statement_by(line.booked_by.name, formats.instant(line.booked_at))}
        </small>
      )}
      {line.cancelled_by !== undefined && <small className="quiet"> {words.account_cancelled}</small>}
    </>
  );
}
