/**
 * Public holidays by country, region and municipality, from the `date-holidays` tables, with a company's additions and
 * changes.
 */

import { createRequire } from 'node:module';
import { day, hour } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type DateHolidays from 'date-holidays';
import type { HolidaysTypes } from 'date-holidays';
import type { Tables } from '../generated/tables.js';
import type { Localized } from '../people/language.js';

export interface Holiday {
  readonly date: LocalDate;
  readonly name: Localized;
  /** Only half the day is free. */
  readonly half: boolean;
  /** By law: surcharges and the rules about work on public holidays apply. The others only reduce the target. */
  readonly public: boolean;
}

/** The holidays of a company. Years are computed on first use and cached. */
export interface Holidays {
  on(date: LocalDate): Holiday | undefined;
  /** Only if it is one by law. */
  publicOn(date: LocalDate): Holiday | undefined;
  /** In order of date. */
  ofYear(year: number): readonly Holiday[];
}

/** The place that determines the holidays of a company. */
export type HolidayPlace = Pick<Tables['companies'], 'country' | 'region' | 'local_holidays'>;
type LocalHolidays = NonNullable<HolidayPlace['local_holidays']>;

/** An entry of the company's own. */
export type CompanyHoliday = Pick<
  Tables['company_holidays'],
  'date' | 'kind' | 'yearly' | 'last_date' | 'name_de' | 'name_en'
>;

/** The tables of all countries, loaded when the first year is asked for: that takes as long as a sixth of the start. */
const calendars = () => {
  dateHolidays ??= createRequire(import.meta.url)('date-holidays') as typeof DateHolidays;
  return dateHolidays;
};
let dateHolidays: typeof DateHolidays | undefined;

/**
 * Public holidays of some municipalities of a region, by the names of these municipalities in the tables: BayFTG Art. 1
 * (1) no. 2 and (2), SächsSFG §1 (1) with the decree on Corpus Christi, ThürFGtG §2 (2).
 */
const municipalities: Readonly<Record<string, { readonly [Of in LocalHolidays]?: string }>> = {
  'DE-BY': { assumption_day: 'KATH', augsburg: 'A' },
  'DE-SN': { corpus_christi: 'BZ' },
  'DE-TH': { corpus_christi: 'EIC' },
};

/** English names of dates that the tables call by a general name, or by that of another language. */
const englishNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  DE: { '10-03': 'German Unity Day' },
  AT: { '05-01': 'Labour Day', '10-26': 'Austrian National Day' },
  CH: { '08-01': 'Swiss National Day' },
};

type Year = ReadonlyMap<LocalDate, Holiday>;
/** About thirty years of a dozen regions. */
const years = { entries: new Map<string, Year>(), limit: 400 };
/** Making one takes longer than computing a year. */
const tables = { entries: new Map<string, DateHolidays>(), limit: 12 };

/** Returns the value of a key, and makes it if it is not there. Beyond the limit the oldest are evicted. */
function keep<Value>(
  { entries, limit }: { readonly entries: Map<string, Value>; readonly limit: number },
  key: string,
  make: () => Value,
): Value {
  const entry = entries.get(key);
  if (entry !== undefined) return entry;
  const value = make();
  if (entries.size >= limit) entries.delete(entries.keys().next().value!);
  entries.set(key, value);
  return value;
}

/**
 * @param country ISO 3166-1 alpha-2; a country without a table has no holidays
 * @param region ISO 3166-2 (`DE-HH`), null for the holidays of the whole country
 * @param local holidays of the company's municipality beside those of the region
 * @param companyEntries the company's additions and changes
 */
export function holidaysIn(
  country: string,
  region: string | null,
  local: LocalHolidays | null = null,
  companyEntries: readonly CompanyHoliday[] = [],
): Holidays {
  const yearOf = (year: number): Year => {
    const holidays = keep(years, `${country} ${region} ${local} ${year}`, () =>
      computeYear(country, region, local, year),
    );
    return companyEntries.length === 0 ? holidays : withOwn(holidays, companyEntries, year);
  };
  // Reports query many days of the same year.
  let [latestYear, days]: [string, Year] = ['', new Map()];
  const holidayOn = (date: LocalDate) => {
    const year = date.slice(0, 4);
    if (year !== latestYear) [latestYear, days] = [year, yearOf(Number(year))];
    return days.get(date);
  };
  return {
    on: holidayOn,
    publicOn(date) {
      const holiday = holidayOn(date);
      return holiday?.public === true ? holiday : undefined;
    },
    ofYear: (year) => [...yearOf(year).values()],
  };
}

