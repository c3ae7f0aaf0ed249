/**
 * One question by digest, put to the node before the index claims something that only the whole ledger can show: that a
 * transaction holds no other root, or that there is no such transaction.
 *
 * Anyone may ask the index anything, so the node is protected: equal questions are put once, answers are kept for a
 * second, and beyond a rate, while others wait, or after a failure the question is not put at all.
 */
import type { Database } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { WrongLedger } from '../ledger/chain.js';
import type { EventDecoder } from '../ledger/event-decoder.js';
import { LedgerFailure } from '../ledger/graphql.js';
import { ingestTransaction } from '../store/ingest.js';

/**
 * `stored`: the node delivered the transaction, and its proofs are stored. `absent`: it does not have the transaction,
 * or no proof of the package in it. `pending`: it has the transaction, but not in a checkpoint yet or not whole.
 * `unanswered`: it was not asked, or did not answer.
 */
export type Confirmation = 'stored' | 'absent' | 'pending' | 'unanswered';

export interface ConfirmOptions {
  readonly database: Database;
  /** Undefined as long as the node is not known. */
  readonly decoder: () => EventDecoder | undefined;
  readonly onFailure?: (code: string) => void;
}

/** Milliseconds for which an answer counts as fresh. */
const answerLifetime = 1_000;
/** Milliseconds without questions after a failure. */
const pauseAfterFailure = 5_000;
const questionsPerSecond = 10;
const burst = 40;
const maxConcurrent = 4;
const maxRemembered = 1_000;

/** @returns a question that never throws LedgerFailure; DatabaseUnavailable passes through */
export function createConfirm({
  database,
  decoder,
  onFailure,
}: ConfirmOptions): (digest: string, at: Instant) => Promise<Confirmation> {
  const openRequests = new Map<string, Promise<Confirmation>>();
  const answers = new Map<string, { readonly confirmation: Confirmation; readonly at: Instant }>();
  let permits = burst;
  let refilledAt: Instant | undefined;
  let pausedAt: Instant | undefined;

  function takePermit(at: Instant): boolean {
    // A clock that goes back must not block requests for as long as it was ahead.
    if (pausedAt !== undefined && at >= pausedAt && at - pausedAt < pauseAfterFailure) return false;
    if (openRequests.size >= maxConcurrent) return false;
    if (refilledAt !== undefined && at > refilledAt)
      permits = Math.min(burst, permits + ((at - refilledAt) / 1_000) * questionsPerSecond);
    refilledAt = at;
    if (permits < 1) return false;
    permits--;
    return true;
  }

  async function ask(eventDecoder: EventDecoder, digest: string, at: Instant): Promise<Confirmation> {
    try {
      const answer = await eventDecoder.transaction(digest);
      if (answer === undefined || answer === 'pending') return answer ?? 'absent';
      // One commit: a transaction is stored with all of its proofs or not at all.
      await database.write((tx) => ingestTransaction(tx, digest, answer, at));
      if (answer.gaps > 0) return 'pending';
      return answer.proofs.length > 0 ? 'stored' : 'absent';
    } catch (error) {
      // An answer from another chain says nothing here; the follower notices it at its next poll and stops.
      if (error instanceof WrongLedger) return 'unanswered';
      if (!(error instanceof LedgerFailure)) throw error;
      onFailure?.(error.code);
      pausedAt = at;
      return 'unanswered';
    }
  }

  return (digest, at) => {
    const openRequest = openRequests.get(digest);
    if (openRequest !== undefined) return openRequest;
    const cachedAnswer = answers.get(digest);
    if (cachedAnswer !== undefined && at >= cachedAnswer.at && at - cachedAnswer.at < answerLifetime)
      return Promise.resolve(cachedAnswer.confirmation);
    const eventDecoder = decoder();
    if (eventDecoder === undefined || !takePermit(at)) return Promise.resolve('unanswered');
    const question = ask(eventDecoder, digest, at)
      .then((confirmation) => {
        if (answers.size >= maxRemembered) answers.clear();
        answers.set(digest, { confirmation, at });
        return confirmation;
      })
      .finally(() => openRequests.delete(digest));
    openRequests.set(digest, question);
    return question;
  };
}
