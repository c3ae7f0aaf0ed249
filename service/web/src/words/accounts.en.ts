/** The sentences of the accounts of days and hours, and of what is booked in them, in English. */
export const accountsEn = {
  statement_title: 'Every line of the account',
  statement_date: 'Date',
  statement_what: 'Reason',
  statement_days: 'Days',
  statement_balance: 'Balance',
  statement_kinds: {
    entitlement: 'Entitlement',
    carried_over: 'Carried over from the previous year',
    carry_over_expired: 'Carried-over days expired',
    absence: 'Absence',
    correction: 'Correction',
    payout: 'Paid out',
    expiry: 'Expired',
  },
  statement_by: (name: string, instant: string) => `${name}, ${instant}`,
  booked: 'Booked',
  expired: 'Expired',
  pro_rata: 'Joining or leaving during the year',
  pro_rata_help: {
    none: 'All days, whenever people join or leave.',
    statutory:
      'As section 5 of the German Federal Leave Act says: a twelfth for each full month if the six months of the waiting period are not completed in the year, or the employment ends in its first half; otherwise all days.',
    twelfths: 'A twelfth for each full month, always. The statutory vacation may not fall below section 5.',
  },
  pro_rata_rules: { none: 'all days', statutory: 'as the law says (section 5)', twelfths: 'a twelfth per month' },
  entitlements_title: 'Set the days of many people',
  entitlements_text:
    'Days of their own for everyone employed in the year. You see the calculation before they are set.',
  entitlements_department: 'Department',
  entitlements_everyone: 'Everyone',
  entitlements_preview: 'Calculate',
  entitlements_before: 'So far',
  entitlements_after: 'Then',
  entitlements_why: 'Calculation',
  entitlements_choose: (name: string) => `Set for ${name}`,
  entitlements_rules: {
    whole_year: 'whole year',
    full_claim: 'all days: six months completed, not left in the first half of the year',
    waiting_period: 'six months not completed in the year',
    left_in_first_half: 'left in the first half of the year',
    twelfths: 'a twelfth per month',
  },
  entitlements_sum: (months: number, whole: string, exact: string, rounded: string) =>
    exact === rounded
      ? `${months}/12 of ${whole} = ${rounded}`
      : `${months}/12 of ${whole} = ${exact}, rounded ${rounded}`,
  entitlements_unchanged: (count: number) =>
    count === 1 ? 'One person stays as is.' : `${count} people stay as they are.`,
  entitlements_nobody: 'Nobody is employed in this year.',
  entitlements_set: (count: number) => (count === 1 ? 'Set for one person' : `Set for ${count} people`),
  entitlements_done: (count: number) => (count === 1 ? 'Set for one person.' : `Set for ${count} people.`),
  entitlements_errors: { unknown: 'No longer in the company', not_employed: 'Not employed in this year' },
  booking_title: 'Book days',
  booking_text: 'The person reads the reason. A booking stays as it is; another one corrects it.',
  booking_payout_law:
    'The statutory vacation can be paid out only at the end of the employment (section 7 (4) of the German Federal Leave Act).',
  booking_kind: 'Kind of booking',
  booking_kinds: { correction: 'Correction', payout: 'Payout', expiry: 'Expiry' },
  booking_days: 'Days to book',
  booking_days_help: { correction: 'With a minus sign, they are taken away.', payout: '', expiry: '' },
  booking_date: 'Counts from',
  booking_reason: 'Reason',
  booking_book: 'Book',
  booking_done: (days: string) => `Booked. Days left: ${days}.`,
};
