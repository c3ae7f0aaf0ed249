/** A CSV file with people (RFC 4180): its records, and the members that its columns hold. Pure. */
import { parseLocalDate } from '@clockproof/platform/time/local-date';

/** Members of a person that a column can hold, with the headers that name them. */
const headers = {
  first_name: ['first_name', 'first name', 'vorname'],
  last_name: ['last_name', 'last name', 'surname', 'nachname', 'name'],
  email: ['email', 'e-mail', 'mail', 'e-mail-adresse'],
  personnel_number: [
    'personnel_number',
    'personnel number',
    'number',
    'nummer',
    'personalnummer',
    'personalnr',
    'personal-nr.',
  ],
  department: ['department', 'abteilung'],
  language: ['language', 'sprache'],
  employment_start: ['employment_start', 'start', 'first day', 'erster tag', 'eintritt', 'eintrittsdatum'],
  employment_end: ['employment_end', 'end', 'last day', 'letzter tag', 'austritt', 'austrittsdatum'],
} as const;

export type ImportField = keyof typeof headers;
export const importFields = Object.keys(headers) as readonly ImportField[];

export interface CsvRecord {
  /** The line on which it begins; the first one is 1. */
  readonly line: number;
  readonly values: readonly string[];
}

/**
 * The records of a file whose lines end with a line feed. Values may be quoted and then contain separators, line breaks
 * and doubled quotes. Lines without any value are left out.
 */
export function readCsv(text: string): CsvRecord[] {
  const content = text.replace(/^\uFEFF/, '');
  const separator = separatorOf(content);
  const records: CsvRecord[] = [];
  let [line, firstLine, values, value, isQuoted] = [1, 1, [] as string[], '', false];
  const endRecord = () => {
    values.push(value);
    if (values.some((cell) => cell.trim() !== ''))
      records.push({ line: firstLine, values: values.map((cell) => cell.trim()) });
    [values, value] = [[], ''];
  };
  for (let at = 0; at < content.length; at++) {
    const character = content[at]!;
    if (isQuoted) {
      if (character === '"' && content[at + 1] === '"') {
        value += '"';
        at++;
      } else if (character === '"') isQuoted = false;
      else value += character;
      if (character === '\n') line++;
    } else if (character === '"' && value.trim() === '') {
      isQuoted = true;
      value = '';
    } else if (character === separator) {
      values.push(value);
      value = '';
    } else if (character === '\n') {
      endRecord();
      line++;
      firstLine = line;
    } else value += character;
  }
  endRecord();
  return records;
}

/** The separator that the header line has most of. */
function separatorOf(content: string): string {
  const header = /^.*/.exec(content)![0];
  const count = (separator: string) => header.split(separator).length;
  return [';', ',', '\t'].reduce((best, candidate) => (count(candidate) > count(best) ? candidate : best));
}

/** The field of a column; undefined if it is ignored. */
export function fieldOf(header: string): ImportField | undefined {
  const name = header.toLowerCase().replaceAll(/\s+/g, ' ').trim();
  return importFields.find((field) => (headers[field] as readonly string[]).includes(name));
}

/** A date as `YYYY-MM-DD` or `D.M.YYYY`; undefined if it is none. */
export function readDate(text: string): string | undefined {
  const [, day, month, year] = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text) ?? [];
  const date = day === undefined ? text : `${year}-${month!.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return /^\d{4}-\d{2}-\d{2}$/.test(date) && parseLocalDate(date) !== undefined ? date : undefined;
}
