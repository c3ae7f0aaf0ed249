/**
 * One card at one terminal, over HTTP. The dialogue is a generator (cards/); the session row stores its initial values
 * and the transcript of replies, encrypted. Each step replays them and advances by one, so that any process can
 * continue after any restart.
 */

import { base62, type RandomBytes } from '@clockproof/platform/bytes/random-text';
import type { Reader } from '@clockproof/platform/database/database';
import { type Instant, minute, second } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { findClock, findOpenEntry } from '../clock/rows.js';
import type { ErrorCode } from '../generated/contract.js';
import { companyAdmins, notify } from '../inbox/notices.js';
import { isEmployed } from '../people/employment.js';
import { findPerson, type PersonRow } from '../people/rows.js';
import type { DataKey } from '../store/sealing/data-key.js';
import type { Transaction } from '../store/tables.js';
import type { Write } from '../store/write.js';
import { companyCardKey, companyCardKeys, currentCardKeyVersion, uidHash } from './badges/badges.js';
import {
  activateBadge,
  type BadgeRow,
  beginBadge,
  findBadge,
  findBadgeById,
  type HeldBadgeRow,
  lockBadge,
  locksCards,
  noteUse,
  updateBadge,
} from './badges/rows.js';
import { judgeTiming } from './card-timing.js';
import { type CardRefusalReason, type Dialogue, randomTape, replay } from './cards/dialogue.js';
import { badgeKey } from './cards/diversify.js';
import { type Issue, issueCard, issueRandomBytes } from './cards/issue.js';
import { openingOf, type Proof, type ProofOpening, proofRandomBytes, proveCard } from './cards/prove.js';
import { proveAndRenew, type RenewingProof, renewalRandomBytes } from './cards/renew.js';
import { adminKeyNumber, type CardKeySet, ntag424Aid, stampKeyNumber } from './cards/write-keys.js';
import { noteCard, noteInterruption, noteIssued, noteRefusedCard } from './issuing.js';
import { type RecordedStamp, recordedLately } from './repeat-lock.js';
import {
  beginSession,
  type CardSessionRow,
  endSession,
  findIssuingWindow,
  findTiming,
  lockSession,
  lockTerminal,
  recordFailedProof,
  saveSession,
  saveTiming,
  servesDepartment,
  type TerminalRow,
  updateTerminalRow,
} from './rows.js';

export interface CardNeeds {
  readonly dataKey: DataKey;
  readonly randomBytes: RandomBytes;
}

/** A command that may follow without asking, after a response with this status word. */
export interface Following {
  readonly after: number;
  readonly command: Uint8Array;
}

/** A card in the field. */
export interface HeldCard {
  readonly uid: Uint8Array;
  /** What was sent to it before. */
  readonly sent?: readonly SentCommand[] | undefined;
  readonly wanted?: CardSessionRow['wanted'] | undefined;
}

export interface SentCommand {
  readonly command: Uint8Array;
  readonly response: Uint8Array;
  readonly tookMs?: number | undefined;
}

export type CardAnswer =
  | { readonly session: string; readonly apdu: Uint8Array; readonly follow?: Following }
  | {
      readonly session: string;
      readonly proved: {
        readonly firstName: string;
        /** BCP 47 tag. */
        readonly language: string;
        readonly state: 'out' | 'in' | 'on_break';
        readonly since: Instant | null;
        /** The person's last stamp, while the repeat lock holds. */
        readonly recorded: RecordedStamp | undefined;
        readonly pinRequired: boolean;
        /** The stamp to record now, chosen before the badge was held there. */
        readonly wanted: CardSessionRow['wanted'];
      };
    }
  | { readonly issued: true }
  /** An outcome and not thrown: the audit entry beside it must be kept. */
  | { readonly refused: Extract<ErrorCode, 'card_unsupported' | 'card_refused' | 'department_not_allowed'> };

