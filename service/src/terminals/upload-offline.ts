/**
 * Stamps that a terminal recorded while it could not reach the service. Each number of the terminal's key is taken
 * once, and each stamp once, even under another number. The card proved nothing: accepted stamps wait for approval. The
 * door has confirmed each of them, so an unacceptable one is kept as an unresolved stamp.
 */

import type { KeyObject } from 'node:crypto';
import { hour, type Instant, minute, parseInstant, second } from '@clockproof/platform/time/instant';
import type { StampKind } from '../clock/clock-state.js';
import { recordOfflineStamp } from '../clock/offline-stamps.js';
import { countWaitingStamps, findStampByContent, type UnresolvedStampRow } from '../clock/unresolved-stamp-rows.js';
import { keepUnresolvedStamp } from '../clock/unresolved-stamps.js';
import type { components } from '../generated/service-types.js';
import { findPerson, type PersonRow } from '../people/rows.js';
import { invalidField } from '../store/refusal.js';
import type { DataKey } from '../store/sealing/data-key.js';
import type { Write } from '../store/write.js';
import { uidHash } from './badges/badges.js';
import { type BadgeRow, listBadgesOfCard } from './badges/rows.js';
import {
  countAcceptedSince,
  findNumber,
  hasSealed,
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
type Result = Schemas['OfflineStampResult']['result'];
type Reason = UnresolvedStampRow['reason'];

const maxAge = 72 * hour;
const tolerance = minute;
/** Accepted stamps of one person at one terminal within {@link maxAge}. */
const maxOfPerson = 100;
/** Stamps of one terminal that await a decision. */
const maxUnresolved = 1_000;
/** Largest gap between a number and the series: a lost journal leaves a smaller one. */
const maxGap = 10_000;
const label = Buffer.from('service-terminal-offline-v1');
const sealedForm = { uid: /^[0-9A-Fa-f]{14}$/, action: /^(?:in|out|break_start|break_end)$/ };

/** The content of a stamp, once it is open. */
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
  /** As it arrived, if it was encrypted. */
  readonly sealed: string | undefined;
  readonly cardHash: string | undefined;
  readonly isKnownCard: boolean;
  /** The badge of the card at the time of the stamp. */
  readonly badge: BadgeRow | undefined;
}

/** The X25519 key to which a terminal seals; made from DATA_KEY, so that no row has to keep it. */
function sealKeyOf(dataKey: DataKey, terminalId: string) {
  return x25519PrivateKey(Buffer.from(dataKey.hash('offline seal key', terminalId), 'hex'));
}

/** The public key to which the terminal encrypts its offline stamps: 32 bytes in base64. */
export function sealKeyFor(dataKey: DataKey, terminalId: string): string {
  return x25519PublicBytes(sealKeyOf(dataKey, terminalId)).toString('base64');
}

/**
 * One transaction for the whole batch: if the process stops before the commit, none of it was taken and the device
 * sends it again; after it, every result but `deferred` is final. The terminal is locked, so that two uploads of one
 * batch run one after the other.
 * @throws Refusal `invalid_request` a stamp is neither plain nor sealed
 */
export async function storeOfflineStamps(
  write: Write,
  dataKey: DataKey,
  terminal: TerminalRow,
  stamps: readonly SentStamp[],
): Promise<Schemas['OfflineStampReceipt']> {
  stamps.forEach(refuseMixed);
  await lockTerminal(write, terminal.id);
  const key: TerminalKey = { terminalId: terminal.id, fingerprint: terminal.fingerprint! };
  const keys = { dataKey, sealKey: sealKeyOf(dataKey, terminal.id) };
  const readStamps: ReadStamp[] = [];
  for (const stamp of stamps) readStamps.push(await readStamp(write, keys, terminal, stamp));
  const people = new Set(readStamps.flatMap(({ badge }) => (badge === undefined ? [] : [badge.person_id])));
  await write.lock({ people: [...people] });
  const lastNumber = await highestNumber(write, key);
  const results: Schemas['OfflineStampResult'][] = [];
  let isAudited = false;
  for (const stamp of readStamps) {
    const result = await take(write, terminal, key, stamp);
    isAudited ||= result.audited;
    results.push({ number: stamp.number, result: result.result });
  }
  const last = await highestNumber(write, key);
  let nextNumber = lastNumber + 1;
  for (const number of [...new Set(readStamps.map((stamp) => stamp.number))].sort((a, b) => a - b)) {
    if (number > last) break;
    if (number > nextNumber) {
      isAudited = true;
      await write.audit({
        companyId: terminal.company_id,
        action: 'offline_stamp.missing',
        subject: `terminal ${terminal.id}`,
        details: { from: nextNumber, to: number - 1 },
      });
    }
    nextNumber = Math.max(nextNumber, number + 1);
  }
  if (!isAudited) write.unaudited('repeated');
  return { results, last_number: last };
}

