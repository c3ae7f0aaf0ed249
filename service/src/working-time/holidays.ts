/** Public holidays by country and region, from the `date-holidays` tables. */

import { createRequire } from 'node:module';
import { day, hour } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import type DateHolidays from 'date-holidays';
import type { Localized } from '../people/language.js';

export interface Holiday {
  readonly date: LocalDate;
  readonly name: Localized;
}

/** The public holidays of one region. Years are computed on first use and cached. */
export interface Holidays {
  on(date: LocalDate): Holiday | undefined;
  /** In order of date. */
  ofYear(year: number): readonly Holiday[];
}

/** The tables of all countries, loaded when the first year is asked for: that takes as long as a sixth of the start. */
const calendars = () => {
  loaded ??= createRequire(import.meta.url)('date-holidays') as typeof DateHolidays;
  return loaded;
};
let loaded: typeof DateHolidays | undefined;

type Year = ReadonlyMap<LocalDate, Holiday>;
const years = new Map<string, Year>();
/** About thirty years of a dozen regions; beyond that the oldest are evicted. */
const keptYears = 400;

/**
 * @param country ISO 3166-1 alpha-2; a country without a table has no holidays
 * @param region ISO 3166-2 (`DE-HH`), null for the holidays of the whole country
 */
export function holidaysIn(country: string, region: string | null): Holidays {
  const yearOf = (year: number): Year => {
    const key = `${country} ${region} ${year}`;
    const known = years.get(key) ?? computeYear(country, region, year);
    if (!years.has(key) && years.size >= keptYears) years.delete(years.keys().next().value!);
    years.set(key, known);
    return known;
  };
  // Reports query many days of the same year.
  let [asked, table]: [string, Year] = ['', new Map()];
  return {
    on(date) {
      const year = date.slice(0, 4);
      if (year !== asked) [asked, table] = [year, yearOf(Number(year))];
      return table.get(date);
    },
    ofYear: (year) => [...yearOf(year).values()],
  };
}

/** Whether the tables know the region. Countries with uniform holidays have none. */
export function isHolidayRegion(country: string, region: string): boolean {
  const states = new (calendars())().getStates(country) as Readonly<Record<string, string>> | undefined;
  return region.startsWith(`${country}-`) && states !== undefined && Object.hasOwn(states, region.slice(3));
}

/**
 * A date is a public holiday if its noon lies in a `public` span of the tables. This excludes the afternoons of 24 and
 * 31 December (bank holidays, not public ones) and assigns days that begin at sunset to the following date.
 */
function computeYear(country: string, region: string | null, year: number): Year {
  const Calendar = calendars();
  const calendar =
    region === null
      ? new Calendar(country, { types: ['public'] })
      : new Calendar(country, region.slice(3), { types: ['public'] });
  const found = new Map<LocalDate, Holiday>();
  // The neighbouring years too: a span that begins at sunset on 31 December belongs to the next one.
  const of = (language: string) => [year - 1, year].flatMap((each) => calendar.getHolidays(each, language));
  const english = of('en');
  for (const [index, { date, start, end, name }] of of('de').entries()) {
    // `date` is in the region's local time; `start` and `end` are used only for the length, so the time zone of this
    // machine does not matter.
    const local = Date.parse(`${date.slice(0, 10)}T${date.slice(11, 19)}Z`);
    const length = end.getTime() - start.getTime();
    for (let noon = Math.floor(local / day) * day + 12 * hour; noon < local + length; noon += day) {
      if (noon < local) continue;
      const on = new Date(noon).toISOString().slice(0, 10);
      if (on.startsWith(`${year}-`) && !found.has(on))
        found.set(on, { date: on, name: { de: name, en: english[index]!.name } });
    }
  }
  return new Map([...found].sort(([one], [other]) => (one < other ? -1 : 1)));
}
