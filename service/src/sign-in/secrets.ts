/**
 * Secrets that the service hands out and knows again by their hash: 32 base62 digits (190 bits) behind a prefix that
 * says what they are.
 */

import { hash } from 'node:crypto';
import { base62, type RandomBytes } from '@clockproof/platform/bytes/random-text';

export function newSecret(prefix: string, randomBytes: RandomBytes): string {
  return `${prefix}${base62(32, randomBytes)}`;
}

/** SHA-256 in hex. A fast hash is enough: nobody can try out 190 bits. */
export function hashOfSecret(text: string): string {
  return hash('sha256', text);
}
