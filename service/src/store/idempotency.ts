/**
 * `Idempotency-Key`: repeating a request within 24 hours returns the first response and changes nothing. Refusals are
 * not stored: their transaction is rolled back, so a later attempt is evaluated again.
 */
import { createHash } from 'node:crypto';
import { day, type Instant } from '@clockproof/platform/time/instant';
import { Refusal } from './refusal.js';
import { insertIfAbsent, removeSome, removeWhere, type Transaction, update } from './tables.js';
import type { Write } from './write.js';

export interface IdempotentRequest {
  /** The owner of the key: `ext_…` or `lnk_…`. */
  readonly caller: string;
  /** The header's value; absent means every request counts. */
  readonly key: string | undefined;
  /** Operation and body: the same key with different content is an error. */
  readonly content: string;
}

/** Purges up to `limit` responses older than 24 hours. @returns their number */
export function purgeExpiredAnswers(tx: Transaction, at: Instant, limit: number): Promise<number> {
  return removeSome(tx, 'idempotency_keys', ['caller', 'key'], 'at < :before', { before: at - day, limit });
}

/** An answer, and the headers that say whether it was given before. */
export interface RepeatableAnswer<Answer> {
  readonly answer: Answer;
  readonly headers: { readonly 'idempotent-replayed'?: 'true' };
}

/**
 * Runs `effect` once per key. A second request with the key waits for the first one's transaction and returns its
 * response. A response older than 24 hours is ignored.
 * @throws Refusal `idempotency_conflict` the key was used for another request
 */
export async function runOnce<Answer extends object>(
  write: Write,
  { caller, key, content }: IdempotentRequest,
  effect: () => Promise<Answer>,
): Promise<RepeatableAnswer<Answer>> {
  if (key === undefined) return { answer: await effect(), headers: {} };
  const { at } = write;
  const fingerprint = createHash('sha256').update(content).digest('hex');
  const expiryFilter = { caller, key, before: at - day };
  const [, isFirst] = await Promise.all([
    removeWhere(write, 'idempotency_keys', 'caller = :caller AND key = :key AND at < :before', expiryFilter),
    insertIfAbsent(write, 'idempotency_keys', { caller, key, fingerprint, at }),
  ]);
  if (!isFirst) {
    const first = await write.get<{ fingerprint: string; answer: string }>(
      'SELECT fingerprint, answer FROM idempotency_keys WHERE caller = :caller AND key = :key',
      { caller, key },
    );
    if (first === undefined || first.fingerprint !== fingerprint) throw new Refusal('idempotency_conflict');
    write.unaudited('repeated');
    return { answer: JSON.parse(first.answer) as Answer, headers: { 'idempotent-replayed': 'true' } };
  }
  const answer = await effect();
  await update(write, 'idempotency_keys', { caller, key }, { answer: JSON.stringify(answer) });
  return { answer, headers: {} };
}
