/**
 * Pairing a device as a terminal: an admin adds it and gets a code for ten minutes; the device sends the code and its
 * public key; both show the key's fingerprint; the admin compares and confirms. Until then, the device can only request
 * its status.
 */

import { createHash } from 'node:crypto';
import { fromBase64 } from '@clockproof/platform/bytes/encoding';
import {
  base62,
  crockford,
  type RandomBytes,
  readCrockford,
  toCrockford,
} from '@clockproof/platform/bytes/random-text';
import { minute } from '@clockproof/platform/time/instant';
import { isAcceptablePublicKey } from '../access/ed25519.js';
import type { CompanyId, TerminalId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import {
  confirmKey,
  countWrongCode,
  findTerminal,
  insertTerminal,
  isKeyTaken,
  lockPairing,
  registerKey,
  saveDepartments,
  savePairingCode,
  type TerminalRow,
  takePairingCode,
} from './rows.js';

const codeLifetime = 10 * minute;
const maxWrongTries = 10;
/** Seconds. */
const defaultRepeatLock = 60;
/** The first group of a code finds it; an attacker has to guess the second. */
const lookupDigits = 4;

export interface NewTerminal {
  readonly companyId: CompanyId;
  readonly name: string;
  readonly location?: string;
  /** Departments that can stamp here; none means everyone. */
  readonly departments?: readonly number[];
  readonly showInfo?: boolean;
  readonly infoWithoutPin?: boolean;
  readonly badgeAndPin?: boolean;
  /** For so long a second stamp of the same kind only shows the first; 60 if absent. */
  readonly repeatLockSeconds?: number | undefined;
  readonly issuingAllowed?: boolean;
}

export type HashCode = (code: string) => string;

export async function addTerminal(write: Write, terminal: NewTerminal, randomBytes: RandomBytes): Promise<string> {
  const { at } = write;
  const id = `trm_${base62(16, randomBytes)}`;
  await insertTerminal(write, {
    id,
    company_id: terminal.companyId,
    name: terminal.name,
    location: terminal.location ?? null,
    public_key: null,
    fingerprint: null,
    device: null,
    confirmed_at: null,
    show_info: terminal.showInfo === true ? 1 : 0,
    info_without_pin: terminal.infoWithoutPin === true ? 1 : 0,
    badge_and_pin: terminal.badgeAndPin === true ? 1 : 0,
    repeat_lock_seconds: terminal.repeatLockSeconds ?? defaultRepeatLock,
    issuing_allowed: terminal.issuingAllowed === true ? 1 : 0,
    created_at: at,
    confirmed_by: null,
    last_seen_at: null,
    agent_version: null,
    reader: null,
    reader_state: null,
    clock_offset_ms: null,
    offline_waiting: null,
    proofs_stopped_at: null,
    key_copied_at: null,
    copied_fingerprint: null,
    removed_at: null,
  });
  await saveDepartments(write, id, terminal.departments ?? []);
  await write.audit({
    companyId: terminal.companyId,
    action: 'terminal.added',
    subject: `terminal ${id}`,
  });
  return id;
}

/** A new pairing code, shown once. The registered key is removed. @returns `7K3M-Q9XT` */
export async function issuePairingCode(
  write: Write,
  terminalId: TerminalId,
  companyId: CompanyId,
  randomBytes: RandomBytes,
  hashCode: HashCode,
): Promise<string> {
  const { at } = write;
  const terminal = await findTerminal(write, terminalId);
  if (terminal === undefined || terminal.company_id !== companyId) throw new Refusal('not_found');
  // 40 bits.
  const digits = crockford(8, randomBytes);
  await savePairingCode(write, terminalId, hashesOf(digits, hashCode), at + codeLifetime);
  await write.audit({ companyId, action: 'terminal.pairing_code', subject: `terminal ${terminalId}` });
  return `${digits.slice(0, 4)}-${digits.slice(4)}`;
}

function hashesOf(digits: string, hashCode: HashCode): { readonly hash: string; readonly lookup_hash: string } {
  return { hash: hashCode(digits), lookup_hash: hashCode(digits.slice(0, lookupDigits)) };
}

export type Pairing = { readonly terminal: TerminalRow } | { readonly refused: 'pairing_code_invalid' };

/**
 * Registers a device's key with a code. A wrong code is an outcome, not an exception, because the attempt must be
 * counted: against the code that its first characters name, never against other codes.
 * @throws Refusal `public_key_weak` before the code is checked; `public_key_in_use` another terminal has the key, or
 * two devices used it. Both leave the code usable.
 */
export async function pairDevice(
  write: Write,
  request: {
    readonly code: string;
    readonly publicKey: string;
    readonly device: string | undefined;
  },
  hashCode: HashCode,
): Promise<Pairing> {
  const { at } = write;
  const key = fromBase64(request.publicKey);
  if (key === undefined || !isAcceptablePublicKey(key)) throw new Refusal('public_key_weak');
  const { hash, lookup_hash: lookupHash } = hashesOf(readCrockford(request.code), hashCode);
  const terminalId = await takePairingCode(write, hash, maxWrongTries, at);
  if (terminalId === undefined) {
    const pairing = await countWrongCode(write, lookupHash, at);
    await write.audit({
      ...(pairing === undefined ? {} : { companyId: pairing.company_id, subject: `terminal ${pairing.terminal_id}` }),
      action: 'terminal.pairing_refused',
      details: pairing === undefined ? undefined : { wrong_tries: pairing.wrong_tries },
    });
    return { refused: 'pairing_code_invalid' };
  }
  // Only a device with a valid code learns that a key is known. The refusal takes back that the code was used.
  await lockPairing(write);
  const fingerprint = fingerprintOf(key);
  if (await isKeyTaken(write, key, fingerprint)) throw new Refusal('public_key_in_use');
  const terminal = await registerKey(write, terminalId, key, fingerprint, request.device ?? null);
  await write.audit({
    companyId: terminal.company_id,
    actor: { kind: 'terminal', id: terminalId, name: terminal.name },
    action: 'terminal.paired',
    subject: `terminal ${terminalId}`,
    details: { fingerprint },
  });
  return { terminal };
}

/** First 80 bits of SHA-256 of the key, as people compare them: `AS3N-N9TM-CD3M-R0M5`. */
export function fingerprintOf(publicKey: Uint8Array): string {
  const digits = toCrockford(createHash('sha256').update(publicKey).digest().subarray(0, 10));
  return digits.match(/.{4}/g)!.join('-');
}

/**
 * The admin has seen the same fingerprint on both screens. @throws Refusal `not_found` no such terminal,
 * `fingerprint_mismatch` no device waits, or another key has been registered meanwhile
 */
export async function confirmTerminal(
  write: Write,
  terminalId: TerminalId,
  companyId: CompanyId,
  fingerprint: string,
): Promise<void> {
  const { at } = write;
  const terminal = await findTerminal(write, terminalId);
  if (terminal === undefined || terminal.company_id !== companyId) throw new Refusal('not_found');
  const by = write.actor.kind === 'person' ? Number(write.actor.id) : null;
  if ((await confirmKey(write, terminalId, companyId, fingerprint, by, at)) === 0)
    throw new Refusal('fingerprint_mismatch');
  await write.audit({
    companyId,
    action: 'terminal.confirmed',
    subject: `terminal ${terminalId}`,
    details: { fingerprint },
  });
}
