/** Setting and checking passwords. */
import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { type Actor, appendAudit } from '../audit/audit.js';
import type { PersonRow } from '../people/rows.js';
import type { Passwords } from './password.js';
import { type CredentialRow, findCredentialByEmail, markAllEnded, savePassword } from './rows.js';

/**
 * Gives a person a password, and ends their sessions but for `keepSession`.
 * @param passwordHash from `Passwords.hash`, computed before the transaction: it takes long, and writers wait for each
 * other
 */
export async function setPassword(
  tx: Transaction,
  {
    personId,
    companyId,
    passwordHash,
    keepSession = '',
  }: { personId: number; companyId: number; passwordHash: string; keepSession?: string },
  actor: Actor,
  at: Instant,
): Promise<void> {
  await savePassword(tx, personId, passwordHash, at);
  await markAllEnded(tx, personId, keepSession, at);
  await appendAudit(tx, { at, companyId, actor, action: 'password.set', subject: `person ${personId}` });
}

/** Who signs in with this address and password; nobody where either is wrong, in the same time. */
export async function checkPassword(
  reader: Reader,
  passwords: Passwords,
  email: string,
  password: string,
): Promise<{ readonly credential: CredentialRow | undefined; readonly fits: boolean }> {
  const credential = await findCredentialByEmail(reader, email.toLowerCase());
  return { credential, fits: await passwords.verify(credential?.password_hash, password) };
}

/** A newer hash of a password that was just right, where its parameters are not today's; undefined where they are. */
export async function newerHash(
  passwords: Passwords,
  credential: CredentialRow,
  password: string,
): Promise<string | undefined> {
  return passwords.isOutdated(credential.password_hash!) ? passwords.hash(password) : undefined;
}

export function aboutPerson({
  first_name,
  last_name,
  email,
  company_name,
}: Pick<PersonRow, 'first_name' | 'last_name' | 'email' | 'company_name'>): string[] {
  return [first_name, last_name, company_name, ...(email === null ? [] : [email])];
}
