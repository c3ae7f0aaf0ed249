/** Time zones (IANA names). A computation of a date has to name the zone it is in: a plain text does not compile. */
import type { Branded } from '../flavour.js';

/** The zone of a company, in which its dates, days and months begin and end. */
export type ZoneName = Branded<string, 'ZoneName'>;

/** The zone in which a person reads clocks. It decides no date: days belong to the company. */
export type DisplayZone = Branded<string, 'DisplayZone'>;

/** The zone of times that are about UTC itself, and of bounds that leave a day of room on both sides. */
export const utc = 'UTC' as ZoneName;

/** @returns the zone if the text names one; undefined otherwise */
export function readZone(name: string): ZoneName | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name as ZoneName;
  } catch {
    return undefined;
  }
}

export const displayZone = (zone: ZoneName): DisplayZone => zone as string as DisplayZone;
