import { describe, expect, it } from '@jest/globals';
import { allCompanies } from './every-company.js';
import { companiesOf, type TenantScope, within } from './scope.js';

const columns = { company: 'p.company_id', person: 'p.id', department: 'p.department_id' } as const;

describe('a tenant scope', () => {
  it.each<[TenantScope, string, object]>([
    [allCompanies, '', {}],
    [{ company: 7 }, 'AND p.company_id = :scope_company', { scope_company: 7 }],
    [
      { company: 7, person: 12 },
      'AND p.company_id = :scope_company AND p.id = :scope_person',
      { scope_company: 7, scope_person: 12 },
    ],
    [{ all: true, person: 12 }, 'AND p.id = :scope_person', { scope_person: 12 }],
    [
      { company: 7, departments: [1, 2] },
      'AND p.company_id = :scope_company AND p.department_id IN (:scope_department_0, :scope_department_1)',
      { scope_company: 7, scope_department_0: 1, scope_department_1: 2 },
    ],
    [
      { company: 7, departments: [], orPerson: 12 },
      'AND p.company_id = :scope_company AND (p.id = :scope_or_person OR p.department_id IN (NULL))',
      { scope_company: 7, scope_or_person: 12 },
    ],
    [{ company: 7, none: true }, 'AND p.company_id = :scope_company AND 1 = 0', { scope_company: 7 }],
    [{ all: true, none: true }, 'AND 1 = 0', {}],
    [{ all: true, activeOnly: true }, 'AND p.company_id IN (SELECT id FROM companies WHERE active = 1)', {}],
  ])('the tenant scope %j becomes a condition', (scope, sql, parameters) => {
    expect(within(scope, columns)).toEqual({ sql, parameters });
  });

  it('a tenant scope without a tenant neither compiles nor runs', () => {
    // @ts-expect-error a scope is always given
    expect(() => within(undefined, columns)).toThrow(TypeError);
    // @ts-expect-error null once meant every company
    expect(() => within(null, columns)).toThrow(TypeError);
    // @ts-expect-error it names a company or says all
    expect(() => within({}, columns)).toThrow(TypeError);
    // @ts-expect-error a company that is not known is not every company
    expect(() => within({ company: undefined }, columns)).toThrow(TypeError);
    // @ts-expect-error nor is none
    expect(() => within({ company: null }, columns)).toThrow(TypeError);
    // @ts-expect-error all is a word, not a switch
    expect(() => within({ all: false }, columns)).toThrow(TypeError);
    // @ts-expect-error one or all
    expect(() => within({ all: true, company: 7 }, columns)).toThrow(TypeError);
    // @ts-expect-error narrowed to a person who is not known
    expect(() => within({ company: 7, person: undefined }, columns)).toThrow(TypeError);
    // @ts-expect-error narrowed to departments that are not known
    expect(() => within({ company: 7, departments: undefined }, columns)).toThrow(TypeError);
    expect(() => within({ company: Number.NaN }, columns)).toThrow(TypeError);
  });

  it('a tenant scope is not widened by a list without the column', () => {
    expect(() => within({ company: 7, person: 12 }, { company: 'company_id' })).toThrow(TypeError);
    expect(() => within({ company: 7, departments: [1] }, { company: 'company_id' })).toThrow(TypeError);
    expect(companiesOf({ company: 7, person: 12 })).toEqual({ company: 7 });
    expect(companiesOf({ all: true, person: 12 })).toEqual(allCompanies);
  });
});
