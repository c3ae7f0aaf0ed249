/** Signatures of Standard Webhooks 1.0: `v1,` and base64 of HMAC-SHA-256 over `{id}.{timestamp}.{body}`. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const prefix = 'whsec_';
/** 256 bits; the specification asks for 24 to 64 bytes. */
const secretBytes = 32;

export function createSecret(randomBytes: (size: number) => Uint8Array): string {
  return prefix + Buffer.from(randomBytes(secretBytes)).toString('base64');
}

/** The key in a secret, decoded once for many signatures. */
export function signingKey(secret: string): KeyObject {
  return createSecretKey(secret.slice(prefix.length), 'base64');
}

/**
 * The three headers of one attempt.
 * @param id of the event, the same for all attempts @param seconds the time of signing this attempt, since 1970
 * @param secrets `whsec_…` or their keys, newest first; after a rotation there are two, and a receiver needs only one
 * of them
 */
export function signedHeaders(
  id: string,
  seconds: number,
  body: Uint8Array,
  secrets: readonly (string | KeyObject)[],
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const signature = secrets.map((secret) => {
    const key = typeof secret === 'string' ? signingKey(secret) : secret;
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.`).update(body).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': String(seconds), 'webhook-signature': signature.join(' ') };
}
