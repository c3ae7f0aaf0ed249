/**
 * The holder of a badge chooses a PIN at the terminal: right after the badge was issued, or with a badge presented
 * while an admin issues one to the same person. The terminal has asked for it twice. Only the holder knows it.
 */

import type { Reader } from '@clockproof/platform/database/database';
import { type Instant, minute } from '@clockproof/platform/time/instant';
import { findPerson } from '../people/rows.js';
import { Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { hashPin, setPin } from './badges/pin.js';
import type { BadgeSession } from './card-refusal.js';
import { onceForNonce, type TerminalCaller } from './request-signature.js';
import {
  type CardSessionRow,
  endSession,
  findIssuingWindow,
  findSession,
  lockSession,
  saveIssued,
  saveSession,
  type TerminalRow,
} from './rows.js';
import type { DoorNeeds } from './stamp-at-terminal.js';

/** For entering six digits twice. */
const choiceTime = minute;

export interface PinToChoose {
  readonly session: string;
  readonly choosesPin: { readonly firstName: string; readonly language: string };
}

/** Keeps the session for the choice. @returns undefined if the person has gone meanwhile */
export async function letChoosePin(
  write: Write,
  { terminal, session }: BadgeSession,
): Promise<PinToChoose | undefined> {
  const person = await findPerson(write, session.person_id, { company: terminal.company_id });
  if (person === undefined) return undefined;
  await saveSession(write, {
    id: session.id,
    state: 'choosing_pin',
    sealed: new Uint8Array(0),
    steps: session.steps + 1,
    last_at: write.at,
  });
  return { session: session.id, choosesPin: { firstName: person.first_name, language: person.language } };
}

/**
 * One transaction with the nonce: a device that gets `nonce_reused` for the same bytes knows that the PIN
 * is set. If the process stops before the commit, the person can still choose.
 * @throws Refusal `card_refused` the session is over or is not for this
 */
export async function choosePin(
  { db, dataKey, at, refuseDoor }: DoorNeeds,
  caller: TerminalCaller,
  { session: id, pin }: { readonly session: string; readonly pin: string },
): Promise<void> {
  const { terminal } = caller;
  // Hashing is deliberately slow: it comes before the transaction, and only for a session that waits for it.
  const pinSession = await waitingSession(db, id, terminal, at);
  const pinHash = pinSession && (await hashPin(dataKey, pinSession.person_id, pin));
  await onceForNonce(db, caller, at, async (write) => {
    await refuseDoor(write);
    await lockSession(write, id, terminal.id);
    const session = await waitingSession(write, id, terminal, at);
    if (session === undefined || pinHash === undefined) throw new Refusal('card_refused');
    await write.lock({ people: [session.person_id] });
    await setPin(write, session.person_id, session.company_id, pinHash);
    const window = await findIssuingWindow(write, terminal.id, at);
    if (window?.person_id === session.person_id)
      await saveIssued(write, terminal.id, { id: session.badge_id, person_id: session.person_id });
    await endSession(write, id, terminal.id);
  });
}

async function waitingSession(
  reader: Reader,
  id: string,
  terminal: TerminalRow,
  at: Instant,
): Promise<CardSessionRow | undefined> {
  const session = await findSession(reader, id, terminal.id);
  return session?.state === 'choosing_pin' && at - session.last_at <= choiceTime ? session : undefined;
}
