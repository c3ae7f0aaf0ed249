/** The file of an import, written again after a line was corrected on the page. */
import type { Schemas } from '../api/session.js';

type Preview = Schemas['PeopleImportPreview'];
export type ImportField = NonNullable<Preview['columns'][number]['field']>;

/** True if the preview has every value of the file: for a line that is too wide it lacks some. */
export function isRewritable({ rows, faults }: Preview): boolean {
  return faults.length === 0 && rows.every((row) => row.faults.every(({ code }) => code !== 'width'));
}

/**
 * @param change a value of the line that begins at this number
 * @returns the file with the same line numbers, without columns that the import ignores
 */
export function withValue(
  { columns, rows }: Preview,
  change: { readonly line: number; readonly field: ImportField; readonly value: string },
): string {
  const fields = columns.flatMap(({ field }) => (field === undefined ? [] : [field]));
  const lines = [fields.join(',')];
  for (const row of rows) {
    while (lines.length < row.line - 1) lines.push('');
    const values = row.line === change.line ? { ...row, [change.field]: change.value } : row;
    lines.push(fields.map((field) => `"${(values[field] ?? '').replaceAll('"', '""')}"`).join(','));
  }
  return `${lines.join('\n')}\n`;
}
