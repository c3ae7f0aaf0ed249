/**
 * Signed requests of terminals. The order: terminal known → signature → time → (the effect) → nonce, used up in the
 * effect's transaction. An invalid signature uses up no nonce; an unknown terminal and an invalid signature get the
 * same response after the same time.
 */

import { createHash, generateKeyPairSync } from 'node:crypto';
import { fromBase64 } from '@clockproof/platform/bytes/encoding';
import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { IncomingRequest } from '@clockproof/platform/http/api';
import { formatInstant, type Instant, minute, second } from '@clockproof/platform/time/instant';
import { Refusal } from '../refusal.js';
import type { Store, Write } from '../write/write.js';
import { verifySignature } from './ed25519.js';
import { findTerminal, spendNonce, type TerminalRow } from './rows.js';

const tolerance = minute;
/** A request dated a minute ahead can be replayed for two minutes; nonces are kept a little longer. */
const nonceLifetime = 3 * minute;

export interface TerminalCaller {
  readonly kind: 'terminal';
  readonly terminal: TerminalRow;
  readonly nonce: string;
}

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
 * @throws Refusal `terminal_unknown` headers missing, repeated or malformed; `signature_invalid`; `signature_time` with
 * `server_time`
 */
export async function authenticateTerminal(
  reader: Reader,
  request: Pick<IncomingRequest, 'method' | 'target' | 'rawHeaders' | 'rawBody' | 'at'>,
): Promise<TerminalCaller> {
  const id = only(request, 'service-terminal', /^trm_[A-Za-z0-9]{1,60}$/);
  const time = only(request, 'service-time', /^(?:0|[1-9][0-9]{0,11})$/);
  const nonce = only(request, 'service-nonce', /^[A-Za-z0-9_-]{16,64}$/);
  const signature = fromBase64(only(request, 'service-signature', /^[A-Za-z0-9+/]{86}==$/));
  if (signature === undefined) throw new Refusal('terminal_unknown');

  const terminal = await findTerminal(reader, id);
  const key = terminal?.public_key ?? null;
  const signed = verifySignature(
    key ?? dummyKey,
    Buffer.from(signedText(request.method, request.target, time, nonce, request.rawBody)),
    signature,
  );
  if (terminal === undefined || key === null || !signed) throw new Refusal('signature_invalid');
  if (Math.abs(Number(time) * second - request.at) > tolerance)
    throw new Refusal('signature_time', { extra: { server_time: formatInstant(request.at) } });
  return { kind: 'terminal', terminal, nonce };
}

/** The value of a header that occurs exactly once and has the documented format. */
function only({ rawHeaders }: Pick<IncomingRequest, 'rawHeaders'>, name: string, form: RegExp): string {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]!.toLowerCase() !== name) continue;
    if (found !== undefined) throw new Refusal('terminal_unknown');
    found = rawHeaders[index + 1];
  }
  if (found === undefined || !form.test(found)) throw new Refusal('terminal_unknown');
  return found;
}

/**
 * Runs the effect of a signed request in one transaction with its nonce. If the process stops before the commit,
 * neither exists and the terminal can send the same bytes again; after it, both do. A refusal uses up the nonce too: a
 * refused request must not succeed later by being replayed. The nonce is a change too: an effect that appends no audit
 * entry says why.
 * @throws Refusal `nonce_reused`, or what the effect throws
 */
export async function onceForNonce<Result>(
  db: Store,
  { terminal, nonce }: TerminalCaller,
  at: Instant,
  effect: (write: Write) => Promise<Result>,
): Promise<Result> {
  const spend = async (tx: Transaction) => {
    if (!(await spendNonce(tx, terminal.id, nonce, at, at - nonceLifetime))) throw new Refusal('nonce_reused');
  };
  try {
    return await db.write({ actor: { kind: 'terminal', id: terminal.id, name: terminal.name }, at }, async (write) => {
      await spend(write);
      return effect(write);
    });
  } catch (error) {
    if (error instanceof Refusal && error.code !== 'nonce_reused')
      await db.maintain('nonce of a refused request', spend);
    throw error;
  }
}