/** Whether the tables know the region. Countries with uniform holidays have none. */
export function isHolidayRegion(country: string, region: string): boolean {
  const states = new (calendars())().getStates(country) as Readonly<Record<string, string>> | undefined;
  return region.startsWith(`${country}-`) && states !== undefined && Object.hasOwn(states, region.slice(3));
}

/** Whether some municipalities of the region have these holidays. */
export const hasLocalHolidays = (region: string | null, local: LocalHolidays): boolean =>
  municipalities[region ?? '']?.[local] !== undefined;

/**
 * The company's entry of a date: one for the date itself before one of every year.
 * @param companyEntries entries of one company
 */
export function ownHolidayOn<Own extends CompanyHoliday>(
  companyEntries: readonly Own[],
  date: LocalDate,
): Own | undefined {
  const singleHoliday = companyEntries.find((entry) => entry.yearly === 0 && entry.date === date);
  return (
    singleHoliday ??
    companyEntries.find(
      (entry) =>
        entry.yearly === 1 &&
        entry.date.slice(4) === date.slice(4) &&
        entry.date <= date &&
        (entry.last_date === null || entry.last_date >= date),
    )
  );
}

/** The dates of a year about which a company says something, in order. */
export function datesOfOwn(companyEntries: readonly CompanyHoliday[], year: number): LocalDate[] {
  const dates = companyEntries.map(({ date, yearly }) => (yearly === 1 ? `${year}${date.slice(4)}` : date));
  return [...new Set(dates)]
    .filter((date) => date.startsWith(`${year}-`) && isDate(date) && ownHolidayOn(companyEntries, date) !== undefined)
    .sort();
}

/** 29 February is a date in leap years only. */
const isDate = (date: LocalDate) => new Date(`${date}T00:00:00Z`).toISOString().startsWith(date);

function withOwn(calendarYear: Year, companyEntries: readonly CompanyHoliday[], year: number): Year {
  const holidays = new Map(calendarYear);
  for (const date of datesOfOwn(companyEntries, year)) {
    const { kind, name_de: de, name_en: en } = ownHolidayOn(companyEntries, date)!;
    if (kind === 'working_day') holidays.delete(date);
    else holidays.set(date, { date, name: { de, en }, half: kind === 'half_day', public: kind === 'public_holiday' });
  }
  return inOrder(holidays);
}

const inOrder = (holidays: Year): Year => new Map([...holidays].sort(([a], [b]) => (a < b ? -1 : 1)));

/**
 * A date is a public holiday if its noon lies in a `public` span of the tables. This excludes the afternoons of 24 and
 * 31 December (bank holidays, not public ones) and assigns days that begin at sunset to the following date.
 */
function computeYear(country: string, region: string | null, local: LocalHolidays | null, year: number): Year {
  const calendar = keep(tables, `${country} ${region} ${local}`, () => tableOf(country, region, local));
  const holidaysByDate = new Map<LocalDate, Holiday>();
  // The neighbouring years too: a span that begins at sunset on 31 December belongs to the next one.
  const holidaysIn = (language: string) =>
    [year - 1, year].flatMap((calendarYear) => calendar.getHolidays(calendarYear, language));
  const english = holidaysIn('en');
  for (const [index, { date, start, end, name }] of holidaysIn('de').entries()) {
    // `date` is in the region's local time; `start` and `end` are used only for the length, so the time zone of this
    // machine does not matter.
    const local = Date.parse(`${date.slice(0, 10)}T${date.slice(11, 19)}Z`);
    const length = end.getTime() - start.getTime();
    for (let noon = Math.floor(local / day) * day + 12 * hour; noon < local + length; noon += day) {
      if (noon < local) continue;
      const holidayDate = new Date(noon).toISOString().slice(0, 10);
      if (!holidayDate.startsWith(`${year}-`) || holidaysByDate.has(holidayDate)) continue;
      const en = englishNames[country]?.[holidayDate.slice(5)] ?? english[index]!.name;
      holidaysByDate.set(holidayDate, { date: holidayDate, name: { de: name, en }, half: false, public: true });
    }
  }
  return inOrder(holidaysByDate);
}

function tableOf(country: string, region: string | null, local: LocalHolidays | null): DateHolidays {
  const Calendar = calendars();
  const options: HolidaysTypes.Options = { types: ['public'] };
  const municipality = local === null ? undefined : municipalities[region ?? '']?.[local];
  if (region === null) return new Calendar(country, options);
  return municipality === undefined
    ? new Calendar(country, region.slice(3), options)
    : new Calendar(country, region.slice(3), municipality, options);
}