/** Of the card, for each command: people hold a badge no longer, and a relayed card gains no time. */
const commandTime = 5 * second;
const dialogueTime = { stamp: 10 * second, issue: minute } as const;
/** Of the person, after the proof and after each request. */
const choiceTime = 30 * second;
const sessionTime = 2 * minute;
const retentionTime = 10 * minute;
/** Proofs of this many badges that fail within this time stop a terminal: somebody tries cards, or the reader is manipulated. */
const alarmBadges = 5;
const alarmTime = 10 * minute;
/** Reasons that say that it is another card with the number of a badge, and not a badge that was taken away too early. */
const foreignCard: ReadonlySet<CardRefusalReason> = new Set(['wrong_key', 'forged_reply', 'unsupported_card']);
const maxSteps = { stamp: 10, renewal: 40, issue: 40 } as const;
/**
 * The application on DESFire, as transmitted. Keys differ by company anyway; one identifier makes our cards
 * recognisable.
 */
const desfireAid = Buffer.from('c10c4b', 'hex');
/** The card itself, outside of every application. */
const cardLevelAid = Buffer.from('000000', 'hex');

/** The initial values and transcript of a session; hex, because it is encrypted as JSON. */
interface Transcript {
  readonly uid: string;
  readonly random: string;
  readonly replies: readonly string[];
  /** Issuing: whether the card is locked. */
  readonly lock?: boolean;
  /** A stamp with which the badge gets a newer key: the versions that it may have, and the one that it gets. */
  readonly renewal?: { readonly from: number; readonly upTo: number; readonly to: number };
}

type AnyDialogue = Dialogue<Proof | RenewingProof | Issue>;

/**
 * A card was presented to the terminal. If an admin has opened the issuing window, it is issued; otherwise it must
 * prove its key.
 */
export async function openCardSession(
  write: Write,
  needs: CardNeeds,
  terminal: TerminalRow,
  { uid, sent = [], wanted = null }: HeldCard,
): Promise<CardAnswer> {
  const { at } = write;
  await lockTerminal(write, terminal.id);
  const window = await findIssuingWindow(write, terminal.id, at);
  // A random UID, or a phone: it cannot be a badge.
  if (uid.length !== 7) {
    if (window !== undefined) await noteRefusedCard(write, terminal, 'unsupported_card');
    await refuse(write, terminal, 'unsupported_card');
    return { refused: 'card_unsupported' };
  }
  if (window === undefined && terminal.proofs_stopped_at !== null) return refuse(write, terminal, 'proofs_stopped');
  const hash = uidHash(needs.dataKey, terminal.company_id, uid);
  let badge: BadgeRow | undefined;
  let renewal: Transcript['renewal'];
  if (window === undefined) {
    const held = await findBadge(write, terminal.company_id, hash);
    if (held === undefined) return refuse(write, terminal, 'unknown_card');
    if (held.state !== 'active')
      return refuse(write, terminal, held.state === 'blocked' ? 'blocked_badge' : 'not_issued', held);
    badge = held;
    renewal = await beginRenewal(write, held);
  } else {
    const keyVersion = await currentCardKeyVersion(write, needs.dataKey, needs.randomBytes, terminal.company_id, at);
    // Recorded before the card is written to: a card taken away half done is known at the next try.
    badge = await beginBadge(write, {
      id: `bdg_${base62(16, needs.randomBytes)}`,
      company_id: terminal.company_id,
      person_id: window.person_id,
      uid_hash: hash,
      key_number: stampKeyNumber,
      key_version: keyVersion,
      created_at: at,
    });
    if (badge === undefined) {
      await noteRefusedCard(write, terminal, 'already_assigned');
      return refuse(write, terminal, 'already_assigned');
    }
    await noteCard(write, terminal);
  }
  await lockBadge(write, badge.id);
  const purpose = window === undefined ? 'stamp' : 'issue';
  const beginning: Transcript = {
    uid: hex(uid),
    random: hex(
      needs.randomBytes(
        purpose === 'issue' ? issueRandomBytes : renewal === undefined ? proofRandomBytes : renewalRandomBytes,
      ),
    ),
    replies: [],
    ...(renewal === undefined ? {} : { renewal }),
    ...(purpose === 'issue' ? { lock: await locksCards(write, terminal.company_id) } : {}),
  };
  const dialogue = () => dialogueOf(write, needs, purpose, badge, beginning);
  const heard = purpose === 'stamp' ? repliesTo(await dialogue(), sent) : [];
  const transcript: Transcript = { ...beginning, replies: heard.map(({ response }) => hex(response)) };
  const id = `csn_${base62(24, needs.randomBytes)}`;
  const dialogueState = replay(
    await dialogue(),
    heard.map(({ response }) => response),
  );
  if (!('command' in dialogueState)) {
    const { outcome } = dialogueState;
    return refuse(write, terminal, outcome.outcome === 'refused' ? outcome.reason : 'unexpected_reply', badge);
  }
  await beginSession(
    write,
    {
      id,
      terminal_id: terminal.id,
      company_id: terminal.company_id,
      purpose,
      badge_id: badge.id,
      person_id: badge.person_id,
      state: 'talking',
      sealed: sealed(needs, id, transcript),
      steps: heard.length,
      slow: 0,
      took_ms: totalOf(heard.map(({ tookMs }) => tookMs)),
      wanted,
      created_at: at,
      last_at: at,
    },
    at - retentionTime,
  );
  write.unaudited('progress');
  const answer = { session: id, apdu: dialogueState.command };
  // A badge whose renewal was interrupted is asked for its key's version first.
  const isAsked = renewal !== undefined && renewal.upTo !== renewal.from;
  if (purpose === 'issue' || heard.length > 0 || isAsked) return answer;
  const { after, next } = openingOf(familyOf(badge));
  return { ...answer, follow: { after, command: next } };
}

