/**
 * What the schema cannot say about its columns: whose id it is, which words a text may be, what a value means.
 * `generate-tables.ts` refuses a column that the schema does not have.
 */
import type { ColumnTypes, KnownColumn, TypeSource } from '@clockproof/platform/tools/tables-module';

const from = (kind: TypeSource['kind'], module: string, ...names: readonly string[]) =>
  Object.fromEntries(names.map((name): [string, TypeSource] => [name, { kind, from: module }]));

const typeSources: Readonly<Record<string, TypeSource>> = {
  ...from('integer', '@clockproof/platform/time/instant', 'Instant'),
  ...from('text', '@clockproof/platform/time/local-date', 'LocalDate'),
  ...from('text', '@clockproof/platform/time/zone', 'ZoneName', 'DisplayZone'),
  ...from(
    'integer',
    '../store/ids.js',
    'PersonId',
    'CompanyId',
    'DepartmentId',
    'EntryId',
    'NoticeId',
    'CorrectionId',
    'AbsenceId',
  ),
  ...from(
    'integer',
    '../store/ids.js',
    'ApprovalId',
    'UnresolvedStampId',
    'ScheduleId',
    'CompanyHolidayId',
    'SpecialRuleId',
    'ChangeSequence',
    'AuditSequence',
  ),
  ...from('text', '../store/ids.js', 'ExtensionId', 'KeyId', 'TerminalId', 'BadgeId', 'CardSessionId', 'LinkId'),
  ...from('text', '../store/ids.js', 'ConsentId', 'SessionId', 'PasskeyId', 'EventId'),
  ...from('text', './contract.js', 'EventType'),
  ...from('text', '../store/sealing/sealing-keys.js', 'KeyName'),
  ...from('text', '../absences/state.js', 'AbsenceStatus'),
};

/** Types of columns by their name, in whatever table. */
const everywhere: ColumnTypes['everywhere'] = {
  person_id: 'PersonId',
  company_id: 'CompanyId',
  department_id: 'DepartmentId',
  entry_id: 'EntryId',
  extension_id: 'ExtensionId',
  terminal_id: 'TerminalId',
  badge_id: 'BadgeId',
  key_id: 'KeyId',
  link_id: 'LinkId',
  session_id: 'SessionId',
  changed_by: 'PersonId',
  closed_by: 'PersonId',
  signed_by: 'PersonId',
  decided_by: 'PersonId',
  decided_for: 'PersonId',
  substitute_id: 'PersonId',
  requested_by: 'PersonId',
  author_person_id: 'PersonId',
  date: 'LocalDate',
  start_date: 'LocalDate',
  end_date: 'LocalDate',
  from_date: 'LocalDate',
  to_date: 'LocalDate',
  valid_from: 'LocalDate',
  valid_to: 'LocalDate',
  changed: 'ChangeSequence',
  at: 'Instant',
  since: 'Instant',
  active: '0 | 1',
};

/** Types of columns by the end of their name: `created_at`, `ends_at`. */
const endings: ColumnTypes['endings'] = { _at: 'Instant', _since: 'Instant', _until: 'Instant' };

const is = (type: string, means?: string): KnownColumn => (means === undefined ? { type } : { type, means });
const means = (text: string): KnownColumn => ({ means: text });
const jsonList = means('JSON array');
const pairs = 'JSON of `[start, end|null]` pairs, oldest first; only the last may be open.';
const entryStatus = "'open' | 'clock_out_missing' | 'recorded' | 'pending' | 'approved' | 'rejected'";

