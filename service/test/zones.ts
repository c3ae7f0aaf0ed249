import { readZone, type ZoneName } from '@clockproof/platform/time/zone';

/** @throws {TypeError} no such zone */
export function zone(name: string): ZoneName {
  const found = readZone(name);
  if (found === undefined) throw new TypeError(`${name} is no time zone`);
  return found;
}

export const berlin = zone('Europe/Berlin');
