/** Balances at a terminal, after the PIN unless the terminal shows them without. */

import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { localDateAt } from '@clockproof/platform/time/local-date';
import { readVacationAccount } from '../absences/vacation/vacation-account.js';
import type { components } from '../generated/service-types.js';
import { readPersonDays, readPersonMonths } from '../months/person-balance.js';
import { findPerson, type PersonRow } from '../people/rows.js';
import { Refusal } from '../store/refusal.js';
import { type Permit, permitOf } from '../working-time/evaluations.js';
import { verifyPin } from './badges/pin.js';
import { terminalActor } from './card-refusal.js';
import { onceForNonce, type TerminalCaller } from './request-signature.js';
import { saveSession, type TerminalRow } from './rows.js';
import { type DoorNeeds, provedBadge } from './stamp-at-terminal.js';

export type TerminalInfo = components['schemas']['TerminalInfo'];

type BalancePermit = Permit<'balance_at_the_door'>;

/** The permit to show balances at a terminal: it is set to, and the company has not switched that off. */
export async function balancePermitOf(
  reader: Reader,
  { show_info: shows, company_id: companyId }: Pick<TerminalRow, 'show_info' | 'company_id'>,
): Promise<BalancePermit | undefined> {
  return shows === 1 ? permitOf(reader, companyId, 'balance_at_the_door') : undefined;
}

/**
 * @throws Refusal `feature_disabled` this terminal shows no balances, or the company has switched that off;
 * `card_refused` the session is over; `pin_required`, `pin_wrong`, `pin_locked`
 */
export async function readTerminalInfo(
  { db, dataKey, at, refuseDoor }: DoorNeeds,
  caller: TerminalCaller,
  { session: sessionId, pin }: { readonly session: string; readonly pin?: string | undefined },
): Promise<TerminalInfo> {
  const { terminal } = caller;
  // Comparing a PIN is slow: the nonce is used up before, so that replays cannot use up attempts.
  const { badge, permit } = await onceForNonce(db, caller, at, async (write) => {
    await refuseDoor(write);
    const permit = await balancePermitOf(write, terminal);
    if (permit === undefined) throw new Refusal('feature_disabled');
    write.unaudited('nonce');
    const proof = await provedBadge(write, caller, sessionId, at);
    await saveSession(write, { id: proof.session.id, last_at: at });
    return { ...proof, permit };
  });
  if (terminal.info_without_pin === 0) {
    if (pin === undefined) throw new Refusal('pin_required');
    await verifyPin(db, dataKey, badge, pin, { actor: terminalActor(terminal), at });
  }
  const person = await findPerson(db, badge.person_id, { company: terminal.company_id });
  if (person === undefined) throw new Refusal('card_refused');
  return balancesOf(db, permit, person, at);
}

async function balancesOf(
  reader: Reader,
  _permit: BalancePermit,
  person: PersonRow,
  at: Instant,
): Promise<TerminalInfo> {
  const today = localDateAt(at, person.time_zone);
  const [day] = await readPersonDays(reader, person, today, today, at);
  const month = (await readPersonMonths(reader, person, today.slice(0, 7), at)).at(-1);
  const vacation = await readVacationAccount(reader, person, Number(today.slice(0, 4)), today);
  return {
    worked_today_minutes: day!.workedMinutes,
    balance_minutes: month?.balanceMinutes ?? person.opening_minutes,
    vacation_days_left: vacation.remainingDays - vacation.waiting,
  };
}
