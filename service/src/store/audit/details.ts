/**
 * The details of audit log entries beside actor, action and time, by action. The log stays when a person is erased, so
 * details identify people by id and repeat no text or value about them.
 */
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type {
  CompanyId,
  CorrectionId,
  DepartmentId,
  EntryId,
  ExtensionId,
  PasskeyId,
  PersonId,
  SessionId,
  SpecialRuleId,
  TerminalId,
  UnresolvedStampId,
} from '../ids.js';
import type { AuditAction } from './actions.js';

/** Nothing. */
type None = undefined;

/** Members that are not always there. */
type Sometimes<Members> = { readonly [Name in keyof Members]?: Members[Name] | undefined };

interface Changes {
  readonly changes: readonly { readonly member: string; readonly old: unknown; readonly new: unknown }[];
}
/** Changes of a person, whose values would stay with the log. */
interface ChangedMembers {
  /** Their names; the values stand in `person_changes` (`people/personal-values.ts`). */
  readonly changed: readonly string[];
}
interface BeforeAndAfter<Value> {
  readonly before: Value;
  readonly after: Value;
}

type OfAbsence = { readonly person: PersonId; readonly status: string } & Sometimes<{
  from: string;
  changed: readonly string[];
  because: 'employment_ended' | 'returned' | 'restored';
  on_behalf_of: PersonId;
}>;
type OfEntry = { readonly entry: EntryId } & Sometimes<{
  because: 'employment_ended' | 'undone';
  on_behalf_of: PersonId;
}>;
type OfStamp = { readonly entry: EntryId } & Sometimes<{ proof: string }>;
/** `person`: the holder of the badge; absent if there is none. */
type OfUnresolvedStamp = { readonly stamp: UnresolvedStampId } & Sometimes<{
  person: PersonId;
  on_behalf_of: PersonId;
}>;
type OfCorrection = { readonly correction: CorrectionId } & Sometimes<{ entry: EntryId; on_behalf_of: PersonId }>;
type OfBadge = { readonly person: PersonId } & Sometimes<{ lost: true; because: 'data_key_lost' | 'card_key_known' }>;
type OfRenewal = { readonly person: PersonId; readonly version: number };
interface OfSession {
  readonly session: SessionId;
}
interface OfPasskey {
  readonly passkey: PasskeyId;
}
interface OfHoliday {
  readonly date: LocalDate;
  readonly yearly: boolean;
  readonly kind: string;
  readonly name_de: string;
  readonly name_en: string;
}
interface OfSpecialRule {
  readonly special_rule: SpecialRuleId;
}
type OfSubstitute = ChangedMembers & { readonly person: PersonId };
type OfBooking = ChangedMembers & { readonly booking: number };
interface OfPeopleAccess {
  readonly people_writes: 0 | 1;
  readonly personal_links: 0 | 1;
  readonly terminals: 0 | 1;
}

