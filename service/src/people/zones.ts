/** Time zones as requests name them. */
import { readZone, type ZoneName } from '@clockproof/platform/time/zone';
import { invalidField } from '../store/refusal.js';

/** @throws Refusal `invalid_request` */
export function requireZone(name: string, field = 'time_zone'): ZoneName {
  const zone = readZone(name);
  if (zone === undefined) throw invalidField(field, 'unknown', 'There is no such time zone.');
  return zone;
}
