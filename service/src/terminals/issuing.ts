/**
 * Issuing a badge: an admin opens a window of two minutes at a terminal, and the next new or returned card presented
 * there becomes the person's badge. Its steps stay to be seen until the next issuing at this terminal.
 */

import { type Instant, minute } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { findPerson } from '../people/rows.js';
import type { CompanyId, PersonId, TerminalId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import type { CardRefusalReason } from './cards/dialogue.js';
import {
  cancelIssuingRow,
  findIssuingWindow,
  findTerminal,
  type IssuingRow,
  interruptIssuing,
  lockTerminal,
  openIssuingWindow,
  saveIssuing,
  type TerminalRow,
} from './rows.js';

const lifetime = 2 * minute;

/**
 * @returns until when a card can be presented
 * @throws Refusal `not_found`, `terminal_not_confirmed`, `issuing_not_allowed`, `issuing_in_progress`,
 * `employment_ended`
 */
export async function startIssuing(
  write: Write,
  terminalId: TerminalId,
  { id: personId, company_id: companyId }: { readonly id: PersonId; readonly company_id: CompanyId },
): Promise<Instant> {
  const { at } = write;
  const terminal = await findTerminal(write, terminalId);
  const person = await findPerson(write, personId, { company: companyId });
  if (terminal === undefined || terminal.company_id !== companyId || person === undefined)
    throw new Refusal('not_found');
  if (terminal.confirmed_at === null) throw new Refusal('terminal_not_confirmed');
  if (terminal.issuing_allowed === 0) throw new Refusal('issuing_not_allowed');
  const isOver = person.employment_end !== null && person.employment_end < localDateAt(at, person.time_zone);
  if (person.active === 0 || isOver) throw new Refusal('employment_ended');
  await lockTerminal(write, terminalId);
  if ((await findIssuingWindow(write, terminalId, at)) !== undefined) throw new Refusal('issuing_in_progress');
  await openIssuingWindow(write, terminalId, personId, at + lifetime, at);
  await write.audit({
    companyId,
    action: 'badge.issuing_started',
    subject: `person ${personId}`,
    details: { terminal: terminalId },
  });
  return at + lifetime;
}

/** A card that is being written is completed. Nothing happens if no issuing is open. */
export async function cancelIssuing(write: Write, terminalId: TerminalId, companyId: CompanyId): Promise<void> {
  await lockTerminal(write, terminalId);
  if (!(await cancelIssuingRow(write, terminalId))) return;
  await write.audit({ companyId, action: 'badge.issuing_cancelled', subject: `terminal ${terminalId}` });
}

/** The reasons why a card cannot be issued, in the words of the page. */
const reasons: Readonly<Record<CardRefusalReason | 'already_assigned', NonNullable<IssuingRow['reason']>>> = {
  already_assigned: 'already_badge',
  unsupported_card: 'unsupported',
  not_in_factory_state: 'foreign_keys',
  wrong_key: 'foreign_keys',
  card_full: 'no_room',
  card_removed: 'removed',
  forged_reply: 'unreadable',
  unexpected_reply: 'unreadable',
  authentication_delayed: 'unreadable',
  permission_denied: 'unreadable',
};

/** A card is on the reader and gets its keys. */
export async function noteCard(write: Write, terminal: TerminalRow, personId: PersonId): Promise<void> {
  await saveIssuing(write, terminal.id, personId, { state: 'writing', card_at: write.at, reason: null });
  tellPages(write, terminal);
}

/** The card cannot be used; the next one may. */
export async function noteRefusedCard(
  write: Write,
  terminal: TerminalRow,
  personId: PersonId,
  reason: string,
): Promise<void> {
  const shownReason = (reasons as Readonly<Record<string, NonNullable<IssuingRow['reason']>>>)[reason] ?? 'unreadable';
  await saveIssuing(write, terminal.id, personId, { state: 'refused', card_at: write.at, reason: shownReason });
}

/** The terminal ended the session. */
export async function noteInterruption(write: Write, terminal: TerminalRow): Promise<void> {
  if ((await interruptIssuing(write, terminal.id)) > 0) tellPages(write, terminal);
}

function tellPages(write: Write, terminal: TerminalRow): void {
  write.touch({ family: 'badge', company: terminal.company_id, parties: [] });
}
