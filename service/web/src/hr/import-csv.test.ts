import { describe, expect, it } from '@jest/globals';
import { fieldOf, importFields, readCsv } from '../../../src/people/import-file.js';
import { companyDe } from '../words/company.de.js';
import { companyEn } from '../words/company.en.js';
import { withValues } from './import-csv.js';

describe('an import', () => {
  it('an import knows its columns by the names that the pages show', () => {
    for (const names of [companyDe.import_fields, companyEn.import_fields])
      for (const field of importFields) expect([field, fieldOf(names[field])]).toEqual([field, field]);
  });

  it('an import keeps the other values and the numbers of the lines when one is corrected', () => {
    const row = { first_name: 'Le"na', last_name: 'Brandt, M.', faults: [] };
    const preview = {
      ready: false,
      columns: [
        { header: 'Vorname', field: 'first_name' as const },
        { header: 'Notiz' },
        { header: 'Name', field: 'last_name' as const },
      ],
      new_departments: [],
      faults: [],
      rows: [
        { ...row, line: 2 },
        { ...row, line: 5, last_name: '' },
      ],
    };
    expect(readCsv(withValues(preview, [{ line: 5, field: 'last_name', value: 'Voss' }]))).toEqual([
      { line: 1, values: ['first_name', 'last_name'] },
      { line: 2, values: ['Le"na', 'Brandt, M.'] },
      { line: 5, values: ['Le"na', 'Voss'] },
    ]);
  });
});
