/** The fields of the forms, as the pages name them. */
import type { operations } from '../../../src/generated/page-types.js';
import type { Words } from '../words/words.js';

type Bodies = {
  [Id in keyof operations]: NonNullable<operations[Id]['requestBody']> extends { content: infer Content }
    ? Content[keyof Content]
    : never;
}[keyof operations];
type MemberOf<Body> = Body extends unknown ? keyof Body : never;

/** Members that a page sends and no one types. */
type HiddenMember =
  | 'account'
  | 'correction_ids'
  | 'credential'
  | 'hide'
  | 'period'
  | 'revision'
  | 'deactivate'
  | 'decision'
  | 'digest'
  | 'entry_id'
  | 'ids'
  | 'key'
  | 'known'
  | 'kinds'
  | 'lost'
  | 'outcome'
  | 'query'
  | 'remove'
  | 'token';

/** A page itself names a field that a form sends under another label. */
export const fieldNames = (words: Words) =>
  ({
    absences_count_as_approved: words.extension_leading,
    acting: words.extension_acting,
    active: words.type_offered,
    address: words.company_sign_in_address,
    approval: words.rule_label,
    at_upper: words.limits_at_upper,
    away: words.calendar_away,
    badge_and_pin: words.terminal_options.badge_and_pin,
    balance_minutes: words.opening_balance,
    breaks: words.time_breaks,
    carried_over_days: words.vacation_carried,
    carry_over_until: words.policy_until,
    client_id: words.company_sign_in_client,
    client_secret: words.company_sign_in_secret,
    code: words.code,
    colleagues_see: words.company_colleagues,
    color: words.type_color,
    columns: words.payroll_columns,
    comment: words.record_comment,
    company: words.set_up_company,
    company_id: words.company,
    confirm_name: words.people_name,
    corrections: words.several_title,
    country: words.country,
    counts_as_vacation: words.type_vacation,
    create_departments: words.import_create_departments,
    creates_people: words.company_sign_in_creates,
    csv: words.import_file,
    current_password: words.current_password,
    date: words.report_day,
    days: words.entitlement_days,
    decimal_mark: words.payroll_mark,
    deduct_breaks: words.company_breaks,
    department_id: words.people_department,
    department_ids: words.terminal_departments,
    description: words.extension_description,
    email: words.email,
    email_domains: words.company_sign_in_domains,
    employment_end: words.person_last_day,
    employment_start: words.person_start,
    enabled: words.company_sign_in_enabled,
    end: words.time_out,
    end_date: words.record_to,
    evening_work: words.special_evenings,
    event_types: words.extension_event_types,
    expires_at: words.extension_key_expires,
    extensions_write: words.access_writes,
    fingerprint: words.terminal_fingerprint,
    first_name: words.first_name,
    freed_days: words.hr_freed,
    freed_days_type: words.hr_freed,
    from_year: words.carry_year,
    half_day: words.absence_part,
    idle_minutes: words.company_idle,
    info_without_pin: words.terminal_options.info_without_pin,
    issuer: words.company_sign_in_issuer,
    issuing_allowed: words.terminal_options.issuing_allowed,
    key_reads: words.extension_key_reads,
    kind: words.approvals_kind,
    label: words.type_label,
    language: words.person_language,
    last_name: words.last_name,
    link_lifetime_days: words.extension_lifetime,
    linking: words.extension_linking,
    local_holidays: words.local_holidays,
    location: words.terminal_location,
    lock_cards: words.card_lock,
    lower_minutes: words.limits_lower,
    minutes: words.account_minutes,
    mode: words.extension_mode,
    name: words.extension_name,
    name_de: words.holidays_name_de,
    name_en: words.holidays_name_en,
    new_day_after_hours: words.company_new_day,
    new_password: words.new_password,
    one_admin: words.company_one_admin,
    overlap_hours: words.key_overlap,
    passkey: words.use_passkey,
    password: words.password,
    personal_links: words.access_links,
    personnel_number: words.people_number,
    pin: words.pin_new,
    pro_rata: words.pro_rata,
    reason: words.months_reason,
    record_duty: words.company_record_duty,
    recovery_code: words.recovery_code,
    redirect_uris: words.extension_redirects,
    region: words.region,
    repeat_lock_seconds: words.terminal_repeat_lock,
    requires_approval: words.type_approval,
    returns_vacation: words.record_returns,
    role_claim: words.company_sign_in_claim,
    role_values: words.company_sign_in_admins,
    roles: words.profile_roles,
    scopes: words.extension_scopes,
    short_rest_branch: words.company_short_rest,
    show_info: words.terminal_options.show_info,
    since: words.recover_since,
    start: words.time_in,
    start_date: words.record_from,
    terminals: words.access_terminals,
    time_zone: words.time_zone,
    trusts_auth_time: words.company_sign_in_trusts,
    type: words.absence_kind,
    upper_minutes: words.limits_upper,
    user_id: words.unresolved_person,
    user_ids: words.issue_people,
    valid_from: words.schedule_valid_from,
    valid_to: words.special_to,
    visible_to: words.type_visible,
    wage_types: words.payroll_types,
    webhook_url: words.extension_webhook_url,
    year: words.entitlement_year,
    yearly: words.holidays_yearly,
  }) satisfies Readonly<Record<Exclude<MemberOf<Bodies>, HiddenMember>, string>>;
