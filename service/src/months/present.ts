/** Balances in the form of the pages' API. */
import { presentAuthor } from '../absences/vacation/vacation-statement.js';
import type { components } from '../generated/app-types.js';
import { inLanguage } from '../people/language.js';
import type { Revealed } from '../working-time/evaluations.js';
import { presentFinding } from '../working-time/warnings.js';
import type { AccountLine, TimeAccount } from './accounts/time-account.js';
import type { PersonDay } from './calculated-days.js';
import type { MonthOfPerson } from './person-balance.js';

type Schemas = components['schemas'];

/** @param language of the reader */
export function presentDay(
  {
    date,
    due,
    workedMinutes,
    breakMinutes,
    deductedMinutes,
    differenceMinutes,
    holiday,
    absences,
    found: dayFindings,
  }: PersonDay,
  language: string,
  { findings }: Pick<Revealed, 'findings'>,
): Schemas['DayBalance'] {
  const target = due.scheduledMinutes - due.creditedMinutes;
  const labels = absences.map(({ label }) => inLanguage(language, label));
  return {
    date,
    target_minutes: target,
    worked_minutes: workedMinutes,
    break_minutes: breakMinutes,
    deducted_break_minutes: deductedMinutes > 0 ? deductedMinutes : undefined,
    difference_minutes: differenceMinutes,
    holiday: holiday === undefined ? undefined : inLanguage(language, holiday),
    absence: labels.length === 0 ? undefined : [...new Set(labels)].join(', '),
    warnings: findings ? dayFindings.map((finding) => presentFinding(finding, language)) : undefined,
  };
}

export function presentMonth({
  month,
  sum,
  carriedMinutes,
  bookedMinutes,
  balanceMinutes,
  closed: isClosed,
}: MonthOfPerson): Schemas['MonthBalance'] {
  return {
    month,
    target_minutes: sum.targetMinutes,
    worked_minutes: sum.workedMinutes,
    difference_minutes: sum.differenceMinutes,
    carried_minutes: carriedMinutes,
    booked_minutes: bookedMinutes,
    balance_minutes: balanceMinutes,
    closed: isClosed,
  };
}

export function presentAccount({
  from,
  to,
  openingMinutes,
  balanceMinutes,
  limits,
  lines,
}: TimeAccount): Schemas['TimeAccount'] {
  return {
    from,
    to,
    opening_minutes: openingMinutes,
    balance_minutes: balanceMinutes,
    ...(limits.upperMinutes === null ? {} : { upper_minutes: limits.upperMinutes, at_upper: limits.atUpper }),
    lower_minutes: limits.lowerMinutes ?? undefined,
    lines: lines.map(presentLine),
  };
}

function presentLine(line: AccountLine): Schemas['TimeAccountLine'] {
  const common = { date: line.date, minutes: line.minutes, balance_minutes: line.balanceMinutes };
  if (line.kind === 'month')
    return {
      kind: line.kind,
      ...common,
      end_date: line.to,
      target_minutes: line.sum.targetMinutes,
      worked_minutes: line.sum.workedMinutes,
      closed: line.closed,
    };
  const { id, kind, reason, cancels, cancelled_by: cancelledBy } = line.booking;
  return {
    kind,
    id,
    ...common,
    reason: reason ?? undefined,
    ...presentAuthor(line.booking),
    cancels: cancels ?? undefined,
    cancelled_by: cancelledBy ?? undefined,
  };
}