export interface AuditDetails {
  'absence.approved': OfAbsence;
  'absence.cancellation_declined': OfAbsence;
  'absence.cancellation_granted': OfAbsence;
  'absence.cancellation_requested': OfAbsence;
  'absence.cancelled': OfAbsence;
  'absence.changed': OfAbsence;
  'absence.recounted': OfAbsence;
  'absence.rejected': OfAbsence;
  'absence.requested': OfAbsence;
  'absence.withdrawn': OfAbsence;
  'absence_type.deleted': None;
  'absence_type.saved': {
    readonly key: string;
    readonly label: { readonly de: string; readonly en: string };
    readonly halfDay: boolean;
    readonly requiresApproval: boolean;
    readonly countsAsVacation: boolean;
    readonly overlapClass: string;
    readonly target: string;
    readonly color: string;
    readonly visibleTo: string;
    readonly active: boolean;
  };
  'approval_rule.set': ChangedMembers;
  'audit.committed': { readonly period: string; readonly size: number };
  'audit.exported': { readonly from: LocalDate; readonly to: LocalDate; readonly entries: number };
  'audit.key_replaced': {
    readonly second_factors: number;
    readonly pins: number;
    readonly badges: number;
    readonly card_keys: number;
    readonly webhook_secrets: number;
    readonly identity_providers: number;
    /** Size and root of the log as it was then. */
    readonly head: string;
  };
  'audit.signed': None;
  'badge.blocked': OfBadge;
  'badge.issued': { readonly person: PersonId; readonly family: string } & Sometimes<{ locked: true }>;
  'badge.issuing_cancelled': None;
  'badge.issuing_started': { readonly terminal: TerminalId };
  'badge.key_found': OfRenewal;
  'badge.key_renewal_failed': OfRenewal & { readonly reason: string };
  'badge.key_renewed': OfRenewal;
  'badge.proofs_failed': { readonly person: PersonId; readonly failures: number };
  'badge.returned': OfBadge;
  'badge.unblocked': OfBadge;
  'card.key_rotated': { readonly version: number } & Sometimes<{ known: true }>;
  'card.lock_set': { readonly lock_cards: boolean };
  'card.refused': { readonly reason: string } & Sometimes<{ person: PersonId }>;
  'clock.break_end': OfStamp;
  'clock.break_start': OfStamp;
  'clock.in': OfStamp;
  'clock.out': OfStamp;
  'company.added': None;
  'company.changed': Changes;
  'company.sign_in_set':
    | { readonly enabled: false; readonly because: 'data_key_lost' }
    | ({
        readonly enabled: boolean;
        readonly issuer: string;
        readonly client_id: string;
        readonly secret_changed: boolean;
        readonly email_domains: readonly string[];
        readonly creates_people: boolean;
        readonly trusts_auth_time: boolean;
        readonly ended_bindings: number;
        readonly ended_sessions: number;
      } & Sometimes<{ role_claim: string; role_values: unknown }>);
  'correction.approved': OfCorrection;
  'correction.rejected': OfCorrection;
  'correction.requested': OfCorrection;
  'correction.withdrawn': OfCorrection;
  'data_key.rotated': None;
  'department.added': None;
  'department.removed': None;
  'department.renamed': BeforeAndAfter<{ readonly name: string }>;
  'entitlement.set': ChangedMembers;
  'entry.approved': OfEntry;
  'entry.corrected': OfEntry;
  'entry.rejected': OfEntry;
  'entry.clock_out_missing': OfEntry;
  'entry.struck_out': OfEntry;
  'evaluation.switched': { readonly evaluation: string; readonly enabled: boolean };
  'extension.added': {
    readonly name: string;
    readonly mode: string;
    readonly acting: string;
    readonly scopes: unknown;
    readonly absences_count_as_approved: boolean;
    readonly linking: boolean;
    readonly redirect_uris: unknown;
    readonly link_lifetime_days: number;
    readonly key_reads: string;
  } & Sometimes<{
    description: string;
    company_id: CompanyId;
    event_types: unknown;
    webhook_url: string;
    key_expires_at: string;
  }>;
  'extension.changed': Changes;
  'extension.deleted': { readonly name: string };
  'extension.deliveries_recovered': { readonly since: string; readonly deliveries: number };
  'extension.delivery_resent': { readonly event: string };
  'extension.key_rotated': { readonly overlap_hours: number };
  'extension.pinged': { readonly event: string };
  'extension.previous_key_ended': None;
  'extension.webhook_secret_rotated': { readonly previous_ends_at: string };
  'extension.webhooks_disabled': { readonly why: string };
  /** Empty: a person follows the limits of the company, or a company has none. */
  'flexitime_limits.set':
    | ChangedMembers
    | { readonly upper_minutes: number | null; readonly at_upper: string; readonly lower_minutes: number | null }
    | Readonly<Record<string, never>>;
  'holiday.added': OfHoliday;
  'holiday.changed': BeforeAndAfter<OfHoliday>;
  'holiday.removed': OfHoliday & Sometimes<{ last_date: LocalDate }>;
  'link.consented': { readonly scopes: readonly string[]; readonly days: number; readonly key_reads: string };
  'link.declined': None;
  'link.ended': { readonly reason: string; readonly person: PersonId; readonly extension: ExtensionId };
  'link.opened': { readonly scopes: readonly string[]; readonly expires_at: string };
  'commitment.claimed': { readonly period: string };
  'commitment.overdue': { readonly period: string };
  'commitment.reported': {
    readonly period: string;
    readonly revision: number;
    readonly tx: string;
    readonly state: string;
  };
  /** The number of people whose balances were cut, if any. */
  'month.closed': { readonly cut: number } | None;
  'month.reopened': { readonly reason: string };
  'proof.handed_out': { readonly period: string };
  'proof.link_created': None;
  'passkey.added': OfPasskey;
  'passkey.counter_went_back': OfPasskey & BeforeAndAfter<{ readonly counter: number }>;
  'passkey.removed': OfPasskey & Sometimes<{ last: true }>;
  'passkey.renamed': OfPasskey;
  'password.reset_requested': None;
  'password.set': None;
  'payroll_settings.set': { readonly wage_types: readonly string[]; readonly columns: readonly string[] };
  'people_access.switched': BeforeAndAfter<OfPeopleAccess> & {
    readonly ended_links: number;
    readonly stripped_keys: number;
  };
  'person.added': None;
  'person.changed': ChangedMembers;
  'person.deactivated': ChangedMembers;
  'person.erased': Sometimes<{ retained_until: LocalDate; reason: string }>;
  'person.invited': None;
  'person.reactivated': ChangedMembers;
  'person.roles_changed': BeforeAndAfter<
    readonly (
      | { readonly role: 'approver'; readonly companyId: CompanyId; readonly departmentIds?: readonly DepartmentId[] }
      | { readonly role: 'company_admin'; readonly companyId: CompanyId }
      | { readonly role: 'super_admin' }
    )[]
  >;
  'offline_stamp.missing': { readonly from: number; readonly to: number };
  'offline_stamp.recorded': { readonly entry: EntryId; readonly number: number; readonly action: string };
  'offline_stamp.rejected': OfUnresolvedStamp;
  'offline_stamp.taken': OfUnresolvedStamp & { readonly entry: EntryId };
  'offline_stamp.unresolved': OfUnresolvedStamp & { readonly number: number; readonly reason: string };
  'pin.locked': { readonly person: PersonId };
  'pin.reset': { readonly because: 'data_key_lost' } | None;
  'pin.set': None;
  'profile.changed': ChangedMembers;
  'recovery_code.used': { readonly left: number };
  'recovery_codes.renewed': None;
  'schedule.removed': ChangedMembers | { readonly valid_from: LocalDate };
  'special_rule.set': OfSpecialRule;
  'special_rule.removed': OfSpecialRule;
  'schedule.set': ChangedMembers | { readonly valid_from: LocalDate; readonly week: readonly number[] };
  'second_factor.enrolled': None;
  'second_factor.refused': None;
  'second_factor.removed': { readonly because: 'data_key_lost' } | None;
  'session.ended': OfSession;
  'session.others_ended': { readonly ended: number };
  'sheet.signed_off': { readonly month: string; readonly role: 'person' | 'approver' };
  'sign_in.company': OfSession & { readonly issuer: string } & Sometimes<{ waits_for: 'second_factor' }>;
  'sign_in.completed': OfSession & Sometimes<{ passkey: PasskeyId }>;
  'sign_in.ended': OfSession;
  'sign_in.linked': { readonly issuer: string; readonly created: boolean };
  'sign_in.password': OfSession;
  'sign_in.refused': { readonly credential: 'password' | 'company'; readonly request_id: string } & Sometimes<{
    because: string;
  }>;
  'sign_in.unlinked': None;
  'substitute.named': OfSubstitute;
  'substitute.removed': OfSubstitute;
  'terminal.added': None;
  'terminal.changed': Readonly<Record<string, unknown>>;
  'terminal.confirmed': { readonly fingerprint: string };
  'terminal.key_copied': None;
  'terminal.paired': { readonly fingerprint: string };
  'terminal.pairing_code': None;
  'terminal.pairing_refused': { readonly wrong_tries: number } | None;
  'terminal.proofs_resumed': None;
  'terminal.proofs_stopped': None;
  'terminal.removed': { readonly name: string };
  'time.booked': OfBooking;
  'time.booking_cancelled': OfBooking & { readonly cancels: number };
  'vacation.booked': OfBooking;
  'vacation_policy.set': {
    readonly days: number;
    readonly pro_rata: string;
    readonly carry_over_until: string | null;
  };
}

/** An action with its details; those without need not be given. */
export type Described = {
  [Action in AuditAction]: { readonly action: Action } & (undefined extends AuditDetails[Action]
    ? { readonly details?: AuditDetails[Action] }
    : { readonly details: AuditDetails[Action] });
}[AuditAction];
