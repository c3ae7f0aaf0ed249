/**
 * Tenant scope: the company whose rows a caller reads, and the part of them. Every list and look-up of tenant rows
 * takes one and builds its filter here. There is no default and no value for "not given".
 */

import type { Value } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { allCompanies } from './every-company.js';
import type { CompanyId, DepartmentId, ExtensionId, PersonId } from './ids.js';

/** The people who have linked an extension. */
export interface Linked {
  readonly extension: ExtensionId;
  /** The time at which the link has to be active. */
  readonly at: Instant;
  /** Permissions that the person gave to the link. */
  readonly grantedScopes: readonly string[];
}

/** Filters for the companies of a scope. */
interface CompanyNarrowing {
  /** Without deactivated companies. */
  readonly activeOnly?: true;
  /** Companies of people who linked an extension. */
  readonly withLinks?: Linked;
  /** No row at all. */
  readonly none?: true;
}

/** One company, or every company of the installation. */
export type CompanyScope = (
  | { readonly company: CompanyId; readonly all?: never }
  | { readonly all: true; readonly company?: never }
) &
  CompanyNarrowing;

/** Filters of a scope. */
interface Narrowing {
  /** Rows of people who linked an extension. */
  readonly linkedTo?: Linked;
  /** Rows of this person. */
  readonly person?: PersonId;
  /** Rows of the people of these departments. */
  readonly departments?: readonly DepartmentId[];
  /** With `departments`: rows of this person as well. */
  readonly orPerson?: PersonId;
}

export type TenantScope = CompanyScope & Narrowing;

/** The companies of a scope, for lists without rows of people. */
export function companiesOf(scope: TenantScope): CompanyScope {
  return {
    ...(isEveryCompany(scope) ? allCompanies : { company: requireId(scope.company) }),
    ...(scope.activeOnly === undefined ? {} : { activeOnly: scope.activeOnly }),
    ...(scope.none === undefined ? {} : { none: scope.none }),
    ...(scope.linkedTo === undefined ? {} : { withLinks: scope.linkedTo }),
    ...(scope.withLinks === undefined ? {} : { withLinks: scope.withLinks }),
  };
}

/** A scope that depends on links shows only the people who gave these permissions to theirs; others stay as they are. */
export function requiringGrants(scope: TenantScope, scopes: readonly string[]): TenantScope {
  return scope.linkedTo === undefined ? scope : { ...scope, linkedTo: { ...scope.linkedTo, grantedScopes: scopes } };
}

/** The part of the scope that stays the same from page to page: all but the instant of the request. */
export function bindingOf({ linkedTo, withLinks, ...scope }: TenantScope): readonly unknown[] {
  return [scope, linkedTo?.extension, linkedTo?.grantedScopes, withLinks?.extension].filter(
    (part) => part !== undefined,
  );
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
  // One that is there and undefined narrows as well: it fails.
  const has = (narrowing: keyof CompanyNarrowing | keyof Narrowing) => narrowing in scope;
  if (!isEveryCompany(scope)) {
    conditions.push(`${columns.company} = :scope_company`);
    parameters['scope_company'] = requireId(scope.company);
  }
  if (has('person')) {
    conditions.push(`${columnFor(columns.person, 'person')} = :scope_person`);
    parameters['scope_person'] = requireId(scope.person);
  }
  if (has('departments') || has('orPerson')) {
    const placeholders = (scope.departments ?? fail('departments')).map((id, index) => {
      parameters[`scope_department_${index}`] = requireId(id);
      return `:scope_department_${index}`;
    });
    const departmentCondition = `${columnFor(columns.department, 'department')} IN (${placeholders.join(', ') || 'NULL'})`;
    if (has('orPerson')) {
      conditions.push(`(${columnFor(columns.person, 'person')} = :scope_or_person OR ${departmentCondition})`);
      parameters['scope_or_person'] = requireId(scope.orPerson);
    } else {
      conditions.push(departmentCondition);
    }
  }
  const linkCondition = (link: Linked, column: 'person_id' | 'company_id') => {
    parameters['scope_extension'] = link.extension;
    parameters['scope_at'] = requireId(link.at);
    const grantConditions = link.grantedScopes.map((scope, index) => {
      parameters[`scope_granted_${index}`] = `%"${scope}"%`;
      return ` AND l.scopes LIKE :scope_granted_${index}`;
    });
    return `(SELECT l.${column} FROM links l WHERE l.extension_id = :scope_extension AND l.ended_at IS NULL AND l.expires_at > :scope_at${grantConditions.join('')})`;
  };
  if (has('linkedTo'))
    conditions.push(
      `${columnFor(columns.person, 'person')} IN ${linkCondition(scope.linkedTo ?? fail('linkedTo'), 'person_id')}`,
    );
  if (has('withLinks'))
    conditions.push(`${columns.company} IN ${linkCondition(scope.withLinks ?? fail('withLinks'), 'company_id')}`);
  if (has('activeOnly')) conditions.push(`${columns.company} IN (SELECT id FROM companies WHERE active = 1)`);
  if (has('none')) conditions.push('1 = 0');
  return { sql: conditions.map((condition) => `AND ${condition}`).join(' '), parameters };
}

function isEveryCompany(scope: TenantScope): scope is { readonly all: true } & CompanyNarrowing & Narrowing {
  if (typeof scope !== 'object' || scope === null || 'all' in scope === 'company' in scope) return fail('company');
  return 'all' in scope && (scope.all === true || fail('company'));
}

function columnFor(column: string | undefined, narrowing: string): string {
  return column ?? fail(narrowing);
}

function requireId(id: number | undefined): number {
  return Number.isSafeInteger(id) ? id! : fail('id');
}

function fail(reason: string): never {
  throw new TypeError(`the tenant scope does not hold for this statement: ${reason}`);
}