/**
 * A badge with a key of an earlier version gets the newest one with its proof. Noted before anything is written to the
 * card: whatever happens to it, the service knows which versions it may have.
 */
async function beginRenewal(write: Write, badge: HeldBadgeRow): Promise<Transcript['renewal']> {
  const { key_version: from, newest_version: to } = badge;
  if (to <= from) return undefined;
  await updateBadge(write, badge.id, { renewing_to: to });
  return { from, upTo: badge.renewing_to ?? from, to };
}

/** What was sent to the card, if it is how the dialogue begins; otherwise nothing, and the dialogue begins again. */
function repliesTo(dialogue: AnyDialogue, sent: readonly SentCommand[]): readonly SentCommand[] {
  let step = dialogue.next();
  for (const { command, response } of sent) {
    if (step.done === true || !Buffer.from(step.value).equals(command)) return [];
    step = dialogue.next(response);
  }
  return sent;
}

const totalOf = (times: readonly (number | undefined)[]) =>
  times.reduce<number | null>((total, one) => (total === null || one === undefined ? null : total + one), 0);

/** How the proofs of each family begin: a device that knows them can send them before it asks. */
export function proofOpenings(): readonly ProofOpening[] {
  return [
    { family: 'desfire', aid: desfireAid, keyNumber: stampKeyNumber } as const,
    { family: 'ntag424', aid: ntag424Aid, keyNumber: stampKeyNumber } as const,
  ].map(openingOf);
}

const familyOf = (badge: BadgeRow) => ({
  family: badge.family!,
  aid: Buffer.from(badge.aid!, 'hex'),
  keyNumber: badge.key_number,
});

export interface CardStep {
  readonly session: string;
  /** To the last command and to those that followed it. */
  readonly responses: readonly Uint8Array[];
  /** How long the card took in all, as the device measured it. */
  readonly tookMs?: number | undefined;
}

