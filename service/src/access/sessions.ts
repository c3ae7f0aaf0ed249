/**
 * Browser sessions: a random token in a cookie, stored as a hash. A session ends after the idle time of the company
 * (30 minutes to twelve hours) or twelve hours. Every sign-in step gives it a new token, so that an earlier token, planted or seen, is useless.
 */

import { base62, type RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import { hour, type Instant, minute } from '@clockproof/platform/time/instant';
import type { ErrorCode } from '../generated/contract.js';
import { type IdleSessionRow, type SessionRow, type SignedIn, shortestIdleMinutes } from '../people/caller.js';
import type { PersonRow } from '../people/rows.js';
import type { PersonId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { Transaction } from '../store/tables.js';
import type { Store, Write } from '../store/write.js';
import {
  deleteSessionsBefore,
  findSession,
  insertSession,
  keepActive,
  markAllEnded,
  markEnded,
  renewToken,
  touchSession,
} from './rows.js';
import { hashOfSecret, newSecret } from './secrets.js';

export const sessionMilliseconds = 12 * hour;
/** Last use is stored to the minute: at most one write per minute and session. */
const noteEvery = minute;

const form = /^cps_[0-9A-Za-z]{32}$/;

export interface NewSession {
  readonly id: string;
  readonly token: string;
}

/** The browser in which a person signs in. */
export interface Browser {
  readonly address: string;
  /** User-Agent */
  readonly device: string | undefined;
  /** Token of the browser's previous session, which ends. */
  readonly previousToken: string | undefined;
}

/**
 * Opens a session, whose second factor is still missing.
 * @param refusal for a person who may no longer sign in: their proof was checked before this transaction
 */
export async function openSession(
  tx: Transaction,
  {
    personId,
    openedBy,
    pendingBinding = null,
    address,
    device,
    previousToken,
    refusal,
  }: Browser & {
    readonly personId: PersonId;
    readonly openedBy: SessionRow['opened_by'];
    readonly pendingBinding?: string | null;
    readonly refusal: ErrorCode;
  },
  randomBytes: RandomBytes,
  at: Instant,
): Promise<NewSession> {
  if (!(await keepActive(tx, personId))) throw new Refusal(refusal);
  await endSessionOf(tx, previousToken, at);
  await deleteSessionsBefore(tx, at - 2 * sessionMilliseconds);
  const token = newSecret('cps_', randomBytes);
  const id = `ses_${base62(16, randomBytes)}`;
  await insertSession(tx, {
    id,
    token_hash: hashOfSecret(token),
    person_id: personId,
    stage: 'password',
    opened_by: openedBy,
    pending_binding: pendingBinding,
    created_at: at,
    last_seen_at: at,
    second_factor_at: null,
    device: deviceOf(device),
    address,
  });
  return { id, token };
}

/**
 * A new token for a living session.
 * @param stage `complete` the second factor was proven at this instant, `password` it is missing again, or the previous
 * stage
 * @throws Refusal `token_revoked` the session ended meanwhile
 */
export async function renewSession(
  tx: Transaction,
  id: string,
  stage: SessionRow['stage'] | { readonly keepProof: Instant | null },
  randomBytes: RandomBytes,
  at: Instant,
): Promise<string> {
  const token = newSecret('cps_', randomBytes);
  const provenAt = typeof stage === 'object' ? stage.keepProof : stage === 'complete' ? at : null;
  if (
    !(await renewToken(tx, {
      id,
      tokenHash: hashOfSecret(token),
      stage: stage === 'password' ? 'password' : 'complete',
      secondFactorAt: provenAt,
      at,
    }))
  )
    throw new Refusal('token_revoked');
  return token;
}

/**
 * The session that a token belongs to.
 * @throws Refusal `unauthorized` none or unknown, `token_expired` idle or too old, `token_revoked` ended
 */
export async function authenticateSession(
  reader: Reader,
  token: string | undefined,
  at: Instant,
): Promise<IdleSessionRow> {
  if (token === undefined || !form.test(token)) throw new Refusal('unauthorized');
  const session = await findSession(reader, hashOfSecret(token));
  if (session === undefined) throw new Refusal('unauthorized');
  if (session.ended_at !== null) throw new Refusal('token_revoked');
  if (at >= expiryOf(session) || at >= session.last_seen_at + idleMilliseconds(session))
    throw new Refusal('token_expired');
  return session;
}

/** Maximum idle time of a session. */
export function idleMilliseconds({ stage, idle_minutes: minutes }: IdleSessionRow): number {
  return (stage === 'complete' ? minutes : shortestIdleMinutes) * minute;
}

export function expiryOf({ created_at }: Pick<SessionRow, 'created_at'>): Instant {
  return created_at + sessionMilliseconds;
}

export async function noteSessionUse(db: Store, session: SessionRow, address: string, at: Instant): Promise<void> {
  if (at - session.last_seen_at >= noteEvery)
    await db.runMaintenance('last used', (tx) => touchSession(tx, session.id, address, at));
}

/** A person ends one of their sessions. @throws Refusal `not_found` not one of their active sessions */
export async function closeSession(write: Write, person: PersonRow, id: string): Promise<void> {
  const { at } = write;
  if (!(await markEnded(write, id, person.id, at))) throw new Refusal('not_found');
  await write.audit({
    companyId: person.company_id,
    action: 'session.ended',
    subject: `person ${person.id}`,
    details: { session: id },
  });
}

/** A person ends every session except the current one. */
export async function closeOtherSessions(write: Write, { person, session }: SignedIn): Promise<void> {
  const { at } = write;
  const endedSessions = await markAllEnded(write, person.id, session.id, at);
  await write.audit({
    companyId: person.company_id,
    action: 'session.others_ended',
    subject: `person ${person.id}`,
    details: { ended: endedSessions },
  });
}

export async function endSessionOf(tx: Transaction, token: string | undefined, at: Instant): Promise<void> {
  if (token === undefined || !form.test(token)) return;
  const session = await findSession(tx, hashOfSecret(token));
  if (session !== undefined) await markEnded(tx, session.id, session.person_id, at);
}

/** "Firefox on Linux" from a User-Agent, or the name of a program like "curl": enough to recognise one's own devices. */
export function deviceOf(userAgent: string | undefined): string | null {
  if (userAgent === undefined) return null;
  const browser = /(Firefox|Edg|OPR|SamsungBrowser|Chrome|Safari)\//.exec(userAgent)?.[1];
  const system = /(Android|iPhone|iPad|Windows|Mac OS X|Linux)/.exec(userAgent)?.[1];
  if (browser === undefined) return /^(?!Mozilla)[A-Za-z][\w.-]{0,39}(?=\/)/.exec(userAgent)?.[0] ?? null;
  const names: Readonly<Record<string, string>> = {
    Edg: 'Edge',
    OPR: 'Opera',
    SamsungBrowser: 'Samsung Internet',
    'Mac OS X': 'macOS',
  };
  // Edge and Opera also call themselves Chrome.
  const brand = /(Edg|OPR)\//.exec(userAgent)?.[1] ?? browser;
  return `${names[brand] ?? brand}${system === undefined ? '' : ` on ${names[system] ?? system}`}`;
}
