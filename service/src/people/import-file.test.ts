import { describe, expect, it } from '@jest/globals';
import { fieldOf, readCsv, readDate } from './import-file.js';

const valuesOf = (text: string) => readCsv(text).map(({ values }) => values);

describe('a CSV file', () => {
  it.each([
    ['semicolons', 'a;b\n1;2,5'],
    ['commas', 'a,b\n1,"2,5"'],
    ['tabs', 'a\tb\n1\t2,5'],
    ['a byte order mark', '\uFEFFa;b\n1;2,5\n'],
  ])('a CSV file is read with %s', (_, text) => {
    expect(valuesOf(text)).toEqual([
      ['a', 'b'],
      ['1', '2,5'],
    ]);
  });

  it('a CSV file has quotes, separators and line breaks in quoted values', () => {
    expect(valuesOf('a,b\n"say ""hi"", you","two\nlines"\n')[1]).toEqual(['say "hi", you', 'two\nlines']);
  });

  it('a CSV file reports the first line of a record, and leaves out lines without a value', () => {
    const records = readCsv('a;b\n"1\n2";3\n;\n\n4;5');
    expect(records.map(({ line }) => line)).toEqual([1, 2, 6]);
  });

  it('a CSV file names its columns in either language', () => {
    expect(['Vorname', 'LAST_NAME', 'E-Mail', ' Eintritt ', 'Notiz'].map(fieldOf)).toEqual([
      'first_name',
      'last_name',
      'email',
      'employment_start',
      undefined,
    ]);
  });

  it.each([
    ['2026-12-01', '2026-12-01'],
    ['1.2.2026', '2026-02-01'],
    ['29.02.2027', undefined],
    ['2026-13-01', undefined],
    ['12/01/2026', undefined],
    ['01.12.26', undefined],
  ])('a CSV file reads %s as %s', (text, date) => {
    expect(readDate(text)).toBe(date);
  });
});