/** The card has responded. */
export async function stepCardSession(
  write: Write,
  needs: CardNeeds,
  terminal: TerminalRow,
  { session: sessionId, responses, tookMs }: CardStep,
): Promise<CardAnswer> {
  const { at } = write;
  const session = await lockSession(write, sessionId, terminal.id);
  if (session === undefined || session.state !== 'talking') {
    write.unaudited('nonce');
    return { refused: 'card_refused' };
  }
  const badge = (await findBadgeById(write, session.badge_id))!;
  if (at - session.last_at > commandTime || at - session.created_at > dialogueTime[session.purpose])
    return endWith(write, terminal, session, 'too_slow', badge);
  if (session.purpose === 'stamp' && badge.state !== 'active')
    return endWith(write, terminal, session, 'blocked_badge', badge);
  const before = JSON.parse(
    Buffer.from(needs.dataKey.open(associatedData(session.id), session.sealed)).toString(),
  ) as Transcript;
  const took = session.took_ms === null || tookMs === undefined ? null : session.took_ms + tookMs;
  const transcript: Transcript = { ...before, replies: [...before.replies, ...responses.map(hex)] };
  const dialogueState = replay(
    await dialogueOf(write, needs, session.purpose, badge, transcript),
    transcript.replies.map((reply) => Buffer.from(reply, 'hex')),
  );
  if ('command' in dialogueState) {
    const most = maxSteps[before.renewal === undefined ? session.purpose : 'renewal'];
    if (session.steps + responses.length >= most) return endWith(write, terminal, session, 'unexpected_reply', badge);
    await saveSession(write, {
      id: session.id,
      state: 'talking',
      sealed: sealed(needs, session.id, transcript),
      steps: session.steps + responses.length,
      took_ms: took,
      last_at: at,
    });
    write.unaudited('progress');
    return { session: session.id, apdu: dialogueState.command };
  }
  const { outcome } = dialogueState;
  if (outcome.outcome === 'refused') {
    if (session.purpose === 'stamp') await noteFailedProof(write, terminal, badge, outcome.reason);
    const refused = await endWith(write, terminal, session, outcome.reason, badge);
    // The admin who issues may know what kind of card it is; at a stamp, every refusal looks the same.
    return session.purpose === 'issue' && outcome.reason === 'unsupported_card'
      ? { refused: 'card_unsupported' }
      : refused;
  }
  if (outcome.outcome === 'issued') return finishIssuing(write, terminal, session, badge, outcome);
  if (!('renewal' in outcome)) return finishProof(write, terminal, { ...session, took_ms: took }, badge);
  await finishRenewal(write, badge, before.renewal!.to, outcome.renewal);
  // The time of all its commands says nothing about the proof.
  return finishProof(write, terminal, { ...session, took_ms: null }, badge);
}

async function finishRenewal(
  write: Write,
  badge: BadgeRow,
  version: number,
  renewal: 'done' | CardRefusalReason,
): Promise<void> {
  if (renewal === 'done') await updateBadge(write, badge.id, { key_version: version, renewing_to: null });
  await write.audit({
    companyId: badge.company_id,
    action: renewal === 'done' ? 'badge.key_renewed' : 'badge.key_renewal_failed',
    subject: `badge ${badge.id}`,
    details: { person: badge.person_id, version, ...(renewal === 'done' ? {} : { reason: renewal }) },
  });
}

async function finishIssuing(
  write: Write,
  terminal: TerminalRow,
  session: CardSessionRow,
  badge: BadgeRow,
  { family, locked }: Extract<Issue, { outcome: 'issued' }>,
): Promise<CardAnswer> {
  const { at } = write;
  const aid = hex(family === 'desfire' ? desfireAid : ntag424Aid);
  const card = { family, aid, locked: locked ? 1 : 0, issued_terminal_id: terminal.id } as const;
  await activateBadge(write, badge.id, card, at);
  await noteIssued(write, terminal, badge.id);
  await endSession(write, session.id, terminal.id);
  await write.audit({
    companyId: terminal.company_id,
    actor: terminalActor(terminal),
    action: 'badge.issued',
    subject: `badge ${badge.id}`,
    details: { person: badge.person_id, family, ...(locked ? { locked } : {}) },
  });
  return { issued: true };
}

