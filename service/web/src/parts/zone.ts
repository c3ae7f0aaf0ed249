/** The clock of a page: times belong to a company, and a reader may look at another one than their own. */
import { sessionOf, useSessionState } from '../api/session.js';

declare const brand: unique symbol;
/** A time zone that was chosen on purpose: a plain text does not compile. */
export type Zone = string & { readonly [brand]: true };

/** @param subject the company, or an answer of the service that names the zone of its times */
export function zoneOf(subject: { readonly time_zone: string }): Zone {
  return subject.time_zone as Zone;
}

/**
 * The clock of the signed-in person, for their own records and those of no company. Before the sign-in the browser's.
 */
export function useOwnZone(): Zone {
  const session = sessionOf(useSessionState().data);
  return zoneOf(session?.company ?? { time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone });
}

export const utc = zoneOf({ time_zone: 'UTC' });
