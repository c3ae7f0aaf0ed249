/** Everything the audit log can say was done, family by family. What was written once stays in the log: a name here never changes and never goes. */
export const auditActions = [
  'absence.approved', 'absence.cancellation_declined', 'absence.cancellation_granted', 'absence.cancellation_requested', 'absence.cancelled', 'absence.changed', 'absence.recounted',
  'absence.rejected', 'absence.requested', 'absence.withdrawn',
  'absence_type.deleted', 'absence_type.saved',
  'audit.exported',
  'badge.blocked', 'badge.issued', 'badge.issuing_started',
  'card.refused',
  'clock.break_end', 'clock.break_start', 'clock.in', 'clock.out',
  'company.added', 'company.changed',
  'correction.approved', 'correction.rejected', 'correction.requested', 'correction.withdrawn',
  'department.added', 'department.removed', 'department.renamed',
  'entitlement.set',
  'entry.approved', 'entry.corrected', 'entry.rejected', 'entry.struck_out',
  'extension.added', 'extension.changed', 'extension.deleted', 'extension.key_rotated', 'extension.pinged', 'extension.previous_key_ended', 'extension.webhook_secret_rotated',
  'link.consented', 'link.declined', 'link.ended', 'link.opened',
  'month.closed', 'month.reopened',
  'passkey.added', 'passkey.counter_went_back', 'passkey.removed', 'passkey.renamed',
  'password.set',
  'people_access.switched',
  'person.added', 'person.changed', 'person.deactivated', 'person.erased', 'person.invited', 'person.reactivated', 'person.roles_changed',
  'pin.locked', 'pin.set',
  'profile.changed',
  'recovery_code.used',
  'recovery_codes.renewed',
  'schedule.removed', 'schedule.set',
  'second_factor.enrolled', 'second_factor.refused', 'second_factor.removed',
  'session.ended', 'session.others_ended',
  'sign_in.completed', 'sign_in.ended', 'sign_in.password', 'sign_in.refused',
  'terminal.added', 'terminal.confirmed', 'terminal.paired', 'terminal.pairing_code',
] as const;

export type AuditAction = (typeof auditActions)[number];

/** What a key or a personal link can write for a person. */
export const actionsForPeople = [
  'clock.in', 'clock.out', 'clock.break_start', 'clock.break_end', 'absence.requested', 'absence.changed', 'absence.withdrawn', 'absence.cancellation_requested', 'absence.cancelled', 'link.opened',
] as const satisfies readonly AuditAction[];

type FamilyOf<Action> = Action extends `${infer Family}.${string}` ? `${Family}.` : never;
/** What stands before the dot, with it: `clock.`. */
export type AuditFamily = FamilyOf<AuditAction>;

export const auditFamilies: readonly AuditFamily[] = [...new Set(auditActions.map((action) => action.slice(0, action.indexOf('.') + 1) as AuditFamily))];