/** The name is sent only now: a terminal learns of a person only from an authenticated card. */
async function finishProof(
  write: Write,
  terminal: TerminalRow,
  session: CardSessionRow,
  badge: BadgeRow,
): Promise<CardAnswer> {
  const { at } = write;
  const person = await findPerson(write, badge.person_id, { company: terminal.company_id });
  if (person === undefined) return endWith(write, terminal, session, 'person_gone', badge);
  // Looks like an unknown card: nobody learns at a door who has left.
  if (!(await isEmployedNow(write, person, at))) return endWith(write, terminal, session, 'not_employed', badge);
  if (!(await servesDepartment(write, terminal.id, person.department_id))) {
    await endWith(write, terminal, session, 'department_not_allowed', badge);
    return { refused: 'department_not_allowed' };
  }
  await write.lock({ people: [person.id] });
  const clock = await findClock(write, person.id);
  if (clock === undefined) return endWith(write, terminal, session, 'person_gone', badge);
  const slow = await isSlow(write, terminal, session, badge);
  const asksForPin = slow && terminal.pin_when_slow === 1;
  await saveSession(write, {
    id: session.id,
    state: 'proved',
    sealed: new Uint8Array(0),
    steps: session.steps + 1,
    slow: asksForPin ? 1 : 0,
    last_at: at,
  });
  await noteUse(write, badge.id, at);
  if (!slow) write.unaudited('progress');
  return {
    session: session.id,
    proved: {
      firstName: person.first_name,
      language: person.language,
      state: clock.state,
      since: clock.break_since ?? clock.since,
      recorded: await recordedLately(write, terminal, person.id, at),
      pinRequired: terminal.badge_and_pin === 1 || asksForPin,
      wanted: session.wanted,
    },
  };
}

/** Whether the card took much longer than is usual here, which is then in the audit log. Learns from it. */
async function isSlow(
  write: Write,
  terminal: TerminalRow,
  { took_ms: took }: CardSessionRow,
  badge: BadgeRow,
): Promise<boolean> {
  if (took === null) return false;
  const family = badge.family!;
  const row = await findTiming(write, terminal.id, family);
  const known = row && { samples: row.samples, mean: row.mean_us, deviation: row.deviation_us };
  const { slow, usual } = judgeTiming(known, took);
  await saveTiming(write, {
    terminal_id: terminal.id,
    family,
    samples: usual.samples,
    mean_us: usual.mean,
    deviation_us: usual.deviation,
  });
  if (slow)
    await write.audit({
      companyId: terminal.company_id,
      action: 'card.slow',
      subject: `badge ${badge.id}`,
      details: { person: badge.person_id, took_ms: took, usual_ms: Math.round(known!.mean / 1_000) },
    });
  return slow;
}

/** Employed today, or on the day of the shift that is still open. */
async function isEmployedNow(reader: Reader, person: PersonRow, at: Instant): Promise<boolean> {
  if (person.active === 0 || person.company_active === 0) return false;
  const open = await findOpenEntry(reader, person.id);
  return isEmployed(person, open?.date ?? localDateAt(at, person.time_zone));
}

/** The session, locked, if it belongs to this terminal, its card has authenticated and the person may still choose. */
export async function provedSession(
  tx: Transaction,
  id: string,
  terminal: TerminalRow,
  at: Instant,
): Promise<CardSessionRow | undefined> {
  const session = await lockSession(tx, id, terminal.id);
  return (session?.state === 'proved' || session?.state === 'stamped') &&
    at - session.last_at <= choiceTime &&
    at - session.created_at <= sessionTime
    ? session
    : undefined;
}

async function dialogueOf(
  tx: Transaction,
  { dataKey }: CardNeeds,
  purpose: 'stamp' | 'issue',
  badge: BadgeRow,
  { uid, random, lock = false, renewal }: Transcript,
): Promise<AnyDialogue> {
  const card = Buffer.from(uid, 'hex');
  const tape = randomTape(Buffer.from(random, 'hex'));
  if (purpose === 'stamp' && renewal === undefined) {
    const company = await companyCardKey(tx, dataKey, badge.company_id, badge.key_version);
    const { aid, keyNumber, ...family } = familyOf(badge);
    return proveCard({ ...family, aid, keyNumber, key: badgeKey(company, { uid: card, aid, keyNumber }) }, tape);
  }
  const versions = await companyCardKeys(tx, dataKey, badge.company_id);
  const keyed = {
    uid: card,
    desfireAid,
    keysOf: (version: number) => {
      const company = versions.get(version);
      return company && keySetOf(company, card);
    },
  };
  if (renewal === undefined) return issueCard({ ...keyed, keyVersion: badge.key_version, lock }, tape);
  const { from, upTo, to } = renewal;
  return proveAndRenew(
    { ...keyed, family: badge.family!, from, upTo, keyVersion: to, locked: badge.locked === 1 },
    tape,
  );
}

