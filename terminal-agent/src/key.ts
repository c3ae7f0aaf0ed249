import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { getPublicKey, hashes, sign } from '@noble/ed25519';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import { ConfigurationFaults } from './config.js';
import { createWhole, readIfThere, writeWhole } from './state-file.js';

hashes.sha512 = sha512;

/** The terminal's key pair. The private half stays inside. */
export interface TerminalKey {
  /** 32 bytes, RFC 8032. */
  readonly publicKey: Uint8Array;
  /** Shown by the device and on the terminal's page: `XXXX-XXXX-XXXX-XXXX`. */
  readonly fingerprint: string;
  /** Ed25519 signature of 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/** Bytes from the operating system's random number generator. */
export type RandomBytes = (length: number) => Uint8Array;

const seedText = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=\n$/;

/** The key file in a state folder: the 32-byte seed of RFC 8032 in base64, one line, mode 0600. */
export function keyFile(stateFolder: string): string {
  return join(stateFolder, 'terminal.key');
}

/**
 * Reads the key, or makes one if there is none. Two processes that start at once end up with the same key.
 *
 * @throws {ConfigurationFaults} if the file is damaged or others may read it.
 */
export async function loadOrCreateKey(stateFolder: string, random: RandomBytes): Promise<TerminalKey> {
  const path = keyFile(stateFolder);
  const text = (await readIfThere(path)) ?? (await createKey(path, random));
  if (!seedText.test(text))
    throw new ConfigurationFaults([
      `${path} is damaged: restore it from a backup, or remove it and pair the terminal again`,
    ]);
  const { mode } = await stat(path);
  // Windows keeps no such bits; there the folder's rights decide.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new ConfigurationFaults([
      `${path} can be read by others: run chmod 600 on it, and pair again with --new-key if someone may have copied it`,
    ]);
  }
  return keyFromSeed(Uint8Array.from(Buffer.from(text, 'base64')));
}

/** A new key pair that takes the place of the old one only when it is saved: after the service has registered it. */
export function newKey(random: RandomBytes): TerminalKey & { save(stateFolder: string): Promise<void> } {
  const line = seedLine(random);
  return {
    ...keyFromSeed(Uint8Array.from(Buffer.from(line, 'base64'))),
    save: (stateFolder) => writeWhole(keyFile(stateFolder), line),
  };
}

/** @param seed the 32-byte private key of RFC 8032. */
export function keyFromSeed(seed: Uint8Array): TerminalKey {
  const publicKey = getPublicKey(seed);
  return { publicKey, fingerprint: fingerprintOf(publicKey), sign: (message) => sign(message, seed) };
}

/** First ten bytes of SHA-256 over the public key, in Crockford base32, in four groups. */
export function fingerprintOf(publicKey: Uint8Array): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  let number = BigInt(`0x${Buffer.from(sha256(publicKey).subarray(0, 10)).toString('hex')}`);
  let text = '';
  for (let digit = 0; digit < 16; digit += 1) {
    text = digits[Number(number % 32n)]! + (digit > 0 && digit % 4 === 0 ? '-' : '') + text;
    number /= 32n;
  }
  return text;
}

async function createKey(path: string, random: RandomBytes): Promise<string> {
  const line = seedLine(random);
  if (await createWhole(path, line)) return line;
  return (await readIfThere(path)) ?? '';
}

function seedLine(random: RandomBytes): string {
  return `${Buffer.from(random(32)).toString('base64')}\n`;
}
