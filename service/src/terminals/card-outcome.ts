/** Acts on the outcome of the dialogue with a card. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { actionsIn, type StampKind } from '../clock/clock-state.js';
import { findClock, findOpenEntry } from '../clock/rows.js';
import { readForgottenEntry } from '../clock/stamp-rows.js';
import { isEmployed } from '../people/employment.js';
import { findPerson, type PersonRow } from '../people/rows.js';
import type { Write } from '../store/write.js';
import { activateBadge, type BadgeRow, findPin, noteUse, updateBadge } from './badges/rows.js';
import { aidOf, type Outcome, type Purpose } from './card-dialogue.js';
import { type BadgeSession, endWith, noteFailedProof, type RefusedCard, terminalActor } from './card-refusal.js';
import type { CardRefusalReason } from './cards/dialogue.js';
import type { Issue } from './cards/issue.js';
import { letChoosePin, type PinToChoose } from './choose-pin.js';
import { type RecordedStamp, recordedLately } from './repeat-lock.js';
import { type CardSessionRow, endSession, saveIssued, saveSession, servesDepartment } from './rows.js';

export interface ProvedCard {
  readonly session: string;
  readonly proved: {
    readonly firstName: string;
    /** BCP 47 tag. */
    readonly language: string;
    readonly state: 'out' | 'in' | 'on_break';
    readonly since: Instant | null;
    /** The first is the most likely one. */
    readonly actions: readonly StampKind[];
    /** The person has probably forgotten to clock out on an earlier working day. */
    readonly forgotten: boolean;
    /** The person's last stamp, while the repeat lock holds. */
    readonly recorded: RecordedStamp | undefined;
    readonly pinRequired: boolean;
    /** The stamp to record now, chosen before the badge was held there. */
    readonly wanted: CardSessionRow['wanted'];
  };
}

export interface IssuedCard {
  readonly issued: true;
  /** The holder has no PIN, or is to choose a new one. */
  readonly pin?: PinToChoose | undefined;
}

export async function finishDialogue(
  write: Write,
  badgeSession: BadgeSession,
  purpose: Purpose,
  outcome: Outcome,
): Promise<ProvedCard | IssuedCard | RefusedCard> {
  if (outcome.outcome === 'refused') return finishRefused(write, badgeSession, outcome.reason);
  if (outcome.outcome === 'issued') return finishIssuing(write, badgeSession, outcome);
  const renewal = 'renewal' in outcome ? outcome.renewal : undefined;
  await noteVersion(write, badgeSession.badge, outcome.version);
  if (purpose.kind === 'renewal' && renewal !== undefined)
    await finishRenewal(write, badgeSession.badge, purpose.to, renewal);
  return finishProof(write, badgeSession);
}

async function finishRefused(
  write: Write,
  badgeSession: BadgeSession,
  reason: CardRefusalReason,
): Promise<RefusedCard> {
  const isIssue = badgeSession.session.purpose === 'issue';
  if (!isIssue) await noteFailedProof(write, badgeSession, reason);
  const refusal = await endWith(write, badgeSession, reason);
  // The admin who issues may know the kind of card; at a stamp, every refusal looks the same.
  return isIssue && reason === 'unsupported_card' ? { refused: 'card_unsupported' } : refusal;
}

/** The key was renewed after the backup that the database was restored from. */
async function noteVersion(write: Write, badge: BadgeRow, version: number): Promise<void> {
  if (version <= (badge.renewing_to ?? badge.key_version)) return;
  await updateBadge(write, badge.id, { key_version: version, renewing_to: null });
  await write.audit({
    companyId: badge.company_id,
    action: 'badge.key_found',
    subject: `badge ${badge.id}`,
    details: { person: badge.person_id, version },
  });
}

async function finishRenewal(
  write: Write,
  badge: BadgeRow,
  version: number,
  renewal: 'done' | CardRefusalReason,
): Promise<void> {
  if (renewal === 'done') await updateBadge(write, badge.id, { key_version: version, renewing_to: null });
  const facts = { companyId: badge.company_id, subject: `badge ${badge.id}` };
  const details = { person: badge.person_id, version };
  await write.audit(
    renewal === 'done'
      ? { ...facts, action: 'badge.key_renewed', details }
      : { ...facts, action: 'badge.key_renewal_failed', details: { ...details, reason: renewal } },
  );
}

async function finishIssuing(
  write: Write,
  badgeSession: BadgeSession,
  { family, locked }: Extract<Issue, { outcome: 'issued' }>,
): Promise<IssuedCard> {
  const { terminal, session, badge } = badgeSession;
  const card = { family, aid: aidOf[family], locked: locked ? 1 : 0, issued_terminal_id: terminal.id } as const;
  await activateBadge(write, badge.id, card, write.at);
  await saveIssued(write, terminal.id, badge);
  await write.audit({
    companyId: terminal.company_id,
    actor: terminalActor(terminal),
    action: 'badge.issued',
    subject: `badge ${badge.id}`,
    details: { person: badge.person_id, family, locked: locked || undefined },
  });
  const pin =
    (await findPin(write, badge.person_id)) === undefined ? await letChoosePin(write, badgeSession) : undefined;
  if (pin === undefined) await endSession(write, session.id, terminal.id);
  return { issued: true, pin };
}

/** The name is sent only now: a terminal learns of a person only from an authenticated card. */
async function finishProof(write: Write, badgeSession: BadgeSession): Promise<ProvedCard | IssuedCard | RefusedCard> {
  const { at } = write;
  const { terminal, session, badge } = badgeSession;
  const person = await findPerson(write, badge.person_id, { company: terminal.company_id });
  if (person === undefined) return endWith(write, badgeSession, 'person_gone');
  // Looks like an unknown card: the door does not reveal who has left.
  if (!(await isEmployedNow(write, person, at))) return endWith(write, badgeSession, 'not_employed');
  if (!(await servesDepartment(write, terminal.id, person.department_id))) {
    await endWith(write, badgeSession, 'department_not_allowed');
    return { refused: 'department_not_allowed' };
  }
  // A proof while a badge is issued to the same person: an admin has them choose their PIN.
  if (session.purpose === 'pin') {
    write.unaudited('progress');
    return { issued: true, pin: await letChoosePin(write, badgeSession) };
  }
  await write.lock({ people: [person.id] });
  const clock = await findClock(write, person.id);
  if (clock === undefined) return endWith(write, badgeSession, 'person_gone');
  await saveSession(write, {
    id: session.id,
    state: 'proved',
    sealed: new Uint8Array(0),
    steps: session.steps + 1,
    last_at: at,
  });
  await noteUse(write, badge.id, at);
  write.unaudited('progress');
  const hasForgotten = clock.state !== 'out' && (await readForgottenEntry(write, person, at)) !== undefined;
  return {
    session: session.id,
    proved: {
      firstName: person.first_name,
      language: person.language,
      state: clock.state,
      since: clock.break_since ?? clock.since,
      actions: actionsIn(clock.state, hasForgotten),
      forgotten: hasForgotten,
      recorded: await recordedLately(write, terminal, person.id, at),
      pinRequired: terminal.badge_and_pin === 1,
      wanted: session.wanted,
    },
  };
}

/** Employed today, or on the day of the shift that is still open. */
async function isEmployedNow(reader: Reader, person: PersonRow, at: Instant): Promise<boolean> {
  if (person.active === 0 || person.company_active === 0) return false;
  const openEntry = await findOpenEntry(reader, person.id);
  return isEmployed(person, openEntry?.date ?? localDateAt(at, person.time_zone));
}
