/**
 * Secrets that the service issues and recognises by their hash: 32 base62 digits (190 bits) after a prefix that names
 * their type.
 */

import { hash } from 'node:crypto';
import { base62, type RandomBytes } from '@clockproof/platform/bytes/random-text';

export function newSecret(prefix: string, randomBytes: RandomBytes): string {
  return `${prefix}${base62(32, randomBytes)}`;
}

/** SHA-256 in hex. A fast hash is enough, because 190 bits cannot be guessed. */
export function hashOfSecret(text: string): string {
  return hash('sha256', text);
}
