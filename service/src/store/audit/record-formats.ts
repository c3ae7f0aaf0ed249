/**
 * Every table of the schema: its rows are records, which the audit log vouches for, or `tablesWithoutRecords` says why
 * not. A table or column that is in no list does not compile.
 *
 * Columns of a format never change: hashes of earlier rows cover them, and published vectors pin them
 * (`conformance/vectors/record.json`). A column that a migration adds is another format, in `later`.
 */
import type { Value } from '@clockproof/platform/database/database';
import type { Tables } from '../../generated/tables.js';

export interface RecordTable {
  readonly key: readonly string[];
  /** Column of the record's person, whose salt goes into its hash. */
  readonly person?: string;
  /** A row is a record as soon as this column has a value. */
  readonly once?: string;
  /** The columns of format 1, in the order of its hash. */
  readonly columns: readonly string[];
  /** The columns that each later format adds, with the value that earlier rows got from the migration. */
  readonly later?: readonly { readonly [column: string]: Value | undefined }[];
}

type Column<Name extends keyof Tables> = keyof Tables[Name] & string;

interface Definition<Name extends keyof Tables> extends RecordTable {
  readonly key: readonly Column<Name>[];
  readonly person?: Column<Name>;
  readonly once?: Column<Name>;
  readonly columns: readonly Column<Name>[];
  readonly later?: readonly { readonly [Later in Column<Name>]?: Tables[Name][Later] & Value }[];
  /** Columns that the hash leaves out, beside `changed`, the place in the feeds. */
  readonly uncounted?: readonly Column<Name>[];
}

type Members<Given, Member extends string> = Given extends { readonly [Key in Member]: readonly (infer One)[] }
  ? One
  : never;
type KeysOf<Given> = Given extends unknown ? keyof Given : never;
type Listed<Given> =
  | Members<Given, 'columns'>
  | Members<Given, 'uncounted'>
  | KeysOf<Members<Given, 'later'>>
  | 'changed';

/** Compiles only if every column of the table is listed. */
function recordTable<Name extends keyof Tables>() {
  return <const Given extends Definition<Name>>(
    table: Given &
      ([Exclude<Column<Name>, Listed<Given>>] extends [never]
        ? unknown
        : { readonly missing: Exclude<Column<Name>, Listed<Given>> }),
  ): RecordTable => table;
}

