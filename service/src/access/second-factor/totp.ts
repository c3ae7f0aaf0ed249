/**
 * One-time passwords: HOTP (RFC 4226) with SHA-1 and TOTP (RFC 6238), six digits, steps of 30 seconds - supported by
 * every authenticator app. otplib calculates and compares them.
 */
import { type Instant, second } from '@clockproof/platform/time/instant';
import { generateSync, ScureBase32Plugin, verifySync } from 'otplib';

const stepSeconds = 30;
/** RFC 6238 §5.2: one step on either side, for clock differences and slow typing. */
const toleranceSeconds = stepSeconds;

/** 20 bytes: the length of the hash, as RFC 4226 §4 R6 recommends. */
export const totpSecretBytes = 20;

export function stepAt(at: Instant): number {
  return Math.floor(at / (stepSeconds * second));
}

/** RFC 4226 §5.3 */
export function oneTimePassword(secret: Uint8Array, counter: number, digits: 6 | 8 = 6): string {
  return generateSync({ strategy: 'hotp', secret, counter, digits });
}

/** The step of this code, within the tolerance around `at`. Codes are compared in constant time. */
export function matchingStep(secret: Uint8Array, code: string, at: Instant): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const epoch = Math.floor(at / second);
  const result = verifySync({ secret, token: code, epoch, epochTolerance: toleranceSeconds });
  return result.valid ? stepAt(at) + result.delta : undefined;
}

const base32 = new ScureBase32Plugin();

/** RFC 4648 §6, without padding. */
export function toBase32(bytes: Uint8Array): string {
  return base32.encode(bytes, { padding: false });
}

/** Content of the QR code (the de facto "Key Uri Format"): issuer and account let the app label the entry. */
export function enrolmentUri(secret: Uint8Array, account: string, issuer = 'Clockproof'): string {
  return `otpauth://totp/${encodeURIComponent(issuer)}:${encodeURIComponent(account)}?secret=${toBase32(secret)}&issuer=${encodeURIComponent(issuer)}&algorithm=SHA1&digits=6&period=30`;
}
