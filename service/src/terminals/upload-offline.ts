/**
 * Stamps that a terminal recorded while it could not reach the service. Each number of the terminal's key is taken once,
 * and each stamp once whatever its number. The card proved nothing: what is accepted waits for approval.
 */

import { hour, type Instant, minute, parseInstant } from '@clockproof/platform/time/instant';
import type { StampKind } from '../clock/clock-state.js';
import { recordOfflineStamp } from '../clock/offline-stamps.js';
import type { components } from '../generated/service-types.js';
import { findPerson } from '../people/rows.js';
import { invalidField } from '../store/refusal.js';
import type { DataKey } from '../store/sealing/data-key.js';
import type { Write } from '../store/write.js';
import { uidHash } from './badges/badges.js';
import { type BadgeRow, findBadge } from './badges/rows.js';
import {
  findNumber,
  highestNumber,
  insertOfflineStamp,
  type OfflineStampRow,
  type TerminalKey,
  wasRecorded,
} from './offline-rows.js';
import { openSealed, x25519PrivateKey, x25519PublicBytes } from './open-sealed.js';
import { lockTerminal, servesDepartment, type TerminalRow } from './rows.js';

type Schemas = components['schemas'];
export type SentStamp = Schemas['OfflineStamp'];
type Result = OfflineStampRow['result'];

const oldest = 72 * hour;
const tolerance = minute;
const label = Buffer.from('service-terminal-offline-v1');
const sealedForm = { uid: /^[0-9A-Fa-f]{14}$/, action: /^(?:in|out|break_start|break_end)$/ };

/** What a stamp says, once it is open. */
interface Content {
  readonly uid: string;
  readonly action: StampKind;
  readonly at: Instant;
}

interface ReadStamp {
  readonly number: number;
  /** Undefined if it cannot be decrypted. */
  readonly content: Content | undefined;
  readonly hash: string;
  /** Of the card, if there is one. */
  readonly badge: BadgeRow | undefined;
}

/** The X25519 key to which a terminal seals; made from DATA_KEY, so that no row has to keep it. */
function sealKeyOf(dataKey: DataKey, terminalId: string) {
  return x25519PrivateKey(Buffer.from(dataKey.hash('offline seal key', terminalId), 'hex'));
}

/** What the terminal encrypts its offline stamps to: 32 bytes in base64. */
export function sealKeyFor(dataKey: DataKey, terminalId: string): string {
  return x25519PublicBytes(sealKeyOf(dataKey, terminalId)).toString('base64');
}

/**
 * One transaction for the whole batch: if the process stops before the commit, none of it was taken and the device sends
 * it again; after it, every result is final. The terminal is locked, so that two uploads of one batch run one after the
 * other.
 * @throws Refusal `invalid_request` a stamp is neither plain nor sealed
 */
export async function uploadOfflineStamps(
  write: Write,
  dataKey: DataKey,
  terminal: TerminalRow,
  stamps: readonly SentStamp[],
): Promise<Schemas['OfflineStampReceipt']> {
  stamps.forEach(refuseMixed);
  await lockTerminal(write, terminal.id);
  const key: TerminalKey = { terminalId: terminal.id, fingerprint: terminal.fingerprint! };
  const read: ReadStamp[] = [];
  for (const stamp of stamps) read.push(await readStamp(write, dataKey, terminal, stamp));
  const people = new Set(read.flatMap(({ badge }) => (badge?.state === 'active' ? [badge.person_id] : [])));
  await write.lock({ people: [...people] });
  const before = await highestNumber(write, key);
  const results: Schemas['OfflineStampResult'][] = [];
  let audited = false;
  for (const stamp of read) {
    const outcome = await take(write, terminal, key, stamp);
    audited ||= outcome.audited;
    results.push({ number: stamp.number, result: outcome.result });
  }
  const last = await highestNumber(write, key);
  let expected = before + 1;
  for (const number of [...new Set(read.map((stamp) => stamp.number))].sort((a, b) => a - b)) {
    if (number > expected) {
      audited = true;
      await write.audit({
        companyId: terminal.company_id,
        action: 'offline_stamp.missing',
        subject: `terminal ${terminal.id}`,
        details: { from: expected, to: number - 1 },
      });
    }
    expected = Math.max(expected, number + 1);
  }
  if (!audited) write.unaudited('repeated');
  return { results, last_number: last };
}

/** @throws Refusal `invalid_request` */
function refuseMixed({ uid, action, at, sealed }: SentStamp, index: number): void {
  const plain = [uid, action, at].filter((member) => member !== undefined).length;
  if (plain !== (sealed === undefined ? 3 : 0))
    throw invalidField(`stamps[${index}]`, 'format', 'A stamp has uid, action and at, or sealed, and not both.');
}

