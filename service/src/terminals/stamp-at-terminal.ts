/** The stamp after the proof: one a session, by the same rule as through every other entry point. */

import { formatInstant, type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { actionsIn, type StampKind } from '../clock/clock-state.js';
import { type ClockRow, findClock } from '../clock/rows.js';
import { type ClockResult, stamp } from '../clock/stamp.js';
import type { components } from '../generated/service-types.js';
import { Refusal } from '../store/refusal.js';
import type { DataKey } from '../store/sealing/data-key.js';
import type { Transaction } from '../store/tables.js';
import type { Store, Write } from '../store/write.js';
import { verifyPin } from './badges/pin.js';
import { type BadgeRow, findBadgeById } from './badges/rows.js';
import type { CardNeeds } from './card-dialogue.js';
import { terminalActor } from './card-refusal.js';
import { type CardAnswer, type CardStep, provedSession, stepCardSession } from './card-session.js';
import { isSameKind, type RecordedStamp, recordedLately } from './repeat-lock.js';
import { keepOutcome, type Outcome, onceForNonce, type TerminalCaller } from './request-signature.js';
import { type CardSessionRow, saveSession } from './rows.js';

export interface TerminalStampRequest {
  readonly session: string;
  readonly action: StampKind;
  readonly pin?: string | undefined;
}

/** The recorded stamp, as the terminal shows it. */
export type TerminalStamp = components['schemas']['TerminalStamp'];

const recordedOutcome = (stamp: TerminalStamp): Outcome => ({ result: 'recorded', stamp });

/** The needs of a request of the person at the door. */
export interface DoorNeeds {
  readonly db: Store;
  readonly dataKey: DataKey;
  readonly at: Instant;
  /** Refuses a terminal that may not be used at all, in the transaction that uses up the nonce. */
  readonly refuseDoor: (tx: Transaction) => Promise<void>;
}

/**
 * @throws Refusal `card_refused` the session is over, used or not authenticated; `pin_required`, `pin_wrong`,
 * `pin_locked`; otherwise as `stamp`
 */
export async function stampWithBadge(
  { db, dataKey, at, refuseDoor }: DoorNeeds,
  caller: TerminalCaller,
  request: TerminalStampRequest,
): Promise<TerminalStamp> {
  const { terminal } = caller;
  const cause = { actor: terminalActor(terminal), at };
  if (terminal.badge_and_pin === 0)
    return onceForNonce(
      db,
      caller,
      at,
      async (write) => {
        await refuseDoor(write);
        return stampInSession(write, caller, request, 'badge');
      },
      recordedOutcome,
    );
  // The PIN is compared outside a transaction, because comparing is deliberately slow. The nonce is used up before, so
  // that replays cannot use up attempts. If the process stops in between, nothing was stamped, and the same request
  // sent again gets no outcome.
  const { badge } = await onceForNonce(
    db,
    caller,
    at,
    async (write) => {
      await refuseDoor(write);
      write.unaudited('nonce');
      const proof = await provedBadge(write, caller, request.session, at);
      if (proof.session.state !== 'proved') throw new Refusal('card_refused');
      await saveSession(write, { id: proof.session.id, last_at: at });
      return proof;
    },
    'refusals',
  );
  try {
    if (request.pin === undefined) throw new Refusal('pin_required');
    await verifyPin(db, dataKey, badge, request.pin, cause);
    return await db.write(cause, async (write) => {
      const outcome = await stampInSession(write, caller, request, 'badge_pin');
      await keepOutcome(write, caller, recordedOutcome(outcome));
      return outcome;
    });
  } catch (error) {
    if (error instanceof Refusal)
      await db.runMaintenance('nonce of a refused request', (tx) =>
        keepOutcome(tx, caller, { result: 'refused', code: error.code }),
      );
    throw error;
  }
}

export type CardAnswerWithStamp = CardAnswer & { readonly stamp?: TerminalStamp };

/**
 * A step of the card, and with the last one the stamp that was chosen before. If that needs a PIN or is not possible,
 * nothing is stamped and the session waits for the person, as without it.
 */
export async function stepCardAndStamp(
  write: Write,
  needs: CardNeeds,
  caller: TerminalCaller,
  step: CardStep,
): Promise<CardAnswerWithStamp> {
  const answer = await stepCardSession(write, needs, caller.terminal, step);
  if (!('proved' in answer)) return answer;
  const { wanted, pinRequired, actions } = answer.proved;
  if (wanted === null || pinRequired) return answer;
  const action = wanted === 'next' ? actions[0]! : wanted;
  try {
    const stamp = await stampInSession(write, caller, { session: answer.session, action }, 'badge');
    const since = parseInstant(stamp.since)!;
    const { state } = stamp;
    return {
      ...answer,
      proved: { ...answer.proved, state, since, actions: actionsIn(state, false), forgotten: false },
      stamp,
    };
  } catch (error) {
    // A rule refuses before anything is written.
    if (error instanceof Refusal) return answer;
    throw error;
  }
}

/** The answer if the same step comes again because its answer was lost. */
export const stampOfStep = (answer: CardAnswerWithStamp): Outcome | undefined =>
  answer.stamp === undefined ? undefined : recordedOutcome(answer.stamp);

/** @throws Refusal `card_refused` */
export async function provedBadge(
  tx: Transaction,
  { terminal }: TerminalCaller,
  sessionId: string,
  at: Instant,
): Promise<{ readonly session: CardSessionRow; readonly badge: BadgeRow }> {
  const session = await provedSession(tx, sessionId, terminal, at);
  const badge = session && (await findBadgeById(tx, session.badge_id));
  if (session === undefined || badge?.state !== 'active') throw new Refusal('card_refused');
  return { session, badge };
}

/**
 * If the process stops before the commit, the session is still authenticated and nothing was stamped; after it, the
 * session has had its stamp.
 */
async function stampInSession(
  write: Write,
  caller: TerminalCaller,
  { session: sessionId, action: kind }: TerminalStampRequest,
  proof: 'badge' | 'badge_pin',
): Promise<TerminalStamp> {
  const { terminal } = caller;
  const { at } = write;
  const { session, badge } = await provedBadge(write, caller, sessionId, at);
  if (session.state !== 'proved') throw new Refusal('card_refused');
  // Locked until the commit, so that the stamp finds the rows read here.
  await write.lock({ people: [badge.person_id] });
  const clock = await findClock(write, badge.person_id);
  if (clock === undefined) throw new Refusal('card_refused');
  const saveAsStamped = () => saveSession(write, { id: session.id, state: 'stamped', last_at: at });
  const last = await recordedLately(write, terminal, badge.person_id, at);
  if (last !== undefined && isSameKind(last.action, kind)) {
    write.unaudited('repeated');
    await saveAsStamped();
    return presentRepeated(clock, last);
  }
  const result = await stamp(write, {
    personId: badge.person_id,
    companyId: terminal.company_id,
    kind,
    source: { kind: 'terminal', id: terminal.id, name: terminal.name },
    proof,
  });
  await saveAsStamped();
  return presentStamp(kind, result);
}

function presentStamp(
  action: StampKind,
  { clock_state, time_entry, server_time, warnings }: ClockResult,
): TerminalStamp {
  const since = clock_state.break_since ?? clock_state.since ?? time_entry.end!;
  return { action, state: clock_state.state, since, server_time, warnings };
}

function presentRepeated({ state, since, break_since }: ClockRow, { action, at }: RecordedStamp): TerminalStamp {
  return {
    action,
    repeated: true,
    state,
    since: formatInstant(break_since ?? since ?? at),
    server_time: formatInstant(at),
    warnings: [],
  };
}
