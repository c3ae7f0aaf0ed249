/** Finds an absence for a caller who wants to change it, and locks the person's absences. */
import type { Transaction } from '@clockproof/platform/database/database';
import type { ExtensionId, PersonId } from '../ids.js';
import { Refusal } from '../refusal.js';
import { allCompanies, type TenantScope } from '../tenant/scope.js';
import { findAbsence, lockAbsences, type NamedAbsence } from './rows.js';
import type { AbsenceRole } from './state.js';

/** The caller and their tenant scope. */
export type AbsenceAccess = {
  /** The version they read (`If-Match`): `*` or an entity tag. */
  readonly ifMatch?: string | undefined;
} & (
  | {
      readonly by: 'extension';
      readonly extensionId: ExtensionId;
      /** With a personal link: its person. */
      readonly scope: TenantScope;
      readonly leading: boolean;
    }
  | { readonly by: 'person'; readonly personId: PersonId }
  | { readonly by: 'approver'; readonly scope: TenantScope }
);

/**
 * RFC 9110 §8.8.3: the version is the sequence number of the last change, which is unique to this version of the
 * record.
 */
export function entityTag(absence: Pick<NamedAbsence, 'changed'>): string {
  return `"v${absence.changed}"`;
}

/**
 * The absence under the lock, and the caller's role for it. Absences of another extension, person or company are not
 * found.
 * @throws Refusal `not_found`, `precondition_failed`
 */
export async function openAbsence(
  tx: Transaction,
  id: number,
  access: AbsenceAccess,
): Promise<{ readonly absence: NamedAbsence; readonly role: AbsenceRole }> {
  const scope = access.by === 'person' ? { ...allCompanies, person: access.personId } : access.scope;
  const found = await findAbsence(tx, id, scope);
  if (found === undefined || (access.by === 'extension' && found.extension_id !== access.extensionId))
    throw new Refusal('not_found');
  await lockAbsences(tx, found.person_id);
  const absence = await findAbsence(tx, id, scope);
  if (absence === undefined) throw new Refusal('not_found');
  if (access.ifMatch !== undefined && access.ifMatch !== '*' && access.ifMatch !== entityTag(absence))
    throw new Refusal('precondition_failed');
  return {
    absence,
    role:
      access.by === 'approver'
        ? 'approver'
        : access.by === 'extension' && access.leading
          ? 'leading_system'
          : 'requester',
  };
}
