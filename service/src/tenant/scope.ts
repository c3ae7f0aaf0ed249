/**
 * Tenant scope: which company's rows a caller reads, and which of them. Every list and look-up of tenant rows takes one
 * and builds its filter here. There is no default and no value for "not given".
 */
import type { Value } from '@clockproof/platform/database/database';
import type { CompanyId, DepartmentId, PersonId } from '../ids.js';

/** One company, or every company of the installation. */
export type CompanyScope =
  | { readonly company: CompanyId; readonly all?: never }
  | { readonly all: true; readonly company?: never };

/** How a scope can be narrowed. */
interface Narrowing {
  /** Rows of this person. */
  readonly person?: PersonId;
  /** Rows of the people of these departments. */
  readonly departments?: readonly DepartmentId[];
  /** With `departments`: rows of this person as well. */
  readonly orPerson?: PersonId;
}

export type TenantScope = CompanyScope & Narrowing;

/** For the service itself, and for a row whose company another row has already determined. */
export const allCompanies = { all: true } as const satisfies CompanyScope;

/** The companies of a scope, for lists without rows of people. */
export function companiesOf(scope: TenantScope): CompanyScope {
  return isEveryCompany(scope) ? allCompanies : { company: whole(scope.company) };
}

/** The columns that a list compares with a scope. */
export interface TenantColumns {
  readonly company: string;
  readonly person?: string;
  readonly department?: string;
}

export interface Condition {
  /** Empty, or `AND …` for the end of a WHERE that has another condition. */
  readonly sql: string;
  readonly parameters: Readonly<Record<string, Value>>;
}

/**
 * The condition that keeps a statement within a scope.
 * @throws TypeError the value is not a scope, or it is narrowed by something the list has no column for
 */
export function within(scope: TenantScope, columns: TenantColumns): Condition {
  const conditions: string[] = [];
  const parameters: Record<string, Value> = {};
  if (!isEveryCompany(scope)) {
    conditions.push(`${columns.company} = :scope_company`);
    parameters['scope_company'] = whole(scope.company);
  }
  if ('person' in scope) {
    conditions.push(`${columnFor(columns.person, 'person')} = :scope_person`);
    parameters['scope_person'] = whole(scope.person);
  }
  if ('departments' in scope || 'orPerson' in scope) {
    const named = (scope.departments ?? fail('departments')).map((id, index) => {
      parameters[`scope_department_${index}`] = whole(id);
      return `:scope_department_${index}`;
    });
    const inside = `${columnFor(columns.department, 'department')} IN (${named.join(', ') || 'NULL'})`;
    if ('orPerson' in scope) {
      conditions.push(`(${columnFor(columns.person, 'person')} = :scope_or_person OR ${inside})`);
      parameters['scope_or_person'] = whole(scope.orPerson);
    } else {
      conditions.push(inside);
    }
  }
  return { sql: conditions.map((condition) => `AND ${condition}`).join(' '), parameters };
}

function isEveryCompany(scope: TenantScope): scope is { readonly all: true } & Narrowing {
  if (typeof scope !== 'object' || scope === null || 'all' in scope === 'company' in scope) return fail('company');
  return 'all' in scope && (scope.all === true || fail('company'));
}

function columnFor(column: string | undefined, narrowing: string): string {
  return column ?? fail(narrowing);
}

function whole(id: number | undefined): number {
  return Number.isSafeInteger(id) ? id! : fail('id');
}

function fail(what: string): never {
  throw new TypeError(`the tenant scope does not hold for this statement: ${what}`);
}
