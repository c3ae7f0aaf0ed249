/**
 * One-time passwords: HOTP (RFC 4226) with SHA-1 and TOTP (RFC 6238), six digits, steps of 30 seconds - supported by
 * every authenticator app.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Instant, second } from '@clockproof/platform/time/instant';

const stepMilliseconds = 30 * second;
/** RFC 6238 §5.2: one step on either side, for clock differences and slow typing. */
const tolerance = 1;

/** 20 bytes: the length of the hash, as RFC 4226 §4 R6 recommends. */
export const totpSecretBytes = 20;

export function stepAt(at: Instant): number {
  return Math.floor(at / stepMilliseconds);
}

/** RFC 4226 §5.3 */
export function oneTimePassword(secret: Uint8Array, counter: number, digits = 6): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(counter));
  const mac = createHmac('sha1', secret).update(message).digest();
  const offset = mac[19]! & 0x0f;
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** The step of this code, within the tolerance around `at`; every candidate is compared, even after a match. */
export function matchingStep(secret: Uint8Array, code: string, at: Instant): number | undefined {
  let found: number | undefined;
  for (let step = stepAt(at) - tolerance; step <= stepAt(at) + tolerance; step++) {
    const expected = oneTimePassword(secret, step);
    if (code.length === expected.length && timingSafeEqual(Buffer.from(code), Buffer.from(expected))) found = step;
  }
  return found;
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 §6, without padding. */
export function toBase32(bytes: Uint8Array): string {
  let text = '';
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(held >> bits) & 31];
      held &= (1 << bits) - 1;
    }
  }
  return bits === 0 ? text : text + alphabet[(held << (5 - bits)) & 31];
}

/** Content of the QR code (the de facto "Key Uri Format"): issuer and account let the app label the entry. */
export function enrolmentUri(secret: Uint8Array, account: string, issuer = 'Clockproof'): string {
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`;
}