/** @throws Refusal `invalid_request` */
function refuseMixed({ uid, action, at, sealed }: SentStamp, index: number): void {
  const plainCount = [uid, action, at].filter((member) => member !== undefined).length;
  if (plainCount !== (sealed === undefined ? 3 : 0))
    throw invalidField(`stamps[${index}]`, 'wrong_format', 'A stamp has uid, action and at, or sealed, and not both.');
}

async function readStamp(
  write: Write,
  { dataKey, sealKey }: { readonly dataKey: DataKey; readonly sealKey: KeyObject },
  terminal: TerminalRow,
  stamp: SentStamp,
): Promise<ReadStamp> {
  const { company_id: companyId } = terminal;
  const content = stamp.sealed === undefined ? contentOf(stamp) : openStamp(sealKey, terminal.id, stamp);
  const canonical = content === undefined ? `sealed ${stamp.sealed}` : `${content.uid} ${content.action} ${content.at}`;
  const cardHash = content && uidHash(dataKey, companyId, Buffer.from(content.uid, 'hex'));
  const badges = cardHash === undefined ? [] : await listBadgesOfCard(write, companyId, cardHash);
  return {
    number: stamp.number,
    content,
    hash: dataKey.hash(`offline stamp ${companyId}`, canonical),
    sealed: stamp.sealed,
    cardHash,
    isKnownCard: badges.length > 0,
    badge: content && badges.find((badge) => wasHeldAt(badge, content.at)),
  };
}

/** Whether the badge was in its person's hands; one that was blocked then still was. Stamps are in whole seconds. */
function wasHeldAt({ issued_at: issuedAt, returned_at: returnedAt }: BadgeRow, at: Instant): boolean {
  return issuedAt !== null && issuedAt < at + second && (returnedAt === null || at < returnedAt);
}

