/** One card at one terminal, over HTTP: the UID comes in, then one command goes out and one reply comes in at a time. */

import { base62 } from '@clockproof/platform/bytes/random-text';
import { type Instant, minute, second } from '@clockproof/platform/time/instant';
import type { PersonId } from '../store/ids.js';
import type { Transaction } from '../store/tables.js';
import type { Write } from '../store/write.js';
import { currentCardKeyVersion, uidHash } from './badges/badges.js';
import {
  type BadgeRow,
  beginBadge,
  findBadge,
  findBadgeById,
  type HeldBadgeRow,
  lockBadge,
  locksCards,
  updateBadge,
} from './badges/rows.js';
import {
  beginTranscript,
  type CardNeeds,
  openTranscript,
  type Purpose,
  replayTranscript,
  sealTranscript,
} from './card-dialogue.js';
import { finishDialogue, type IssuedCard, type ProvedCard } from './card-outcome.js';
import { type AuditedReason, type BadgeSession, endWith, type RefusedCard, refuse } from './card-refusal.js';
import { stampKeyNumber } from './cards/write-keys.js';
import { noteCard, noteInterruption, noteRefusedCard } from './issuing.js';
import {
  beginSession,
  type CardSessionRow,
  endSession,
  findIssuingWindow,
  lockSession,
  lockTerminal,
  saveSession,
  type TerminalRow,
} from './rows.js';
import { noteRunOfCard } from './runs.js';

/** A card in the field. */
export interface HeldCard {
  readonly uid: Uint8Array;
  readonly wanted?: CardSessionRow['wanted'] | undefined;
  /** The running program of the device, if it names itself. */
  readonly run?: string | undefined;
}

export interface CardCommand {
  readonly session: string;
  readonly apdu: Uint8Array;
}

export type CardAnswer = CardCommand | ProvedCard | IssuedCard | RefusedCard;

/** Time limit of the card for each command: people hold a badge no longer, and a relayed card gains no time. */
const commandTime = 5 * second;
const dialogueTime = { stamp: 10 * second, pin: 10 * second, issue: minute } as const;
/** Time limit of the person, after the proof and after each request. */
const choiceTime = 30 * second;
const sessionTime = 2 * minute;
const retentionTime = 10 * minute;
const maxSteps = { proof: 10, renewal: 40, issue: 40 } as const;

/** A badge, and the purpose of the dialogue with it. */
interface Beginning {
  readonly badge: BadgeRow;
  readonly purpose: Purpose;
  readonly sessionFor: CardSessionRow['purpose'];
}

/**
 * A card was presented to the terminal. If an admin has opened the issuing window, it is issued; otherwise it must
 * prove its key.
 */
export async function beginCardSession(
  write: Write,
  needs: CardNeeds,
  terminal: TerminalRow,
  card: HeldCard,
): Promise<CardCommand | RefusedCard> {
  await lockTerminal(write, terminal.id);
  if (!(await noteRunOfCard(write, terminal, card.run))) return { refused: 'terminal_stopped' };
  const window = await findIssuingWindow(write, terminal.id, write.at);
  // A random UID, or a phone: it cannot be a badge.
  if (card.uid.length !== 7) {
    if (window !== undefined) await noteRefusedCard(write, terminal, window.person_id, 'unsupported_card');
    await refuse(write, terminal, 'unsupported_card');
    return { refused: 'card_unsupported' };
  }
  const hash = uidHash(needs.dataKey, terminal.company_id, card.uid);
  const beginning =
    window === undefined
      ? await beginProof(write, terminal, hash, 'stamp')
      : (await isBadgeOf(write, terminal, hash, window.person_id))
        ? await beginProof(write, terminal, hash, 'pin')
        : await beginIssue(write, needs, terminal, hash, window.person_id);
  return 'refused' in beginning ? beginning : beginDialogue(write, needs, terminal, card, beginning);
}

/** The person has a badge already and shows it: they choose their PIN again. */
async function isBadgeOf(write: Write, terminal: TerminalRow, hash: string, personId: PersonId): Promise<boolean> {
  const badge = await findBadge(write, terminal.company_id, hash);
  return badge?.state === 'active' && badge.person_id === personId;
}

async function beginProof(
  write: Write,
  terminal: TerminalRow,
  hash: string,
  sessionFor: 'stamp' | 'pin',
): Promise<Beginning | RefusedCard> {
  if (terminal.proofs_stopped_at !== null) {
    await refuse(write, terminal, 'proofs_stopped');
    return { refused: 'terminal_stopped' };
  }
  const badge = await findBadge(write, terminal.company_id, hash);
  if (badge === undefined) return refuse(write, terminal, 'unknown_card');
  if (badge.state !== 'active')
    return refuse(write, terminal, badge.state === 'blocked' ? 'blocked_badge' : 'not_issued', badge);
  return { badge, purpose: await proofOrRenewal(write, terminal, badge), sessionFor };
}

