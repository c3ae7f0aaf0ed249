/** Passkeys of people, and the challenge that a session expects to be signed. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../../generated/tables.js';
import type { PasskeyId, PersonId } from '../../store/ids.js';
import { insertIfAbsent, remove, type Transaction, update, updateReturning } from '../../store/tables.js';

export type PasskeyRow = Tables['passkeys'];

/** The purpose of a challenge. */
export type ChallengePurpose = 'registration' | 'assertion';

export function listPasskeyRows(reader: Reader, personId: PersonId): Promise<PasskeyRow[]> {
  return reader.all<PasskeyRow>('SELECT * FROM passkeys WHERE person_id = :personId ORDER BY created_at, id', {
    personId,
  });
}

export function findPasskeyByCredential(
  reader: Reader,
  personId: PersonId,
  credentialId: string,
): Promise<PasskeyRow | undefined> {
  return reader.get<PasskeyRow>(
    'SELECT * FROM passkeys WHERE person_id = :personId AND credential_id = :credentialId',
    { personId, credentialId },
  );
}

export async function countPasskeys(reader: Reader, personId: PersonId): Promise<number> {
  return (await reader.get<{ n: number }>('SELECT count(*) AS n FROM passkeys WHERE person_id = :personId', {
    personId,
  }))!.n;
}

/** @returns whether this credential is new */
export async function insertPasskey(tx: Transaction, row: PasskeyRow): Promise<boolean> {
  return insertIfAbsent(tx, 'passkeys', row);
}

export async function notePasskeyUse(tx: Transaction, id: PasskeyId, counter: number, at: Instant): Promise<void> {
  await update(tx, 'passkeys', { id }, { counter, last_used_at: at });
}

export async function renamePasskeyRow(
  tx: Transaction,
  id: PasskeyId,
  personId: PersonId,
  name: string,
): Promise<PasskeyRow | undefined> {
  return (await updateReturning(tx, 'passkeys', { id, person_id: personId }, { name }))[0];
}

export async function deletePasskeyRow(tx: Transaction, id: PasskeyId, personId: PersonId): Promise<boolean> {
  return (await remove(tx, 'passkeys', { id, person_id: personId })) === 1;
}

export async function deletePasskeys(tx: Transaction, personId: PersonId): Promise<void> {
  await remove(tx, 'passkeys', { person_id: personId });
}

/** A new challenge for a session; it replaces an earlier one. */
export async function saveChallenge(
  tx: Transaction,
  sessionId: string,
  row: { challenge: string; purpose: ChallengePurpose; until: number },
): Promise<void> {
  const { challenge, purpose, until } = row;
  const pendingColumns = { challenge, challenge_for: purpose, challenge_until: until };
  await update(tx, 'sessions', { id: sessionId }, pendingColumns);
}

/** Removes the challenge of a session, so that only one of two responses is evaluated. */
export async function takeChallenge(
  tx: Transaction,
  sessionId: string,
  purpose: ChallengePurpose,
  at: Instant,
): Promise<string | undefined> {
  const row = await tx.get<{ challenge: string }>(
    'SELECT challenge FROM sessions WHERE id = :sessionId AND challenge_for = :purpose AND challenge_until > :at AND challenge IS NOT NULL',
    { sessionId, purpose, at },
  );
  if (row === undefined) return undefined;
  const noChallenge = { challenge: null, challenge_for: null, challenge_until: null };
  const removedCount = await update(tx, 'sessions', { id: sessionId, challenge: row.challenge }, noChallenge);
  return removedCount === 1 ? row.challenge : undefined;
}