export const recordTables = {
  // Working time.
  time_entries: recordTable<'time_entries'>()({
    key: ['id'],
    person: 'person_id',
    columns: [
      'id',
      'company_id',
      'person_id',
      'date',
      'start_at',
      'end_at',
      'breaks',
      'status',
      'source_kind',
      'source_id',
      'source_name',
      'proof',
      'comment',
      'break_rules',
      'stamps',
      'created_at',
      'updated_at',
    ],
  }),
  entry_versions: recordTable<'entry_versions'>()({
    key: ['entry_id', 'version'],
    person: 'person_id',
    columns: [
      'entry_id',
      'version',
      'person_id',
      'at',
      'changed_by',
      'source_name',
      'change',
      'reason',
      'date',
      'start_at',
      'end_at',
      'breaks',
      'status',
      'stamps',
      'break_rules',
    ],
  }),
  corrections: recordTable<'corrections'>()({
    key: ['id'],
    person: 'person_id',
    columns: [
      'id',
      'company_id',
      'person_id',
      'entry_id',
      'entry_version',
      'remove',
      'start_at',
      'end_at',
      'breaks',
      'reason',
      'status',
      'requested_by',
      'requested_at',
      'decided_by',
      'decided_at',
      'decision_reason',
    ],
  }),

  unresolved_stamps: recordTable<'unresolved_stamps'>()({
    key: ['id'],
    person: 'person_id',
    columns: [
      'id',
      'company_id',
      'terminal_id',
      'terminal_name',
      'key_fingerprint',
      'number',
      'content_hash',
      'reason',
      'person_id',
      'badge_id',
      'card_hash',
      'action',
      'stamped_at',
      'date',
      'sealed',
      'received_at',
      'status',
      'taken_for',
      'entry_id',
      'decided_by',
      'decided_at',
      'comment',
    ],
  }),

  // Absences and vacation.
  absences: recordTable<'absences'>()({
    key: ['id'],
    person: 'person_id',
    columns: [
      'id',
      'company_id',
      'person_id',
      'type',
      'start_date',
      'end_date',
      'half_day',
      'half_days',
      'comment',
      'status',
      'extension_id',
      'external_id',
      'author_kind',
      'author_person_id',
      'author_name',
      'returned_vacation',
      'created_at',
      'updated_at',
    ],
  }),
  approvals: recordTable<'approvals'>()({
    key: ['id'],
    person: 'person_id',
    columns: [
      'id',
      'company_id',
      'person_id',
      'kind',
      'subject_id',
      'from_date',
      'to_date',
      'status',
      'requested_at',
      'decided_by',
      'decided_for',
      'decided_at',
      'comment',
      'subject',
    ],
  }),
  approval_substitutes: recordTable<'approval_substitutes'>()({
    key: ['id'],
    person: 'person_id',
    columns: ['id', 'company_id', 'person_id', 'substitute_id', 'from_date', 'to_date', 'created_at'],
  }),
  absence_ledgers: recordTable<'absence_ledgers'>()({
    key: ['person_id'],
    person: 'person_id',
    columns: ['person_id', 'approval'],
  }),
  absence_types: recordTable<'absence_types'>()({
    key: ['company_id', 'key'],
    columns: [
      'company_id',
      'key',
      'label_de',
      'label_en',
      'half_day',
      'requires_approval',
      'counts_as_vacation',
      'overlap_class',
      'target',
      'active',
      'color',
      'visible_to',
    ],
  }),
  vacation_entitlements: recordTable<'vacation_entitlements'>()({
    key: ['person_id', 'year'],
    person: 'person_id',
    columns: ['person_id', 'year', 'half_days', 'carried_half_days', 'carried_until'],
  }),
  vacation_policies: recordTable<'vacation_policies'>()({
    key: ['company_id'],
    columns: ['company_id', 'half_days', 'carry_until', 'pro_rata'],
  }),
  vacation_bookings: recordTable<'vacation_bookings'>()({
    key: ['id'],
    person: 'person_id',
    columns: ['id', 'company_id', 'person_id', 'kind', 'date', 'half_days', 'reason', 'booked_by', 'booked_at'],
  }),

  // Months and pay.
  closed_months: recordTable<'closed_months'>()({
    key: ['company_id', 'month'],
    columns: ['company_id', 'month', 'closed_at', 'closed_by', 'company_name', 'time_zone', 'payroll'],
  }),
  closed_month_people: recordTable<'closed_month_people'>()({
    key: ['company_id', 'month', 'person_id'],
    person: 'person_id',
    columns: ['company_id', 'month', 'person_id', 'first_name', 'last_name', 'personnel_number', 'department_name'],
  }),
  month_steps: recordTable<'month_steps'>()({
    key: ['id'],
    columns: ['id', 'company_id', 'month', 'step', 'at', 'person_id', 'reason'],
  }),
  month_balances: recordTable<'month_balances'>()({
    key: ['company_id', 'month', 'person_id'],
    person: 'person_id',
    columns: [
      'company_id',
      'month',
      'person_id',
      'target_minutes',
      'worked_minutes',
      'difference_minutes',
      'absence_half_days',
      'findings',
      'days',
      'payroll',
    ],
  }),
  closed_absences: recordTable<'closed_absences'>()({
    key: ['company_id', 'month', 'absence_id'],
    person: 'person_id',
    columns: ['company_id', 'month', 'absence_id', 'person_id', 'counts_as_vacation', 'days'],
  }),
  month_sign_offs: recordTable<'month_sign_offs'>()({
    key: ['id'],
    person: 'person_id',
    columns: ['id', 'company_id', 'person_id', 'month', 'role', 'signed_by', 'at', 'digest', 'content'],
  }),
  time_bookings: recordTable<'time_bookings'>()({
    key: ['id'],
    person: 'person_id',
    columns: [
      'id',
      'company_id',
      'person_id',
      'kind',
      'date',
      'minutes',
      'reason',
      'cancels',
      'booked_by',
      'booked_at',
    ],
  }),
  commitments: recordTable<'commitments'>()({
    key: ['id'],
    columns: [
      'id',
      'company_id',
      'kind',
      'period',
      'revision',
      'attempt',
      'root',
      'seed',
      'upper_nodes',
      'previous_root',
      'made_at',
      'state',
    ],
    // The end of a writer's claim, and the time of a notice: no records.
    uncounted: ['claimed_until', 'overdue_told_at'],
  }),
  commitment_leaves: recordTable<'commitment_leaves'>()({
    key: ['commitment_id', 'slot'],
    person: 'person_id',
    columns: ['commitment_id', 'slot', 'leaf', 'person_id', 'parts'],
  }),
  anchors: recordTable<'anchors'>()({
    key: ['id'],
    columns: ['id', 'commitment_id', 'tx', 'sender', 'package', 'chain', 'reported_at'],
  }),
  anchor_checks: recordTable<'anchor_checks'>()({
    key: ['anchor_id', 'index_url'],
    columns: ['anchor_id', 'index_url', 'verdict', 'checked_at'],
  }),
  flexitime_limits: recordTable<'flexitime_limits'>()({
    key: ['id'],
    person: 'person_id',
    columns: ['id', 'company_id', 'person_id', 'upper_minutes', 'at_upper', 'lower_minutes'],
  }),
  payroll_settings: recordTable<'payroll_settings'>()({
    key: ['company_id'],
    columns: ['company_id', 'wage_types', 'columns', 'decimal_mark'],
  }),

  // People, and the rules that hold for them.
  companies: recordTable<'companies'>()({
    key: ['id'],
    columns: [
      'id',
      'name',
      'time_zone',
      'country',
      'region',
      'local_holidays',
      'active',
      'deducts_breaks_from',
      'colleagues_see',
      'short_rest_branch',
      'record_duty',
      'new_day_after_hours',
      'idle_minutes',
      'one_admin',
      'proof_token',
    ],
    uncounted: ['updated_at'],
  }),
  people: recordTable<'people'>()({
    key: ['id'],
    person: 'id',
    columns: [
      'id',
      'company_id',
      'personnel_number',
      'first_name',
      'last_name',
      'email',
      'department_id',
      'role',
      'active',
      'employment_start',
      'employment_end',
      'tracking_start',
      'own_time_zone',
      'opening_minutes',
      'proof_token',
    ],
    uncounted: ['language', 'updated_at', 'record_salt', 'sort_name', 'search_text'],
  }),
  person_changes: recordTable<'person_changes'>()({
    key: ['id'],
    person: 'person_id',
    columns: ['id', 'person_id', 'at', 'changes'],
  }),
  role_grants: recordTable<'role_grants'>()({
    key: ['id'],
    person: 'person_id',
    columns: ['id', 'person_id', 'role', 'company_id', 'department_id'],
  }),
  schedules: recordTable<'schedules'>()({
    key: ['id'],
    person: 'person_id',
    columns: ['id', 'company_id', 'person_id', 'valid_from', 'week'],
  }),
  company_holidays: recordTable<'company_holidays'>()({
    key: ['id'],
    columns: ['id', 'company_id', 'date', 'yearly', 'last_date', 'kind', 'name_de', 'name_en'],
  }),
  special_rules: recordTable<'special_rules'>()({
    key: ['id'],
    person: 'person_id',
    columns: ['id', 'company_id', 'person_id', 'kind', 'valid_from', 'valid_to', 'evening_work'],
  }),
  evaluation_switches: recordTable<'evaluation_switches'>()({
    key: ['company_id', 'evaluation'],
    columns: ['company_id', 'evaluation', 'enabled', 'changed_at', 'changed_by'],
  }),
  badges: recordTable<'badges'>()({
    key: ['id'],
    person: 'person_id',
    once: 'issued_at',
    columns: [
      'id',
      'company_id',
      'person_id',
      'uid_hash',
      'state',
      'created_at',
      'issued_at',
      'issued_terminal_id',
      'blocked_at',
      'blocked_by',
      'lost',
      'returned_at',
    ],
    // Columns of the card and its keys, which prove themselves, and of wrong PINs.
    uncounted: [
      'family',
      'aid',
      'key_number',
      'key_version',
      'locked',
      'renewing_to',
      'last_used_at',
      'pin_tries',
      'pin_locked_until',
    ],
  }),
} as const;

