/** Balances in the form of the pages' API. */

import type { Reader } from '@clockproof/platform/database/database';
import { type AbsenceType, absenceTypesOf, labelFor } from '../absences/types.js';
import type { components } from '../generated/app-types.js';
import type { CompanyId } from '../ids.js';
import { presentFinding } from '../working-time/warnings.js';
import type { MonthSum } from './calculated-days.js';
import type { PersonDay } from './person-balance.js';

type Schemas = components['schemas'];

/** @param language of the reader */
export async function presentDays(
  reader: Reader,
  companyId: CompanyId,
  days: readonly PersonDay[],
  language: string,
): Promise<Schemas['DayBalance'][]> {
  const types = new Map((await absenceTypesOf(reader, companyId)).map((type) => [type.key, type]));
  return days.map((day) => presentDay(day, types, language));
}

function presentDay(
  { date, due, workedMinutes, breakMinutes, holiday, absences, found }: PersonDay,
  types: ReadonlyMap<string, AbsenceType>,
  language: string,
): Schemas['DayBalance'] {
  const target = due.scheduledMinutes - due.creditedMinutes;
  const labels = absences
    .map((absence) => types.get(absence.type))
    .flatMap((type) => (type === undefined ? [] : [labelFor(type, language)]));
  return {
    date,
    target_minutes: target,
    worked_minutes: workedMinutes,
    break_minutes: breakMinutes,
    difference_minutes: workedMinutes - target,
    ...(holiday === undefined ? {} : { holiday }),
    ...(labels.length === 0 ? {} : { absence: [...new Set(labels)].join(', ') }),
    warnings: found.map((finding) => presentFinding(finding, language)),
  };
}

export function presentMonth({
  month,
  sum,
  carriedMinutes,
  balanceMinutes,
  closed,
}: {
  readonly month: string;
  readonly sum: MonthSum;
  readonly carriedMinutes: number;
  readonly balanceMinutes: number;
  readonly closed: boolean;
}): Schemas['MonthBalance'] {
  return {
    month,
    target_minutes: sum.targetMinutes,
    worked_minutes: sum.workedMinutes,
    difference_minutes: sum.differenceMinutes,
    carried_minutes: carriedMinutes,
    balance_minutes: balanceMinutes,
    closed,
  };
}