function openStamp(sealKey: KeyObject, terminalId: string, { number, sealed }: SentStamp): Content | undefined {
  const context = { info: label, aad: Buffer.from(`${terminalId}\n${number}`) };
  const plaintext = openSealed(sealKey, context, Buffer.from(sealed!, 'base64'));
  if (plaintext === undefined) return undefined;
  try {
    return contentOf(JSON.parse(plaintext.toString()));
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
  readonly result: Result;
  readonly audited: boolean;
}

async function take(write: Write, terminal: TerminalRow, key: TerminalKey, stamp: ReadStamp): Promise<Taken> {
  const { number, hash } = stamp;
  const row = await findNumber(write, key, number);
  if (row !== undefined && row.content_hash === hash)
    return { result: row.result === 'accepted' ? 'duplicate' : row.result, audited: false };
  const existingStamp = await findStampByContent(write, terminal.id, hash);
  const isKnown = existingStamp !== undefined || (await wasRecorded(write, terminal.id, hash));
  if (row !== undefined) return isKnown ? repetitionOf('conflict') : keep(write, terminal, key, stamp, 'conflict');
  if (number > (await highestNumber(write, key)) + maxGap)
    return isKnown ? repetitionOf('unexpected_number') : keep(write, terminal, key, stamp, 'unexpected_number');
  if (isKnown) {
    await insertOfflineStamp(write, { ...rowOf(write, key, stamp), result: 'duplicate', entry_id: null });
    return repetitionOf('duplicate');
  }
  const judgement = await judge(write, terminal, key, stamp);
  if ('reason' in judgement) return keep(write, terminal, key, stamp, judgement.reason);
  const { content, person } = judgement.accepted;
  const entry = await recordOfflineStamp(write, person, {
    kind: content.action,
    stampedAt: content.at,
    terminal: { id: terminal.id, name: terminal.name },
  });
  await insertOfflineStamp(write, { ...rowOf(write, key, stamp), result: 'accepted', entry_id: entry.id });
  await write.audit({
    companyId: terminal.company_id,
    action: 'offline_stamp.recorded',
    subject: `person ${person.id}`,
    details: { entry: entry.id, number, action: content.action },
  });
  return { result: 'accepted', audited: true };
}

const repetitionOf = (result: Result): Taken => ({ result, audited: false });

function rowOf(write: Write, { terminalId, fingerprint }: TerminalKey, { number, hash, content, sealed }: ReadStamp) {
  return {
    terminal_id: terminalId,
    key_fingerprint: fingerprint,
    number,
    content_hash: hash,
    received_at: write.at,
    sealed: content !== undefined && sealed !== undefined ? (1 as const) : (0 as const),
  };
}

/** Keeps a stamp as unresolved. A number that is taken, or that lies beyond the series, is not used up by it. */
async function keep(
  write: Write,
  terminal: TerminalRow,
  key: TerminalKey,
  stamp: ReadStamp,
  reason: Reason,
): Promise<Taken> {
  const { company_id: companyId } = terminal;
  const { content, badge, cardHash, sealed } = stamp;
  if ((await countWaitingStamps(write, companyId, terminal.id)) >= maxUnresolved) return repetitionOf('deferred');
  const result = resultOf(reason);
  if (result !== 'conflict' && result !== 'unexpected_number')
    await insertOfflineStamp(write, { ...rowOf(write, key, stamp), result, entry_id: null });
  await keepUnresolvedStamp(
    write,
    {
      company_id: companyId,
      terminal_id: terminal.id,
      terminal_name: terminal.name,
      key_fingerprint: key.fingerprint,
      number: stamp.number,
      content_hash: stamp.hash,
      reason,
      badge_id: badge?.id ?? null,
      card_hash: cardHash ?? null,
      action: content?.action ?? null,
      stamped_at: content?.at ?? null,
      sealed: content === undefined ? (sealed ?? null) : null,
    },
    await holderOf(write, terminal, stamp),
  );
  return { result, audited: true };
}

/** The result for the device, with less detail than for the people who decide. */
function resultOf(
  reason: Reason,
): Exclude<OfflineStampRow['result'], 'accepted' | 'duplicate'> | 'conflict' | 'unexpected_number' {
  switch (reason) {
    case 'not_issued':
    case 'blocked_badge':
    case 'department_not_allowed':
    case 'unreadable':
      return 'unknown_card';
    default:
      return reason;
  }
}

async function holderOf(
  write: Write,
  { company_id: company }: TerminalRow,
  { badge }: ReadStamp,
): Promise<PersonRow | undefined> {
  return badge === undefined ? undefined : findPerson(write, badge.person_id, { company });
}

/**
 * Decides whether a stamp with a new number is accepted, with the reason if not: by the badge of the card at its time.
 */
async function judge(
  write: Write,
  terminal: TerminalRow,
  key: TerminalKey,
  stamp: ReadStamp,
): Promise<
  { readonly accepted: { readonly content: Content; readonly person: PersonRow } } | { readonly reason: Reason }
> {
  const { content, badge, sealed } = stamp;
  if (content === undefined) return { reason: 'unreadable' };
  if (sealed === undefined && (await hasSealed(write, key))) return { reason: 'not_sealed' };
  if (content.at > write.at + tolerance) return { reason: 'in_future' };
  if (content.at < write.at - maxAge) return { reason: 'too_old' };
  const person = await holderOf(write, terminal, stamp);
  if (badge === undefined || person === undefined) return { reason: stamp.isKnownCard ? 'not_issued' : 'unknown_card' };
  // A badge that was unblocked counts as never blocked.
  if (badge.blocked_at !== null && badge.blocked_at <= content.at) return { reason: 'blocked_badge' };
  if (!(await servesDepartment(write, terminal.id, person.department_id))) return { reason: 'department_not_allowed' };
  if ((await countAcceptedSince(write, terminal.id, person.id, write.at - maxAge)) >= maxOfPerson)
    return { reason: 'too_many' };
  return { accepted: { content, person } };
}
