/**
 * `Idempotency-Key`: repeating a request within 24 hours returns the first response and changes nothing. Refusals are
 * not stored: their transaction is rolled back, so a later attempt is evaluated again.
 */

import { createHash } from 'node:crypto';
import type { Cell, Step } from '@clockproof/platform/database/batch';
import type { Transaction } from '@clockproof/platform/database/database';
import { day, type Instant } from '@clockproof/platform/time/instant';
import { Refusal } from '../refusal.js';
import type { Write } from '../write/write.js';

export interface Repeatable {
  /** The owner of the key: `ext_…` or `lnk_…`. */
  readonly caller: string;
  /** The header's value; absent means every request counts. */
  readonly key: string | undefined;
  /** Operation and body: the same key with different content is an error. */
  readonly content: string;
  readonly at: Instant;
}

/** The stored result of an earlier request with the key. */
export interface Remembered {
  readonly fingerprint: string;
  /** JSON; null only inside the transaction that computes it. */
  readonly answer: string | null;
  readonly at: Instant;
}

/**
 * The first response, if the same request was answered within 24 hours.
 * @throws Refusal `idempotency_conflict` the key was used for another request
 */
export function repeatedAnswer<Answer>(
  remembered: Remembered | undefined,
  content: string,
  at: Instant,
): Answer | undefined {
  if (remembered === undefined || remembered.at < at - day) return undefined;
  if (remembered.fingerprint !== fingerprintOf(content) || remembered.answer === null) {
    throw new Refusal('idempotency_conflict');
  }
  return JSON.parse(remembered.answer) as Answer;
}

/** The step of a batch that stores its response under the key. `known`: an existing row to replace. */
export function rememberStep(
  known: Remembered | undefined,
  {
    caller,
    key,
    content,
    at,
  }: { readonly caller: string; readonly key: string; readonly content: string; readonly at: Instant },
  answer: Cell,
): Step {
  const row = { fingerprint: fingerprintOf(content), answer, at };
  return known === undefined
    ? { name: 'remembered', insert: 'idempotency_keys', row: { caller, key, ...row } }
    : { name: 'remembered', update: 'idempotency_keys', set: row, where: { caller, key } };
}

/** Purges responses older than 24 hours. @returns their number */
export function purgeExpiredAnswers(tx: Transaction, at: Instant): Promise<number> {
  return tx.run('DELETE FROM idempotency_keys WHERE at < :before', { before: at - day });
}

function fingerprintOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/**
 * Runs `effect` once per key. A second request with the key waits for the first one's transaction and returns its
 * response.
 * @throws Refusal `idempotency_conflict` the key was used for another request
 */
export async function once<Answer extends object>(
  write: Write,
  request: Repeatable,
  effect: () => Promise<Answer>,
): Promise<Answer> {
  if (request.key === undefined) return effect();
  const { caller, key, at } = request;
  const fingerprint = fingerprintOf(request.content);
  await purgeExpiredAnswers(write, at);
  const taken = await write.run(
    'INSERT INTO idempotency_keys (caller, key, fingerprint, at) VALUES (:caller, :key, :fingerprint, :at) ON CONFLICT DO NOTHING',
    { caller, key, fingerprint, at },
  );
  if (taken === 0) {
    const first = await write.get<{ fingerprint: string; answer: string }>(
      'SELECT fingerprint, answer FROM idempotency_keys WHERE caller = :caller AND key = :key',
      { caller, key },
    );
    if (first === undefined || first.fingerprint !== fingerprint) throw new Refusal('idempotency_conflict');
    write.unaudited('repeated');
    return JSON.parse(first.answer) as Answer;
  }
  const answer = await effect();
  await write.run('UPDATE idempotency_keys SET answer = :answer WHERE caller = :caller AND key = :key', {
    caller,
    key,
    answer: JSON.stringify(answer),
  });
  return answer;
}
