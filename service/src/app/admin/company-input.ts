/** What cannot be said by a pattern about a company's settings. */
import { isTimeZone } from '@clockproof/platform/time/local-date';
import { invalid } from '../../api/page.js';
import { isHolidayRegion } from '../../working-time/holidays.js';

/**
 * @throws Refusal `invalid_request` an unknown time zone, or a region whose holidays are not known: a slip here would
 * silently cost people a holiday
 */
export function refuseUnknownPlace({
  timeZone,
  country,
  region,
}: {
  readonly timeZone?: string | undefined;
  readonly country: string;
  readonly region: string | null;
}): void {
  if (timeZone !== undefined && !isTimeZone(timeZone))
    throw invalid('time_zone', 'There is no such time zone.', 'unknown');
  if (region !== null && !isHolidayRegion(country, region))
    throw invalid(
      'region',
      'No holidays are known for this region of the country. Leave it out where they are the same everywhere.',
      'unknown',
    );
}
