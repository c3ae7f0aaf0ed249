/** Law as data: by country, each version with the day from which it holds. Pure. */
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';

export interface Version<Rules> {
  readonly from: LocalDate;
  readonly rules: Rules;
}

/** By ISO 3166-1 code, the oldest version first. */
export type Law<Rules> = Readonly<Record<string, readonly Version<Rules>[]>>;

/** Empty if there is no table for the country: nothing is judged then. */
export function versionsOf<Rules>(law: Law<Rules>, country: string): readonly Version<Rules>[] {
  return Object.hasOwn(law, country) ? law[country]! : [];
}

/** The rules in force on a day, if there are any. */
export function rulesInForce<Rules>(versions: readonly Version<Rules>[], date: LocalDate): Rules | undefined {
  return versions.findLast(({ from }) => from <= date)?.rules;
}

/** The last day of each version; undefined for the one that holds until further notice. */
export function lastDays(versions: readonly Version<unknown>[]): (LocalDate | undefined)[] {
  return versions.map((_, index) => {
    const next = versions[index + 1];
    return next === undefined ? undefined : addDays(next.from, -1);
  });
}
