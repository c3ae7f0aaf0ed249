/** The file that payroll imports. Pure. */
import { stringify } from 'csv-stringify/sync';
import type { PayrollLine } from './payroll-month.js';
import { type PayrollColumn, type PayrollSettings, withMark } from './settings.js';

/** RFC 4180 with the byte order mark; text that a spreadsheet would take for a formula gets an apostrophe in front. */
const csvFormat = {
  bom: true,
  header: true,
  delimiter: ';',
  record_delimiter: 'windows',
  quoted_match: /[\r\n]/,
  escape_formulas: true,
} as const;

interface PayrollFile {
  readonly month: string;
  readonly closed: boolean;
  readonly byDay: boolean;
}

/** The company's columns, with the date in lines by day and the state of an open month. */
export function columnsOf(
  { columns }: Pick<PayrollSettings, 'columns'>,
  { byDay, closed: isClosed }: Pick<PayrollFile, 'byDay' | 'closed'>,
): readonly PayrollColumn[] {
  const requiredColumns: PayrollColumn[] = [
    ...(byDay ? (['date'] as const) : []),
    ...(isClosed ? [] : (['month_state'] as const)),
  ];
  return [...columns, ...requiredColumns.filter((column) => !columns.includes(column))];
}

export function payrollTable(
  lines: readonly PayrollLine[],
  settings: Pick<PayrollSettings, 'columns' | 'decimalMark'>,
  file: PayrollFile,
): string {
  const columns = columnsOf(settings, file);
  const decimal = (value: number) => withMark(value.toFixed(2), settings.decimalMark);
  const cell = ({ person, date, type, minutes, halfDays }: PayrollLine, column: PayrollColumn) => {
    const isAbsence = type.counts === 'absence';
    const [hours, days] = [decimal(minutes / 60), decimal(halfDays / 2)];
    return {
      user_id: person.id,
      personnel_number: person.personnel_number,
      name: `${person.first_name} ${person.last_name}`,
      department: person.department_name,
      month: file.month,
      date,
      wage_type: type.code,
      wage_type_name: type.name,
      quantity: isAbsence ? days : hours,
      unit: isAbsence ? 'days' : 'hours',
      hours: isAbsence ? '' : hours,
      minutes: isAbsence ? '' : minutes,
      days: isAbsence ? days : '',
      month_state: file.closed ? 'closed' : 'open',
    }[column];
  };
  const rows = lines.map((line) => columns.map((column) => cell(line, column)));
  return stringify(rows, { ...csvFormat, columns: [...columns] });
}
