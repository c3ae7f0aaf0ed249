/**
 * Signed requests of terminals. The order: terminal known → signature → time → (the effect) → nonce, used up in the
 * effect's transaction. An invalid signature uses up no nonce; an unknown terminal and an invalid signature get the
 * same response after the same time.
 */

import { createHash, generateKeyPairSync } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { fromBase64 } from '@clockproof/platform/bytes/encoding';
import type { Reader } from '@clockproof/platform/database/database';
import type { IncomingRequest } from '@clockproof/platform/http/api';
import { formatInstant, type Instant, minute, second } from '@clockproof/platform/time/instant';
import { verifySignature } from '../access/ed25519.js';
import type { components } from '../generated/service-types.js';
import { Refusal, rightsChanged } from '../store/refusal.js';
import type { Transaction } from '../store/tables.js';
import type { Store, Write } from '../store/write.js';
import { findTerminal, findUsedNonce, keepTerminal, saveOutcome, spendNonce, type TerminalRow } from './rows.js';

const tolerance = minute;
/** A request dated a minute ahead can be replayed for two minutes; nonces are kept a little longer. */
export const nonceLifetime = 3 * minute;

export interface TerminalCaller {
  readonly kind: 'terminal';
  readonly terminal: TerminalRow;
  readonly nonce: string;
  /** SHA-256 of the text that was signed: the same request again, byte for byte, has the same. */
  readonly request: string;
}

/** The outcome of a request for a stamp, kept as long as its nonce. */
export type Outcome = components['schemas']['TerminalOutcome'];

/**
 * A dummy key, so that unknown terminals cost the time of a verification too. Made at start, its private half dropped:
 * no one can sign with it.
 */
const dummyKey = Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!, 'base64url');

const label = 'service-terminal-v1';

/** The text that is signed: six lines joined by line feeds, the last one the body's SHA-256 in lower-case hex. */
export function signedText(method: string, target: string, time: string, nonce: string, body: Uint8Array): string {
  return [label, method, target, time, nonce, createHash('sha256').update(body).digest('hex')].join('\n');
}

/**
 * @param verify tests count its calls
 * @throws Refusal `terminal_unknown` headers missing, repeated or malformed; `signature_invalid`; `signature_time` with
 * `server_time`
 */
export async function authenticateTerminal(
  reader: Reader,
  request: Pick<IncomingRequest, 'method' | 'target' | 'rawHeaders' | 'rawBody' | 'at'>,
  verify: typeof verifySignature = verifySignature,
): Promise<TerminalCaller> {
  const id = singleHeader(request, 'service-terminal', /^trm_[A-Za-z0-9]{1,60}$/);
  const time = singleHeader(request, 'service-time', /^(?:0|[1-9][0-9]{0,11})$/);
  const nonce = singleHeader(request, 'service-nonce', /^[A-Za-z0-9_-]{16,64}$/);
  const signature = fromBase64(singleHeader(request, 'service-signature', /^[A-Za-z0-9+/]{86}==$/));
  if (signature === undefined) throw new Refusal('terminal_unknown');

  const terminal = await findTerminal(reader, id);
  const key = terminal?.public_key ?? null;
  const text = Buffer.from(signedText(request.method, request.target, time, nonce, request.rawBody));
  const isSigned = verify(key ?? dummyKey, text, signature);
  if (terminal === undefined || key === null || !isSigned) throw new Refusal('signature_invalid');
  if (Math.abs(Number(time) * second - request.at) > tolerance)
    throw new Refusal('signature_time', { extra: { server_time: formatInstant(request.at) } });
  return { kind: 'terminal', terminal, nonce, request: createHash('sha256').update(text).digest('hex') };
}

/**
 * Asks again in the transaction of a write, during which the terminal stays as it is. Rights gained since the request
 * came apply from its next one.
 * @throws Refusal `signature_invalid` it was removed or has another key; `unavailable` it was stopped
 */
export async function keepTerminalKey(tx: Reader, { terminal: before }: TerminalCaller): Promise<void> {
  const terminal = await keepTerminal(tx, before.id);
  if (terminal === undefined || !isDeepStrictEqual(terminal.public_key, before.public_key))
    throw new Refusal('signature_invalid', { noCredentialTried: true });
  const isUnconfirmed = before.confirmed_at !== null && terminal.confirmed_at === null;
  const isStopped = before.key_copied_at === null && terminal.key_copied_at !== null;
  if (isUnconfirmed || isStopped) throw rightsChanged();
}

/** The value of a header that occurs exactly once and has the documented format. */
function singleHeader({ rawHeaders }: Pick<IncomingRequest, 'rawHeaders'>, name: string, form: RegExp): string {
  let value: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.toLowerCase() !== name) continue;
    if (value !== undefined) throw new Refusal('terminal_unknown');
    value = rawHeaders[index + 1];
  }
  if (value === undefined || !form.test(value)) throw new Refusal('terminal_unknown');
  return value;
}

/**
 * Runs the effect of a signed request in one transaction with its nonce. If the process stops before the commit,
 * neither exists and the terminal can send the same bytes again; after it, both do. A refusal uses up the nonce too: a
 * refused request must not succeed later by being replayed. The nonce is a change too: an effect that appends no audit
 * entry says why.
 * @param keeps the kept answer for the very same request after a lost answer: the result and refusals, or refusals only
 * if the result is still to come
 * @throws Refusal `nonce_reused`, with `outcome` if one is kept; otherwise as the effect
 */
export async function onceForNonce<Result>(
  db: Store,
  caller: TerminalCaller,
  at: Instant,
  effect: (write: Write) => Promise<Result>,
  keeps?: ((result: Result) => Outcome | undefined) | 'refusals',
): Promise<Result> {
  const { terminal } = caller;
  try {
    return await db.write({ actor: { kind: 'terminal', id: terminal.id, name: terminal.name }, at }, async (write) => {
      await spend(write, caller, at);
      const result = await effect(write);
      const outcome = typeof keeps === 'function' ? keeps(result) : undefined;
      if (outcome !== undefined) await keepOutcome(write, caller, outcome);
      return result;
    });
  } catch (error) {
    if (error instanceof Refusal && error.code !== 'nonce_reused')
      await db.runMaintenance('nonce of a refused request', async (tx) => {
        await spend(tx, caller, at);
        if (keeps !== undefined) await keepOutcome(tx, caller, { result: 'refused', code: error.code });
      });
    throw error;
  }
}

/** @throws Refusal `nonce_reused` */
async function spend(tx: Transaction, { terminal, nonce, request }: TerminalCaller, at: Instant): Promise<void> {
  const row = { terminal_id: terminal.id, nonce, at, request, outcome: null };
  if (await spendNonce(tx, row)) return;
  const usedNonce = await findUsedNonce(tx, terminal.id, nonce);
  throw usedNonce?.request === request && usedNonce.outcome !== null
    ? new Refusal('nonce_reused', { extra: { outcome: JSON.parse(usedNonce.outcome) as Outcome } })
    : new Refusal('nonce_reused');
}

/** Keeps the outcome of a request. */
export function keepOutcome(tx: Transaction, { terminal, nonce }: TerminalCaller, outcome: Outcome): Promise<void> {
  return saveOutcome(tx, terminal.id, nonce, JSON.stringify(outcome));
}