async function readStamp(write: Write, dataKey: DataKey, terminal: TerminalRow, sent: SentStamp): Promise<ReadStamp> {
  const content = sent.sealed === undefined ? contentOf(sent) : openStamp(dataKey, terminal.id, sent);
  const canonical = content === undefined ? `sealed ${sent.sealed}` : `${content.uid} ${content.action} ${content.at}`;
  return {
    number: sent.number,
    content,
    hash: dataKey.hash(`offline stamp ${terminal.company_id}`, canonical),
    badge:
      content === undefined
        ? undefined
        : await findBadge(
            write,
            terminal.company_id,
            uidHash(dataKey, terminal.company_id, Buffer.from(content.uid, 'hex')),
          ),
  };
}

function openStamp(dataKey: DataKey, terminalId: string, { number, sealed }: SentStamp): Content | undefined {
  const context = { info: label, aad: Buffer.from(`${terminalId}\n${number}`) };
  const plain = openSealed(sealKeyOf(dataKey, terminalId), context, Buffer.from(sealed!, 'base64'));
  if (plain === undefined) return undefined;
  try {
    return contentOf(JSON.parse(plain.toString()));
  } catch {
    return undefined;
  }
}

/** @returns undefined if it does not have the documented form, which only a sealed one can lack */
function contentOf(value: unknown): Content | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { uid, action, at } = value as Record<string, unknown>;
  if (typeof uid !== 'string' || typeof action !== 'string' || typeof at !== 'string') return undefined;
  const instant = parseInstant(at);
  return sealedForm.uid.test(uid) && sealedForm.action.test(action) && instant !== undefined
    ? { uid: uid.toLowerCase(), action: action as StampKind, at: instant }
    : undefined;
}

interface Taken {
  readonly result: Schemas['OfflineStampResult']['result'];
  readonly audited: boolean;
}

async function take(write: Write, terminal: TerminalRow, key: TerminalKey, stamp: ReadStamp): Promise<Taken> {
  const known = await findNumber(write, key, stamp.number);
  if (known !== undefined && known.content_hash === stamp.hash)
    return { result: known.result === 'accepted' ? 'duplicate' : known.result, audited: false };
  if (known !== undefined) {
    await write.audit({
      companyId: terminal.company_id,
      action: 'offline_stamp.conflict',
      subject: `terminal ${terminal.id}`,
      details: { number: stamp.number },
    });
    return { result: 'conflict', audited: true };
  }
  const judged = await judge(write, terminal, stamp);
  const row = {
    terminal_id: key.terminalId,
    key_fingerprint: key.fingerprint,
    number: stamp.number,
    content_hash: stamp.hash,
    received_at: write.at,
  };
  if ('accepted' in judged) {
    const { content, person } = judged.accepted;
    const entry = await recordOfflineStamp(write, person, {
      kind: content.action,
      stampedAt: content.at,
      terminal: { id: terminal.id, name: terminal.name },
    });
    await insertOfflineStamp(write, { ...row, result: 'accepted', entry_id: entry.id });
    await write.audit({
      companyId: terminal.company_id,
      action: 'offline_stamp.recorded',
      subject: `person ${person.id}`,
      details: { entry: entry.id, number: stamp.number, action: content.action },
    });
    return { result: 'accepted', audited: true };
  }
  await insertOfflineStamp(write, { ...row, result: judged.result, entry_id: null });
  await write.audit({
    companyId: terminal.company_id,
    action: 'offline_stamp.refused',
    subject: `terminal ${terminal.id}`,
    details: {
      number: stamp.number,
      reason: judged.reason,
      ...(stamp.badge === undefined ? {} : { person: stamp.badge.person_id }),
    },
  });
  return { result: judged.result, audited: true };
}

/** Whether a stamp with a new number is taken, and if not, why. Only the audit log gets the reason. */
async function judge(write: Write, terminal: TerminalRow, { content, hash, badge }: ReadStamp) {
  const refused = (result: Exclude<Result, 'accepted'>, reason: string = result) => ({ result, reason });
  if (content === undefined) return refused('unknown_card', 'unreadable');
  if (content.at > write.at + tolerance) return refused('in_future');
  if (content.at < write.at - oldest) return refused('too_old');
  if (badge === undefined) return refused('unknown_card');
  if (badge.state !== 'active')
    return refused('unknown_card', badge.state === 'blocked' ? 'blocked_badge' : 'not_issued');
  if (await wasRecorded(write, terminal.id, hash)) return refused('duplicate');
  const person = await findPerson(write, badge.person_id, { company: terminal.company_id });
  if (person === undefined) return refused('unknown_card', 'person_gone');
  if (!(await servesDepartment(write, terminal.id, person.department_id)))
    return refused('unknown_card', 'department_not_allowed');
  return { accepted: { content, person } };
}