function keySetOf(company: Uint8Array, uid: Uint8Array): CardKeySet {
  const key = (aid: Uint8Array, keyNumber: number) => badgeKey(company, { uid, aid, keyNumber });
  const both = (aid: Uint8Array) => ({ admin: key(aid, adminKeyNumber), stamp: key(aid, stampKeyNumber) });
  return { desfire: both(desfireAid), ntag424: both(ntag424Aid), card: key(cardLevelAid, adminKeyNumber) };
}

type AuditedReason =
  | CardRefusalReason
  | 'unknown_card'
  | 'blocked_badge'
  | 'not_issued'
  | 'already_assigned'
  | 'proofs_stopped'
  | 'person_gone'
  | 'not_employed'
  | 'too_slow'
  | 'department_not_allowed';

async function endWith(
  write: Write,
  terminal: TerminalRow,
  session: CardSessionRow,
  reason: AuditedReason,
  badge: BadgeRow,
): Promise<CardAnswer> {
  await endSession(write, session.id, terminal.id);
  if (session.purpose === 'issue') await noteRefusedCard(write, terminal, reason);
  return refuse(write, terminal, reason, badge);
}

/**
 * A card that has the number of a badge but not its key. One may be broken; several at one terminal are an attempt, so
 * it accepts no badge until an admin has looked at it.
 */
async function noteFailedProof(
  write: Write,
  terminal: TerminalRow,
  badge: BadgeRow,
  reason: CardRefusalReason,
): Promise<void> {
  if (!foreignCard.has(reason)) return;
  const { at } = write;
  if ((await recordFailedProof(write, terminal.id, badge.id, at, at - alarmTime)) < alarmBadges) return;
  await updateTerminalRow(write, terminal.id, { proofs_stopped_at: at });
  await notify(write, await companyAdmins(write, terminal.company_id), {
    kind: 'proofs_stopped',
    terminal: terminal.id,
  });
  await write.audit({
    companyId: terminal.company_id,
    actor: terminalActor(terminal),
    action: 'terminal.proofs_stopped',
    subject: `terminal ${terminal.id}`,
  });
}

/** Only the audit log gets the reason. */
async function refuse(
  write: Write,
  terminal: TerminalRow,
  reason: AuditedReason,
  badge?: BadgeRow,
): Promise<CardAnswer> {
  await write.audit({
    companyId: terminal.company_id,
    actor: terminalActor(terminal),
    action: 'card.refused',
    subject: badge === undefined ? `terminal ${terminal.id}` : `badge ${badge.id}`,
    details: { reason, ...(badge === undefined ? {} : { person: badge.person_id }) },
  });
  return { refused: 'card_refused' };
}

/** The terminal ends a session; an expired or missing one is not an error. */
export async function endCardSession(write: Write, terminal: TerminalRow, id: string): Promise<void> {
  if ((await endSession(write, id, terminal.id)) > 0) await noteInterruption(write, terminal);
  write.unaudited('progress');
}

export function terminalActor(terminal: TerminalRow) {
  return { kind: 'terminal', id: terminal.id, name: terminal.name } as const;
}

const associatedData = (sessionId: string) => `card session ${sessionId}`;
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

function sealed({ dataKey }: CardNeeds, sessionId: string, transcript: Transcript): Uint8Array {
  return dataKey.seal(associatedData(sessionId), Buffer.from(JSON.stringify(transcript)));
}