/**
 * A badge with a key of an earlier version gets the newest one with its proof, if the terminal writes keys to cards.
 * Noted before anything is written to the card: so the service always knows the versions that it may have.
 */
async function proofOrRenewal(write: Write, terminal: TerminalRow, badge: HeldBadgeRow): Promise<Purpose> {
  const { key_version: from, newest_version: to } = badge;
  const upTo = badge.renewing_to ?? from;
  if (to <= from || terminal.issuing_allowed === 0) return { kind: 'proof', from, upTo };
  await updateBadge(write, badge.id, { renewing_to: to });
  return { kind: 'renewal', from, upTo, to };
}

async function beginIssue(
  write: Write,
  { dataKey, randomBytes }: CardNeeds,
  terminal: TerminalRow,
  hash: string,
  personId: PersonId,
): Promise<Beginning | RefusedCard> {
  const { company_id } = terminal;
  const { at } = write;
  // Recorded before the card is written to: a card taken away half done is known at the next try.
  const badge = await beginBadge(write, {
    id: `bdg_${base62(16, randomBytes)}`,
    company_id,
    person_id: personId,
    uid_hash: hash,
    key_number: stampKeyNumber,
    key_version: await currentCardKeyVersion(write, dataKey, randomBytes, company_id, at),
    created_at: at,
  });
  if (badge === undefined) {
    await noteRefusedCard(write, terminal, personId, 'already_assigned');
    return refuse(write, terminal, 'already_assigned');
  }
  await noteCard(write, terminal, personId);
  return { badge, purpose: { kind: 'issue', lock: await locksCards(write, company_id) }, sessionFor: 'issue' };
}

async function beginDialogue(
  write: Write,
  needs: CardNeeds,
  terminal: TerminalRow,
  { uid, wanted = null }: HeldCard,
  { badge, purpose, sessionFor }: Beginning,
): Promise<CardCommand | RefusedCard> {
  const { at } = write;
  await lockBadge(write, badge.id);
  const transcript = beginTranscript(needs, uid, purpose);
  const progress = await replayTranscript(write, needs, badge, transcript);
  if (!('command' in progress)) return refuse(write, terminal, 'unexpected_reply', badge);
  const id = `csn_${base62(24, needs.randomBytes)}`;
  await beginSession(
    write,
    {
      id,
      terminal_id: terminal.id,
      company_id: terminal.company_id,
      purpose: sessionFor,
      badge_id: badge.id,
      person_id: badge.person_id,
      state: 'talking',
      sealed: sealTranscript(needs, id, transcript),
      steps: 0,
      wanted,
      created_at: at,
      last_at: at,
    },
    at - retentionTime,
  );
  write.unaudited('progress');
  return { session: id, apdu: progress.command };
}

export interface CardStep {
  readonly session: string;
  readonly response: Uint8Array;
}

/** The card has responded. */
export async function stepCardSession(
  write: Write,
  needs: CardNeeds,
  terminal: TerminalRow,
  { session: sessionId, response }: CardStep,
): Promise<CardAnswer> {
  const { at } = write;
  const session = await lockSession(write, sessionId, terminal.id);
  if (session === undefined || session.state !== 'talking') {
    write.unaudited('nonce');
    return { refused: 'card_refused' };
  }
  const badgeSession = { terminal, session, badge: (await findBadgeById(write, session.badge_id))! };
  const endReason = reasonToEnd(badgeSession, at);
  if (endReason !== undefined) return endWith(write, badgeSession, endReason);
  const earlierTranscript = openTranscript(needs, session);
  const transcript = {
    ...earlierTranscript,
    replies: [...earlierTranscript.replies, Buffer.from(response).toString('hex')],
  };
  const progress = await replayTranscript(write, needs, badgeSession.badge, transcript);
  if ('outcome' in progress) return finishDialogue(write, badgeSession, transcript.purpose, progress.outcome);
  const steps = session.steps + 1;
  if (steps >= maxSteps[transcript.purpose.kind]) return endWith(write, badgeSession, 'unexpected_reply');
  await saveSession(write, {
    id: session.id,
    sealed: sealTranscript(needs, session.id, transcript),
    steps,
    last_at: at,
  });
  write.unaudited('progress');
  return { session: session.id, apdu: progress.command };
}

function reasonToEnd({ session, badge }: BadgeSession, at: Instant): AuditedReason | undefined {
  if (at - session.last_at > commandTime || at - session.created_at > dialogueTime[session.purpose]) return 'too_slow';
  return session.purpose !== 'issue' && badge.state !== 'active' ? 'blocked_badge' : undefined;
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

/** The terminal ends a session; an expired or missing one is not an error. */
export async function endCardSession(write: Write, terminal: TerminalRow, id: string): Promise<void> {
  if ((await endSession(write, id, terminal.id)) > 0) await noteInterruption(write, terminal);
  write.unaudited('progress');
}
