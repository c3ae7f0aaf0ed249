/** Hints about an absence. They never prevent or change anything. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import type { components } from '../generated/service-types.js';
import { dayInLanguage, inLanguage } from '../people/language.js';
import { findPerson, type PersonRow } from '../people/rows.js';
import { loadWorkdays } from './days.js';
import { returnedHalfDays } from './returned-vacation.js';
import { daysWithWork, type NamedAbsence } from './rows.js';
import { isLive } from './state.js';
import { absenceTypesOf } from './types.js';
import { bookedDays, entitlementOf, vacationAccount, vacationDays } from './vacation/vacation-account.js';

type Warning = components['schemas']['Warning'];

/**
 * Hints about an absence in its current state. A withdrawn or cancelled one has none.
 * @param language of who reads them, by default of the person it concerns
 */
export async function warningsFor(
  reader: Reader,
  absence: NamedAbsence,
  at: Instant,
  language = absence.language,
): Promise<Warning[]> {
  if (!isLive(absence.status)) return [];
  const warnings: Warning[] = [];
  if (absence.half_days === 0) {
    warnings.push({
      code: 'no_working_days',
      message: inLanguage(language, {
        de: 'In diesem Zeitraum liegt kein Arbeitstag.',
        en: 'There is no working day in this period.',
      }),
    });
  }
  const types = await absenceTypesOf(reader, absence.company_id);
  const type = types.find((type) => type.key === absence.type);
  const person = await findPerson(reader, absence.person_id, { company: absence.company_id });
  if (person !== undefined && absence.returned_vacation !== null)
    warnings.push(
      ...returnHint(
        absence,
        await returnedHalfDays(reader, absence, { types, workdays: await loadWorkdays(reader, person) }),
        language,
      ),
    );
  if (type?.overlapClass === 'away' && absence.half_day === null)
    warnings.push(...(await workHint(reader, absence, language)));
  if (type?.countsAsVacation !== true || person === undefined) return warnings;
  for (let year = Number(absence.start_date.slice(0, 4)); year <= Number(absence.end_date.slice(0, 4)); year++) {
    const missingDayCount = await missingDays(
      reader,
      person,
      year,
      localDateAt(at, person.time_zone),
      absence.end_date,
    );
    if (missingDayCount === undefined)
      warnings.push({
        code: 'entitlement_missing',
        message: inLanguage(language, {
          de: `Für ${year} ist kein Urlaubsanspruch hinterlegt.`,
          en: `No vacation entitlement is set for ${year}.`,
        }),
      });
    else if (missingDayCount > 0)
      warnings.push({
        code: 'entitlement_exceeded',
        message: inLanguage(language, {
          de: `Der Urlaubsanspruch ${year} ist um ${String(missingDayCount).replace('.', ',')} ${missingDayCount === 1 ? 'Tag' : 'Tage'} überschritten.`,
          en: `The vacation entitlement of ${year} is exceeded by ${missingDayCount} ${missingDayCount === 1 ? 'day' : 'days'}.`,
        }),
      });
  }
  return warnings;
}

function returnHint({ status }: NamedAbsence, halfDays: number, language: string): Warning[] {
  if (halfDays === 0) return [];
  const days = String(halfDays / 2);
  const [ofVacation, comeBack] = halfDays > 2 ? ['Urlaubstage', 'kommen'] : ['Urlaubstag', 'kommt'];
  const german = `${days.replace('.', ',')} ${ofVacation} ${comeBack} auf das Urlaubskonto zurück`;
  const english = `${days} vacation ${halfDays > 2 ? 'days go' : 'day goes'} back to the account`;
  return [
    {
      code: 'vacation_returned',
      message: inLanguage(
        language,
        status === 'waiting'
          ? { de: `${german}, sobald das genehmigt ist.`, en: `${english} once this is approved.` }
          : { de: `${german}.`, en: `${english}.` },
      ),
    },
  ];
}

/** One hint, however many days there are: the person is away on days on which work is recorded. */
async function workHint(reader: Reader, absence: NamedAbsence, language: string): Promise<Warning[]> {
  const { person_id: personId, start_date: from, end_date: to } = absence;
  const days = await daysWithWork(reader, { personId, from, to });
  const [first] = days;
  if (first === undefined) return [];
  const day = dayInLanguage(language, first);
  return [
    {
      code: 'work_recorded',
      message: inLanguage(language, {
        de: `An ${days.length} ${days.length === 1 ? 'Tag' : 'Tagen'} dieses Zeitraums ist Arbeit erfasst, zuerst am ${day}.`,
        en: `Work is recorded on ${days.length} ${days.length === 1 ? 'day' : 'days'} of this period, first on ${day}.`,
      }),
    },
  ];
}

/** Days by which a year's approved and requested vacation exceeds the entitlement; undefined if none is set. */
async function missingDays(
  reader: Reader,
  person: PersonRow,
  year: number,
  today: LocalDate,
  asOf: LocalDate,
): Promise<number | undefined> {
  const entitlement = await entitlementOf(reader, person, year);
  if (entitlement === undefined) return undefined;
  const { remainingDays, waiting } = vacationAccount(
    entitlement,
    await vacationDays(reader, person, year),
    await bookedDays(reader, person, year),
    today,
    asOf > today ? asOf : today,
  );
  return Math.max(0, waiting - remainingDays);
}
