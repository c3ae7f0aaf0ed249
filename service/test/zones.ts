import { readZone, type ZoneName } from '@clockproof/platform/time/zone';

/** @throws {TypeError} no such zone */
export function zone(name: string): ZoneName {
  const zoneName = readZone(name);
  if (zoneName === undefined) throw new TypeError(`${name} is no time zone`);
  return zoneName;
}

export const berlin = zone('Europe/Berlin');
