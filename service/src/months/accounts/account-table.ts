/** A time account as a table. Pure. */
import { stringify } from 'csv-stringify/sync';
import type { components } from '../../generated/app-types.js';

/** As `sheetTable`: later columns follow at the end. */
export function accountTable(account: components['schemas']['TimeAccount']): string {
  const opening = { kind: 'opening', date: account.from, balance_minutes: account.opening_minutes };
  return stringify([opening, ...account.lines.map((line) => ({ ...line, booked_by: line.booked_by?.name }))], {
    bom: true,
    header: true,
    columns: [
      'date',
      'end_date',
      'kind',
      'minutes',
      'balance_minutes',
      'target_minutes',
      'worked_minutes',
      'reason',
      'booked_by',
      'booked_at',
    ],
    delimiter: ';',
    record_delimiter: 'windows',
    quoted_match: /[\r\n]/,
    escape_formulas: true,
  });
}
