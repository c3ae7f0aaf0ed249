/**
 * A link with which a person who has left downloads their proofs. It signs no one in, works for 90 days, and ends when
 * another is made or the person comes back: months are often closed after the last day.
 */
import type { RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import { day, type Instant } from '@clockproof/platform/time/instant';
import { type Admin, personBelow } from '../people/administered.js';
import { findPersonAnywhere, type PersonRow } from '../people/rows.js';
import { Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { findOneTimeLink, insertOneTimeLink } from './rows.js';
import { hashOfSecret, newSecret } from './secrets.js';

const linkMilliseconds = 90 * day;

/**
 * @returns the token, available only here
 * @throws Refusal `not_found`, `forbidden`, `still_in_use` the person is active
 */
export async function createLinkToProofs(
  write: Write,
  admin: Admin,
  id: number,
  randomBytes: RandomBytes,
): Promise<{ readonly token: string; readonly expiresAt: Instant }> {
  const { at } = write;
  await write.lock({ people: [id] });
  const person = await personBelow(write, admin, id);
  if (person.active === 1) throw new Refusal('still_in_use');
  const token = newSecret('prf_', randomBytes);
  const expiresAt = at + linkMilliseconds;
  await insertOneTimeLink(write, {
    hash: hashOfSecret(token),
    kind: 'proofs',
    person_id: person.id,
    created_at: at,
    expires_at: expiresAt,
  });
  await write.audit({ companyId: person.company_id, action: 'proof.link_created', subject: `person ${person.id}` });
  return { token, expiresAt };
}

/** The person whose proofs a link leads to. @throws Refusal `one_time_link_invalid` */
export async function followLinkToProofs(
  reader: Reader,
  token: string,
  at: Instant,
): Promise<{ readonly person: PersonRow; readonly expiresAt: Instant }> {
  const link = await findOneTimeLink(reader, hashOfSecret(token), 'proofs', at);
  const person = link && (await findPersonAnywhere(reader, link.person_id!));
  if (link === undefined || person === undefined || person.active === 1) throw new Refusal('one_time_link_invalid');
  return { person, expiresAt: link.expires_at };
}
