/** The file of an import, written again after a line was corrected on the page. */
import type { Schemas } from '../api/session.js';

type Preview = Schemas['PeopleImportPreview'];
export type ImportField = NonNullable<Preview['columns'][number]['field']>;

/** True if the preview has every value of the file: for a line that is too wide it lacks some. */
export function isRewritable({ rows, faults }: Preview): boolean {
  return faults.length === 0 && rows.every((row) => row.faults.every(({ code }) => code !== 'width'));
}

export interface Correction {
  /** The number of the line with which it begins. */
  readonly line: number;
  readonly field: ImportField;
  readonly value: string;
}

/** @returns the corrected file with the same line numbers, without columns that the import ignores */
export function withValues({ columns, rows }: Preview, corrections: readonly Correction[]): string {
  const fields = columns.flatMap(({ field }) => (field === undefined ? [] : [field]));
  const lines = [fields.join(',')];
  for (const row of rows) {
    while (lines.length < row.line - 1) lines.push('');
    const corrected = corrections.filter(({ line }) => line === row.line).map(({ field, value }) => [field, value]);
    const values: Partial<Record<ImportField, string>> = { ...row, ...Object.fromEntries(corrected) };
    lines.push(fields.map((field) => `"${(values[field] ?? '').replaceAll('"', '""')}"`).join(','));
  }
  return `${lines.join('\n')}\n`;
}
