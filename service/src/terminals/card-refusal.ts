/** Refusal of cards. Only the audit log gets the reason; at the door every refusal looks the same. */

import { minute } from '@clockproof/platform/time/instant';
import type { ErrorCode } from '../generated/contract.js';
import { companyAdmins, notify } from '../inbox/notices.js';
import type { Write } from '../store/write.js';
import type { BadgeRow } from './badges/rows.js';
import type { CardRefusalReason } from './cards/dialogue.js';
import { noteRefusedCard } from './issuing.js';
import { type CardSessionRow, endSession, recordFailedProof, type TerminalRow, updateTerminalRow } from './rows.js';

/** An outcome and not thrown: the audit entry beside it must be kept. */
export interface RefusedCard {
  readonly refused: Extract<
    ErrorCode,
    'card_unsupported' | 'card_refused' | 'department_not_allowed' | 'terminal_stopped'
  >;
}

/** A session with the badge that it is about, at its terminal. */
export interface BadgeSession {
  readonly terminal: TerminalRow;
  readonly session: CardSessionRow;
  readonly badge: BadgeRow;
}

export type AuditedReason =
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

/**
 * Cards of this many badges that fail a proof within this time stop a terminal: an attacker tries cards, or the reader
 * is manipulated.
 */
const alarmBadges = 5;
/** After this many failures of one badge within this time, admins get a notice. The terminal continues. */
const alarmFailures = 10;
const alarmTime = 10 * minute;
/** Another card with the number of a badge, not a badge that was removed too early. A number alone proves nothing. */
const foreignCard: ReadonlySet<CardRefusalReason> = new Set(['wrong_key', 'forged_reply', 'unsupported_card']);
const triedProof: ReadonlySet<CardRefusalReason> = new Set(['wrong_key', 'forged_reply']);

export function terminalActor(terminal: TerminalRow) {
  return { kind: 'terminal', id: terminal.id, name: terminal.name } as const;
}

export async function refuse(
  write: Write,
  terminal: TerminalRow,
  reason: AuditedReason,
  badge?: BadgeRow,
): Promise<RefusedCard> {
  await write.audit({
    companyId: terminal.company_id,
    actor: terminalActor(terminal),
    action: 'card.refused',
    subject: badge === undefined ? `terminal ${terminal.id}` : `badge ${badge.id}`,
    details: { reason, person: badge?.person_id },
  });
  return { refused: 'card_refused' };
}

export async function endWith(
  write: Write,
  { terminal, session, badge }: BadgeSession,
  reason: AuditedReason,
): Promise<RefusedCard> {
  await endSession(write, session.id, terminal.id);
  if (session.purpose === 'issue') await noteRefusedCard(write, terminal, badge.person_id, reason);
  return refuse(write, terminal, reason, badge);
}

/**
 * A card that has the number of a badge but not its key. A single card may be broken, or an emulated number: if it
 * fails often, the admins get a notice. Several that take part in a proof at one terminal are an attempt, so it accepts
 * no badge until an admin has looked at it.
 */
export async function noteFailedProof(
  write: Write,
  { terminal, badge }: BadgeSession,
  reason: CardRefusalReason,
): Promise<void> {
  if (!foreignCard.has(reason)) return;
  const { at } = write;
  const tried = triedProof.has(reason);
  const failedProof = { terminalId: terminal.id, badgeId: badge.id, tried };
  const { failures, triedBadges } = await recordFailedProof(write, failedProof, at, at - alarmTime);
  if (failures === alarmFailures) await tellFailing(write, terminal, badge, failures);
  if (tried && triedBadges >= alarmBadges) await stopProofs(write, terminal);
}

async function tellFailing(write: Write, terminal: TerminalRow, badge: BadgeRow, failures: number): Promise<void> {
  const { company_id: companyId } = terminal;
  await notify(write, await companyAdmins(write, companyId), {
    kind: 'badge_failing',
    terminal: terminal.id,
    person: badge.person_id,
  });
  await write.audit({
    companyId,
    actor: terminalActor(terminal),
    action: 'badge.proofs_failed',
    subject: `badge ${badge.id}`,
    details: { person: badge.person_id, failures },
  });
}

async function stopProofs(write: Write, terminal: TerminalRow): Promise<void> {
  await updateTerminalRow(write, terminal.id, { proofs_stopped_at: write.at });
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