/** Types and meanings in one table. */
const tables: ColumnTypes['tables'] = {
  companies: {
    id: is('CompanyId'),
    time_zone: is('ZoneName', 'IANA name; dates of this company are dates on its wall clock.'),
    country: means('ISO 3166-1 alpha-2'),
    region: means('ISO 3166-2, `DE-HH`: decides regional holidays.'),
    local_holidays: is(
      "'assumption_day' | 'augsburg' | 'corpus_christi'",
      'Public holidays of the municipality; null: only those of the region.',
    ),
    deducts_breaks_from: is(
      'LocalDate',
      'First day whose entries get missing breaks deducted; null: nothing is deducted.',
    ),
    colleagues_see: is(
      "'nothing' | 'absences' | 'absences_and_presence'",
      'Of their department, without the reasons of absences.',
    ),
    short_rest_branch: is(
      "'care' | 'hospitality' | 'transport' | 'broadcasting' | 'agriculture'",
      'The branch by which rest periods may be shortened (ArbZG §5 (2)); null: they may not.',
    ),
    record_duty: is('0 | 1', 'Everyone has to be recorded within a week, as people in minijobs have (MiLoG §17).'),
    one_admin: is('0 | 1', 'Its only admin may change their own record; each such change is marked.'),
    idle_minutes: means('Minutes without use after which a session on the pages ends.'),
    new_day_after_hours: means(
      'From this age on an open entry counts as forgotten, and clocking in begins a new day; null: clocking in is refused.',
    ),
  },
  departments: { id: is('DepartmentId') },
  people: {
    id: is('PersonId'),
    role: is(
      "'employee' | 'approver' | 'company_admin' | 'super_admin'",
      'The strongest of the grants in `role_grants`, kept with them.',
    ),
    record_salt: means("Goes into the hashes of the person's records and is erased with the person."),
    employment_start: is('LocalDate'),
    employment_end: is('LocalDate', 'Last day of employment.'),
    tracking_start: is('LocalDate', 'First day on which working time is due and kept here; balances begin with it.'),
    own_time_zone: is('DisplayZone', 'The zone the person reads clocks in, where it is not the company’s.'),
    opening_minutes: means('Balance brought along, before `tracking_start`.'),
  },
  role_grants: { role: is("'approver' | 'company_admin' | 'super_admin'") },
  extensions: {
    id: is('ExtensionId'),
    company_id: means('Company binding; required for acting for everyone.'),
    mode: is("'api' | 'webhooks' | 'websocket'"),
    acting: is("'personal_link' | 'everyone'"),
    key_reads: is(
      "'everyone' | 'linked_people' | 'nothing'",
      'What its key reads itself, within its scopes and company.',
    ),
    scopes: jsonList,
    event_types: means('JSON array of the types that webhooks and the WebSocket send; null for every type.'),
    is_leading: is('0 | 1', '"Absences count as approved"'),
    linkable: is('0 | 1'),
    redirect_uris: means('JSON array, compared byte for byte'),
    description: means('What it is for, in the words of the admin.'),
  },
  api_keys: { id: is('KeyId') },
  people_access: { one: is('1'), people_writes: is('0 | 1'), personal_links: is('0 | 1'), terminals: is('0 | 1') },
  epochs: {
    epoch: means('8 hex digits'),
    shift: means('Added to the number of a transaction, times the span, for its place.'),
    floor: means('A place that was given: a server that gives smaller ones is another one.'),
    last: means('The last place that is left of an epoch that ended; null for the present one.'),
  },
  audit_entries: {
    sequence: is('AuditSequence'),
    actor_kind: is("'person' | 'extension' | 'terminal' | 'system' | 'personal_link'"),
    details: means('JSON'),
    records: means('JSON: the hash of each record stored, null for one removed; see `records.ts`'),
    family: means('The beginning of `action`, up to the full stop.'),
    mac: means('Over all other columns: `hmac-sha256:` with DATA_KEY, `sha256:` without, and 64 hex digits.'),
  },
  audit_heads: {
    size: means('Entries in the log up to here.'),
    last: is('AuditSequence', 'The newest of them.'),
    latest_at: means('The latest instant of all of them.'),
    entries: means('JSON: the numbers of those since the head before.'),
    frontier: means('The roots of the complete subtrees, hex.'),
    root: means('64 hex digits'),
    signature: means('64 hex digits; null without DATA_KEY.'),
  },
  audit_parties: { party: means('`person 7`, `extension ext_…`'), sequence: is('AuditSequence') },
  installation: { one: is('1') },
  events: {
    sequence: is('ChangeSequence'),
    epoch: means('Of the write that caused it.'),
    type: is('EventType'),
    payload: means('JSON without id, sequence and epoch, see `presentEvent`.'),
  },
  closed_months: {
    month: means('`2026-11`'),
    company_name: means('As it was at closing.'),
    time_zone: is('ZoneName', 'As it was at closing.'),
    payroll: means('JSON of the settings of payroll at closing, by language: `months/payroll/closed-payroll.ts`.'),
  },
  closed_month_people: { month: means('`2026-11`') },
  month_steps: { month: means('`2026-11`'), step: is("'closed' | 'reopened'") },
  month_balances: {
    month: means('`2026-11`'),
    days: means('JSON, see `ClosedDays` in `months/closed-days.ts`.'),
    payroll: means('JSON of lines by day: `months/payroll/closed-payroll.ts`.'),
  },
  closed_absences: {
    month: means('`2026-11`'),
    counts_as_vacation: is('0 | 1'),
    days: means('JSON of `[date, halves]`.'),
  },
  month_sign_offs: {
    month: means('`2026-11`'),
    role: is("'person' | 'approver'"),
    content: means('JSON, see `months/sheets/sign-off.ts`: what was signed off.'),
  },
  time_entries: {
    id: is('EntryId'),
    date: means('The day it starts, on the company’s wall clock.'),
    end_at: means('Null exactly while `status` is `open` or `clock_out_missing`.'),
    breaks: means(pairs),
    stamps: means('JSON, see `clock/time-entry.ts`; null in rows recorded before the column existed.'),
    status: is(entryStatus),
    break_rules: means(
      'Country whose break rules deduct breaks nobody stamped; null where the company had not asked for it.',
    ),
  },
  clock_states: {
    state: is("'out' | 'in' | 'on_break'"),
    since: means('Start of the open entry; while `out`, the end of the last one (null before the first).'),
    break_since: is('Instant'),
    changed: means('The place of the newest write about the person.'),
  },
  corrections: {
    id: is('CorrectionId', 'Shown as `cor_<id>`.'),
    entry_id: means('The entry to correct; null until an entry that was never stamped has been made.'),
    remove: is('0 | 1', '1: strike the entry out; then there are no times.'),
    breaks: means('JSON as in the entry; null with `remove`.'),
    status: is("'waiting' | 'approved' | 'rejected' | 'withdrawn'"),
  },
  entry_versions: {
    version: means('Counts from 1, which is the entry as stamped.'),
    changed_by: means('The person who changed it; null for what came through an extension or a terminal.'),
    change: is("'recorded' | 'corrected' | 'approved' | 'rejected' | 'struck_out'"),
    breaks: means(pairs),
    stamps: means('As in `time_entries`.'),
    status: is(entryStatus),
  },
  company_holidays: {
    id: is('CompanyHolidayId', 'Shown as `hol_<id>`.'),
    date: is('LocalDate', 'The first one, if it comes every year.'),
    yearly: is('0 | 1'),
    last_date: is('LocalDate', 'The last day on which a yearly one may fall; null until further notice.'),
    kind: is(
      "'public_holiday' | 'day_off' | 'half_day' | 'working_day'",
      '`working_day`: the public holiday of the date does not apply.',
    ),
  },
  special_rules: {
    id: is('SpecialRuleId'),
    kind: is("'young' | 'expectant_or_nursing' | 'minijob'"),
    valid_to: means('The last day; null until further notice.'),
    evening_work: is('0 | 1', 'The expectant or nursing person may work until 22:00.'),
  },
  schedules: {
    id: is('ScheduleId'),
    person_id: means('Null for the schedule of the company.'),
    week: means('JSON of seven numbers, Monday first.'),
  },
  approvals: {
    id: is('ApprovalId', 'Shown as `apr_<id>`.'),
    kind: is("'absence' | 'absence_cancellation' | 'correction' | 'offline_stamp'"),
    subject_id: means('The absence or correction it is about.'),
    status: is("'waiting' | 'approved' | 'rejected' | 'withdrawn'"),
  },
  absences: {
    id: is('AbsenceId'),
    type: means('Key of the company’s absence type.'),
    half_day: is("'morning' | 'afternoon'", 'Only where it begins and ends on the same day.'),
    half_days: means('Working days it takes, in halves, as counted when it was last written.'),
    status: is('AbsenceStatus'),
    extension_id: means('The extension that created it: only that one may change it and see `external_id`.'),
    author_kind: is("'person' | 'admin' | 'extension' | 'personal_link' | 'import'"),
    author_person_id: means(
      'Where a person recorded it: the name is looked up, so that erasing the person leaves none.',
    ),
    returned_vacation: means(
      'JSON of the vacation it has given back: vacation, start_date, end_date; empty while it waits. Null where it gives none back.',
    ),
  },
  absence_types: {
    half_day: is('0 | 1'),
    requires_approval: is('0 | 1'),
    counts_as_vacation: is('0 | 1'),
    color: is("'usual' | 'blue' | 'green' | 'amber' | 'red' | 'violet' | 'pink' | 'grey'"),
    visible_to: is("'approvers' | 'everyone'", 'Who reads the name of the kind in the calendar.'),
    overlap_class: is("'away' | 'elsewhere'"),
    target: is("'credited' | 'kept'"),
  },
  absence_ledgers: { approval: is("'by_type' | 'always' | 'never'") },
  vacation_entitlements: {
    half_days: means('Days of the year, in halves.'),
    carried_half_days: means('Days brought over from the year before, in halves.'),
    carried_until: is('LocalDate', 'Last day on which a carried day can be taken; null: no expiry.'),
  },
  vacation_bookings: {
    kind: is("'correction' | 'payout' | 'expiry'"),
    date: is('LocalDate', 'Its year is the year of the account.'),
    half_days: means('Days added, or taken away if negative, in halves.'),
    booked_by: is('PersonId'),
  },
  time_bookings: {
    kind: is("'correction' | 'payout' | 'expiry' | 'cap' | 'cancellation'"),
    date: is('LocalDate', 'The day from which it counts.'),
    minutes: means('Minutes added, or taken away if negative.'),
    reason: means('Null: the limit of the account is the reason.'),
    cancels: means('The booking that this one cancels.'),
    booked_by: is('PersonId', 'Null: the service.'),
  },
  flexitime_limits: {
    person_id: is('PersonId', 'Null: the limits of the company, for everyone without their own.'),
    upper_minutes: means('Null: none.'),
    at_upper: is("'keep' | 'cut'", 'What closing a month does with minutes above the upper limit.'),
    lower_minutes: means('Null: none.'),
  },
  vacation_policies: {
    half_days: means('Days a year for everyone without an entitlement of their own, in halves.'),
    pro_rata: is("'none' | 'statutory' | 'twelfths'"),
    carry_until: is('string', '`03-31`: carried days can be taken until that day of the next year; null: no expiry.'),
  },
  evaluation_switches: {
    evaluation: is(
      "'presence' | 'month_reports' | 'findings' | 'sheet_exports' | 'payroll_export' | 'balance_at_the_door'",
    ),
    enabled: is('0 | 1'),
    changed_by: is('PersonId'),
  },
  payroll_settings: {
    wage_types: means('JSON, as in the contract.'),
    columns: means('JSON, as in the contract.'),
    decimal_mark: is("'point' | 'comma'"),
  },
  badges: {
    id: is('BadgeId'),
    uid_hash: means('HMAC of the UID under DATA_KEY: the card’s number itself is stored nowhere.'),
    issued_terminal_id: is('TerminalId'),
    blocked_by: is('PersonId', 'Null if the service blocked it.'),
    lost: is('0 | 1', 'Whether it was blocked because the card is lost.'),
    state: is(
      "'issuing' | 'active' | 'blocked' | 'returned'",
      '`issuing` from before the first key is written until the card has proved the new one; `returned`: the card can be issued again, as another badge.',
    ),
    family: is(
      "'desfire' | 'ntag424'",
      'What the card is driven as; decided at issuing, never by the card at a stamp.',
    ),
    aid: means('Application on the card, hex as it travels.'),
    key_version: means('Version of the company card key that it proved last, or that it is issued with.'),
    renewing_to: means('The newest version that was ever sent to the card, until it is proved. Null otherwise.'),
    locked: is('0 | 1', 'The master key of the card is ours. DESFire only.'),
  },
  card_settings: { lock_cards: is('0 | 1', 'Whether cards are locked when they are issued.') },
  terminals: {
    id: is('TerminalId'),
    public_key: means('32 bytes; null until paired, and again when a new pairing code is issued.'),
    show_info: is('0 | 1', 'Show time and vacation balance.'),
    info_without_pin: is('0 | 1'),
    badge_and_pin: is('0 | 1'),
    repeat_lock_seconds: means('For so long a second stamp of the same kind only shows the first; 0: never.'),
    issuing_allowed: is('0 | 1', 'Whether badges can be issued here.'),
    confirmed_by: is('PersonId'),
    reader_state: is(
      "'ready' | 'missing'",
      'As the device reported it last, like the version, the reader and the clock.',
    ),
    proofs_stopped_at: means('Since when it accepts no badge; null if it does.'),
    key_copied_at: means('Since when it accepts no badge because two devices use its key; null otherwise.'),
    copied_fingerprint: means('Of a key that two devices used: it cannot be paired again.'),
    removed_at: means('Removed by an admin: entries stamped there keep its name. Null otherwise.'),
  },
  terminal_runs: {
    run: means('The word that the program names itself by; empty if it names none.'),
  },
  proof_failures: {
    at: means('When a card with the number of the badge failed last.'),
    failures: means('In a row, each within ten minutes of the last.'),
    tried_at: means('When one last took part in a proof and did not have the key; null if none did.'),
  },
  terminal_nonces: {
    request: means('SHA-256 of the signed text, hex: the same request again has the same.'),
    outcome: means('JSON: what a request for a stamp came to, for the same request sent again.'),
  },
  offline_stamps: {
    key_fingerprint: means('Of the terminal’s key: numbers count for a key.'),
    content_hash: means('Keyed with DATA_KEY: the same stamp has the same, sealed or plain.'),
    result: is(
      "'accepted' | 'duplicate' | 'too_old' | 'in_future' | 'unknown_card' | 'not_sealed' | 'too_many'",
      'Of one that is neither accepted nor a duplicate, `unresolved_stamps` has the content.',
    ),
    entry_id: is('EntryId', 'The pending entry that holds it, or held it; null if it was not accepted.'),
    sealed: is('0 | 1', 'Whether it came encrypted. From then on the key’s plain stamps are not accepted.'),
  },
  unresolved_stamps: {
    id: is('UnresolvedStampId', 'Shown as `ust_<id>`.'),
    terminal_id: is('TerminalId'),
    content_hash: means('As in `offline_stamps`: the same stamp is kept once.'),
    reason: is(
      "'unknown_card' | 'not_issued' | 'blocked_badge' | 'department_not_allowed' | 'too_old' | 'in_future' | 'conflict' | 'unexpected_number' | 'not_sealed' | 'too_many' | 'unreadable'",
    ),
    person_id: is('PersonId', 'Who had the badge when the stamp was made; null if nobody did.'),
    badge_id: is('BadgeId', 'Of this person.'),
    card_hash: means('As `uid_hash` of badges; null if the stamp cannot be read, like action and instant.'),
    action: is("'in' | 'out' | 'break_start' | 'break_end'"),
    date: means('The day of the stamp for the person; null without one.'),
    sealed: means('Base64 as it arrived; only of a stamp that cannot be read.'),
    status: is("'waiting' | 'taken' | 'rejected'"),
    taken_for: is('PersonId', 'Whose stamp it became. Null unless it is taken.'),
    entry_id: is('EntryId', 'The entry that it became part of.'),
    decided_by: is('PersonId'),
    comment: means('Why it was rejected.'),
  },
  issuing_windows: {
    state: is(
      "'waiting' | 'writing' | 'issued' | 'refused' | 'cancelled'",
      'Open until `expires_at` unless issued or cancelled.',
    ),
    reason: is("'unsupported' | 'already_badge' | 'foreign_keys' | 'no_room' | 'removed' | 'unreadable'"),
  },
  card_sessions: {
    id: is('CardSessionId'),
    purpose: is(
      "'stamp' | 'issue' | 'pin'",
      '`pin`: a badge of the person to whom one is issued; a PIN is chosen with it.',
    ),
    state: is(
      "'talking' | 'proved' | 'stamped' | 'choosing_pin' | 'ended'",
      '`talking` to the card, `proved`, `stamped` and still good for balances, `choosing_pin` after issuing, `ended`.',
    ),
    wanted: is("'next' | 'in' | 'out' | 'break_start' | 'break_end'", 'The stamp to record with the proof.'),
    sealed: means('UID, randomness and replies so far, sealed with DATA_KEY: any process can go one step further.'),
  },
  removals: {
    kind: is("'absence' | 'time_entry' | 'person'"),
    id: means('The id it had.'),
    person_id: means('While the person exists: a personal link sees what was removed of its own person.'),
  },
  credentials: {
    password_hash: means('PHC string; null until an invitation was accepted.'),
    factor_tries: means(
      'Proofs of the second factor tried in the present window, which began at `factor_tries_since`.',
    ),
    totp_sealed_by: is('KeyName'),
    totp_step: means('Newest step that was accepted: no code of it or of an older one is accepted again.'),
    pending_sealed: means('An enrolment that waits for its first code.'),
    pending_sealed_by: is('KeyName'),
  },
  recovery_codes: { hashed_by: is('KeyName') },
  sessions: {
    id: is('SessionId'),
    stage: is("'password' | 'complete'", '`password`: the second factor is still missing.'),
    opened_by: is("'password' | 'link' | 'provider'"),
    pending_binding: means('JSON: the account that the second factor binds the person to, and the roles it gives.'),
  },
  one_time_links: { kind: is("'set_up' | 'invitation' | 'password_reset'") },
  passkeys: {
    id: is('PasskeyId'),
    credential_id: means('As the device calls it, in base64url; one row in all knows it.'),
    public_key: means('COSE_Key (RFC 9052 §7).'),
    counter: means('Newest signature counter; 0 where the device does not count.'),
    transports: jsonList,
  },
  consent_requests: {
    id: is('ConsentId'),
    scopes: jsonList,
    browser_hash: means('Hash of the mark in the cookie of the browser that brought the question.'),
    session_id: means('The session and person it belongs to; null until a signed-in person looks at it.'),
  },
  authorization_codes: { scopes: means('JSON array: what was granted'), link_id: means('The link it became.') },
  links: {
    id: is('LinkId'),
    scopes: means('JSON array: what the person granted'),
    refresh_hash: means('The one refresh token that works. There is room for one only.'),
    expires_at: means('Fixed at consent.'),
  },
  access_tokens: { scopes: jsonList },
  mail_outbox: {
    kind: is("'notice' | 'invitation' | 'password_reset'"),
    address: means(
      'As typed by the person who asked for a new password, until the mail is addressed to a person; or where a notice goes if not to the address of the person.',
    ),
    facts: means('JSON: what a notice says.'),
    secret_sealed_by: is('KeyName'),
    expires_at: means('Not sent any more from here on.'),
    state: is("'waiting' | 'sending' | 'sent' | 'failed' | 'uncertain' | 'dropped'"),
    due_at: means('When it is sent, or tried again.'),
    lease_holder: means('The process that sends it now.'),
  },
  mail_choices: { wanted: is('0 | 1') },
  identity_providers: {
    enabled: is('0 | 1'),
    address: means('What people can type instead of an e-mail address.'),
    secret_sealed: means('Null once the DATA_KEY it was sealed with is lost.'),
    secret_sealed_by: is('KeyName'),
    role_claim: means('Null: roles are set here only.'),
    role_values: means('JSON: which value of the claim gives which role.'),
    creates_people: is('0 | 1', 'Whether a person without a record gets one at the first sign-in.'),
    trusts_auth_time: is('0 | 1', 'Whether `auth_time` counts as a proof of the second factor.'),
  },
  provider_subjects: { subject: means('`sub`: the account at the provider.') },
  company_sign_ins: { mark_hash: means('Of the cookie of the browser that began it.') },
  notices: {
    id: is('NoticeId'),
    kind: is(
      "'webhooks_disabled' | 'access_changed' | 'proofs_stopped' | 'key_copied' | 'badge_failing' | 'pin_reset' | 'request_decided' | 'request_waiting' | 'month_reopened' | 'link_ended' | 'clock_out_missing' | 'time_corrected' | 'stamp_unresolved' | 'stamp_undecided'",
    ),
    facts: means('JSON: what else there is to say, by kind.'),
    about: means('`entry 12`: a person gets one notice of it.'),
  },
  webhook_endpoints: {
    position: is('ChangeSequence', 'Events up to here have become deliveries.'),
    disabled_why: is(
      "'gone' | 'failing' | 'key_lost'",
      '`gone` after a 410, `failing` after five days of failures, `key_lost` after the secret was lost with DATA_KEY.',
    ),
    lease_holder: means('The process that delivers to this endpoint now.'),
  },
  webhook_deliveries: {
    sequence: is('ChangeSequence', 'Of the event.'),
    lane: means('The person it is about, or 0: one delivery at a time, in order.'),
    state: is("'pending' | 'delivered' | 'failed'"),
    tries: means('Attempts since it became pending; a resend begins again.'),
    created_at: means('When the event happened.'),
  },
  webhook_attempts: {
    sequence: is('ChangeSequence'),
    outcome: is("'delivered' | 'refused' | 'unreachable'"),
    answer: means('The first KiB of the response.'),
  },
  webhook_secrets: {
    number: means('Grows with every secret of the extension.'),
    sealed_by: is('KeyName'),
    ends_at: means('When it stops to count; null for the present one.'),
  },
};

export const columnTypes: ColumnTypes = { typeSources, everywhere, endings, tables };
