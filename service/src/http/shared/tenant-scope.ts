/** What a key or personal link may read. What lies outside is not found. */
import type { Reader } from '@clockproof/platform/database/database';
import { findPerson, listCompanies } from '../../people/rows.js';
import { Refusal } from '../../refusal.js';
import { companiesOf, type TenantScope } from '../../tenant/scope.js';
import type { ApiCaller } from './subject.js';

/** A key reads what its setting says (see `ExtensionCaller`), a personal link its person. */
export function scopeOf(caller: ApiCaller): TenantScope {
  return caller.kind === 'link' ? { company: caller.companyId, person: caller.personId } : caller.scope;
}

/**
 * The caller's scope, narrowed to the company and the person that the request names.
 * @throws Refusal `not_found` one of them is unknown, or outside the caller's scope
 */
export async function narrowedScope(
  reader: Reader,
  caller: ApiCaller,
  { companyId, personId }: { readonly companyId: number | undefined; readonly personId?: number | undefined },
): Promise<TenantScope> {
  const own = scopeOf(caller);
  let scope = own;
  if (companyId !== undefined) {
    const outside = own.company !== undefined && own.company !== companyId;
    if (outside) throw new Refusal('not_found');
    scope = { ...withoutCompany(own), company: companyId };
    // To a key that reads linked people or nobody every other company is empty, whether there is one or not.
    const partial = own.linkedTo !== undefined || own.nobody === true;
    if (!partial && (await listCompanies(reader, companiesOf(scope), { afterId: 0, limit: 1 })).length === 0)
      throw new Refusal('not_found');
  }
  if (personId !== undefined) {
    if ((await findPerson(reader, personId, own)) === undefined) throw new Refusal('not_found');
    scope = { ...scope, person: personId };
  }
  return scope;
}

function withoutCompany({ company: _company, all: _all, ...narrowing }: TenantScope) {
  return narrowing;
}
