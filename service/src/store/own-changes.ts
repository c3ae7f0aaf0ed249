/**
 * Changes that no person makes alone to their own record: the sources of their balance, vacation, target hours,
 * approval and roles. The list names effects, as the audit log does, so it holds for every operation that causes one.
 * Another admin makes them. A company with one admin may let that admin make them; then each such entry is marked.
 */
import type { Reader } from '@clockproof/platform/database/database';
import type { AuditAction } from './audit/actions.js';
import type { AuditEntry } from './audit/audit.js';
import type { CompanyId, PersonId } from './ids.js';
import { Refusal } from './refusal.js';

/** These members of a changed person only; the others are name, address and language. */
const ownMembers: readonly string[] = [
  'department_id',
  'employment_end',
  'employment_start',
  'opening_minutes',
  'tracking_start',
];

export const ownActions = [
  'approval_rule.set',
  'entitlement.set',
  'flexitime_limits.set',
  'person.changed',
  'person.deactivated',
  'person.roles_changed',
  'schedule.removed',
  'schedule.set',
  'special_rule.removed',
  'special_rule.set',
  'time.booked',
  'time.booking_cancelled',
  'vacation.booked',
] as const satisfies readonly AuditAction[];

/** True if an entry is about the sources of its actor's own figures or rights. */
function isOwnChange({ actor, action, subject, details }: AuditEntry): boolean {
  if (actor.kind !== 'person' || subject !== `person ${actor.id}`) return false;
  if (action === 'person.changed') return details.changed.some((member) => ownMembers.includes(member));
  return ownActions.some((ownAction) => ownAction === action);
}

/** The treatment of a change that an admin makes to their own record. */
export type OwnChanges = 'refused' | 'marked';

/** Marked if the company has declared that it has one admin, as long as it has no second one. */
export async function ownChangesOf(
  reader: Reader,
  { id, company_id: companyId }: { readonly id: PersonId; readonly company_id: CompanyId },
): Promise<OwnChanges> {
  const company = await reader.get(
    `SELECT 1 AS one FROM companies c WHERE c.id = :companyId AND c.one_admin = 1 AND NOT EXISTS (
       SELECT 1 FROM people p WHERE p.company_id = c.id AND p.id <> :id AND p.active = 1
         AND p.role IN ('company_admin', 'super_admin'))`,
    { companyId, id },
  );
  return company === undefined ? 'refused' : 'marked';
}

/** The entry as it is stored: marked if its actor changed their own record. @throws Refusal `own_request` */
export async function withOwnMark(reader: Reader, entry: AuditEntry): Promise<AuditEntry> {
  if (!isOwnChange(entry)) return entry;
  const { actor, companyId = 0 } = entry;
  const ownChanges = await ownChangesOf(reader, { id: Number(actor.id), company_id: companyId });
  if (ownChanges === 'refused') throw new Refusal('own_request');
  return { ...entry, details: { ...entry.details, own_record: true } } as AuditEntry;
}