export type RecordTableName = keyof typeof recordTables;

/** By table. Tests give some of them another format. */
export type RecordTables = Readonly<Record<RecordTableName, RecordTable>>;

/** The reasons why a table holds no records. `docs/operations/audit-log.md` lists the same sentences. */
export const reasons = {
  access: 'Sign-in and access only decide who may act. Every action has an entry.',
  devices: 'Terminals and card keys are devices and secrets. Stamps at them have entries.',
  names: "Departments are only names. A person's record has the department.",
  clocks: "A person's clock repeats their open entry.",
  messages: 'Events, deliveries and notices repeat records and are deleted after some time.',
  log: 'The audit log has its own codes and seals.',
  installation: 'The installation itself: its keys, epochs and remembered requests.',
} as const;

export const tablesWithoutRecords: Readonly<Record<Exclude<keyof Tables, RecordTableName>, keyof typeof reasons>> = {
  access_tokens: 'access',
  api_keys: 'access',
  audit_entries: 'log',
  audit_heads: 'log',
  audit_parties: 'log',
  authorization_codes: 'access',
  card_sessions: 'devices',
  card_settings: 'devices',
  clock_states: 'clocks',
  company_card_keys: 'devices',
  company_sign_ins: 'access',
  consent_requests: 'access',
  credentials: 'access',
  data_keys: 'installation',
  departments: 'names',
  email_domains: 'access',
  epochs: 'installation',
  events: 'messages',
  extensions: 'access',
  idempotency_keys: 'installation',
  identity_providers: 'access',
  installation: 'installation',
  issuing_windows: 'devices',
  links: 'access',
  mail_choices: 'messages',
  mail_outbox: 'messages',
  notices: 'messages',
  offline_stamps: 'devices',
  one_time_links: 'access',
  pairing_codes: 'devices',
  passkeys: 'access',
  password_tries: 'access',
  people_access: 'access',
  pins: 'access',
  proof_failures: 'devices',
  provider_subjects: 'access',
  recovery_codes: 'access',
  removals: 'messages',
  sessions: 'access',
  socket_connections: 'messages',
  terminal_departments: 'devices',
  terminal_nonces: 'devices',
  terminal_runs: 'devices',
  terminals: 'devices',
  used_refresh_tokens: 'access',
  webhook_attempts: 'messages',
  webhook_deliveries: 'messages',
  webhook_endpoints: 'messages',
  webhook_secrets: 'messages',
};
