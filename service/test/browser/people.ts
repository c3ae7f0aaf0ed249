/** People of the browser tests, each with the password and second factor of the tests, so that no test needs another. */

import type { NewPerson } from '../../src/people/people.js';
import { factorKeysOf, giveCredentials } from '../browser.js';
import { dataKey, type World } from '../world.js';

export async function giveFactors(world: World, personIds: readonly number[]): Promise<void> {
  await giveCredentials(world, personIds, await factorKeysOf(world, dataKey));
}

/** @returns the id of a new person at Nordlicht, who signs in as `<first name>@clockproof.example` */
export async function addUser(
  world: World,
  firstName: string,
  { role = 'employee', lastName = 'Test' }: { readonly role?: NewPerson['role']; readonly lastName?: string } = {},
): Promise<number> {
  const id = await world.hire({ firstName, lastName, email: `${firstName.toLowerCase()}@clockproof.example`, role });
  await giveFactors(world, [id]);
  return id;
}
