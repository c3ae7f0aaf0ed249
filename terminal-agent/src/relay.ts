import type { Choice, ChooseAction } from './choose-action.js';
import {
  type DialogueEnd,
  type Dialogues,
  hex,
  openDialogues,
  type PreselectedAction,
  patience,
  patiently,
} from './dialogue.js';
import type { PresentCard, Reader } from './reader/reader.js';
import { lastMove, RecentStamps, resolveDoubt } from './recent-stamps.js';
import type { Refused } from './request.js';
import type { Sleep } from './sleep.js';
import type { Proof, Stamp, TerminalAction, TerminalApi } from './terminal-api.js';

/** The outcome of one card. */
export type Outcome =
  | {
      readonly kind: 'stamped';
      /** Undefined if its answer was lost, and only the recorded stamp is known. */
      readonly firstName: string | undefined;
      readonly action: TerminalAction;
      readonly stamp: Stamp;
    }
  | { readonly kind: 'nothing_chosen'; readonly firstName: string }
  /** The badge was held there twice in a row; only the first time was stamped. */
  | { readonly kind: 'repeated'; readonly firstName: string | undefined; readonly action: TerminalAction }
  /** The stamp of an earlier visit, whose answer was lost, had counted. Nothing more was stamped. */
  | { readonly kind: 'counted'; readonly firstName: string; readonly action: TerminalAction }
  /** The service is away; the stamp is in the journal of this PC and waits for approval. */
  | { readonly kind: 'recorded_offline'; readonly action: TerminalAction }
  | { readonly kind: 'issued' }
  | { readonly kind: 'refused'; readonly code: string; readonly error: string; readonly firstName?: string }
  /** The card left before the service had decided. */
  | { readonly kind: 'removed' }
  /** No UID could be read. */
  | { readonly kind: 'unreadable' }
  /** The UID is a fresh random number each time: a phone, a watch, or a card with random ID. */
  | { readonly kind: 'random_uid' }
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** The answer to the stamp was lost; the person's next visit shows whether it counted. */
  | { readonly kind: 'uncertain'; readonly firstName: string | undefined }
  /** A fault of this program. */
  | { readonly kind: 'fault'; readonly reason: string };

export interface RelayOptions {
  readonly reader: Reader;
  readonly api: TerminalApi;
  readonly choose: ChooseAction;
  /** The stamp that is wanted before anybody is known; undefined where {@link RelayOptions.choose} decides. */
  readonly preselectedAction?: () => PreselectedAction | undefined;
  /** Shows the outcome to the person at the terminal. */
  readonly show: (outcome: Outcome) => void;
  readonly sleep: Sleep;
  /** Milliseconds, by a clock that nothing sets. */
  readonly elapsed: () => number;
  /** Milliseconds since 1970, by the service's clock. */
  readonly serviceNow: () => number;
}

export interface Relay {
  /** Takes no further card and waits until the present one is done. */
  stop(): Promise<void>;
}

/** Dialogues with one card before the service counts as unreachable. */
const maximumAttempts = 3;

/**
 * Carries bytes between the card in the field and the service until the service has a result, then makes the stamp the
 * person chooses. Knows no key, no people and not the meaning of the bytes. Cards are served one after the other.
 */
export function startRelay(options: RelayOptions): Relay {
  const relay = new CardRelay(options);
  options.reader.onCard((card) => relay.take(card));
  options.reader.onRemoved(() => relay.release());
  return relay;
}

class CardRelay implements Relay {
  readonly #options: RelayOptions;
  readonly #dialogues: Dialogues;
  readonly #recent: RecentStamps;
  readonly #stopping = new AbortController();
  #work = Promise.resolve();
  #presence = new AbortController();

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#dialogues = openDialogues(options);
    this.#recent = new RecentStamps(options.elapsed);
  }

  take(card: PresentCard): void {
    this.#presence = new AbortController();
    const stopSignal = this.#stopping.signal;
    const absence = AbortSignal.any([this.#presence.signal, stopSignal]);
    this.#work = this.#work.then(async () => {
      if (stopSignal.aborted) return;
      const outcome = await this.#serve(card, absence).catch(
        (error: unknown): Outcome => ({ kind: 'fault', reason: String(error) }),
      );
      if (!stopSignal.aborted || outcome.kind !== 'removed') this.#options.show(outcome);
      await this.#dialogues.endOpenSession();
    });
  }

  release(): void {
    this.#presence.abort();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#work;
  }

  async #serve(card: PresentCard, absence: AbortSignal): Promise<Outcome> {
    if (card.uid === undefined) return { kind: 'unreadable' };
    // ISO/IEC 14443-3: a single-size UID that begins with 08 is random.
    if (card.uid.length === 4 && card.uid[0] === 0x08) return { kind: 'random_uid' };
    const { reader, elapsed, serviceNow, sleep, preselectedAction } = this.#options;
    const end = elapsed() + patience;
    const uid = hex(card.uid);
    let beforehand = this.#recent.of(uid) === undefined ? preselectedAction?.() : undefined;
    let isUnsure = false;
    for (let attempt = 1; ; attempt += 1) {
      const from = serviceNow();
      const result = await this.#dialogues.prove(card.uid, absence, beforehand);
      // The card's authenticated session must not outlive the dialogue: no one else may use it, and the next
      // dialogue finds no open chain. The person does not wait for it.
      const reset = absence.aborted ? undefined : reader.reset().catch(() => undefined);
      if (result.next === 'proved') {
        const outcome = await (result.stamp === undefined
          ? this.#stampFor(result, uid)
          : this.#stamped(result, result.stamp, uid));
        await reset;
        return outcome;
      }
      await reset;
      if (result.next === 'recorded') return this.#stamped(undefined, result.stamp, uid);
      if (result.next === 'unsure') {
        this.#recent.remember(uid, { action: beforehand === 'next' ? undefined : beforehand, from, certain: false });
        isUnsure = true;
        beforehand = undefined;
      }
      // The next attempt opens a new session, which ends the one before; its proof shows the recorded stamp.
      const isLost = result.next === 'unsure' || result.next === 'lost';
      if (isLost && attempt < maximumAttempts && elapsed() < end) await sleep(1_000 * attempt, absence);
      if (isLost && attempt < maximumAttempts && elapsed() < end && !absence.aborted) continue;
      return isUnsure ? { kind: 'uncertain', firstName: undefined } : outcomeWithoutProof(result);
    }
  }

  /** The stamp that came with the proof. */
  #stamped(proof: Proof | undefined, stamp: Stamp, uid: string): Outcome {
    const action = stamp.action ?? lastMove[stamp.state];
    this.#remember(uid, action, true);
    return stamp.repeated === true
      ? { kind: 'repeated', firstName: proof?.firstName, action }
      : { kind: 'stamped', firstName: proof?.firstName, action, stamp };
  }

  async #stampFor(proof: Proof, uid: string): Promise<Outcome> {
    const { firstName } = proof;
    const choice: Choice = await this.#options.choose(proof, this.#stopping.signal);
    if (choice === undefined) return { kind: 'nothing_chosen', firstName };
    const { action, pin, toggled = false } = choice;
    if (proof.recorded !== undefined && toggled) return { kind: 'repeated', firstName, action: proof.recorded.action };
    const last = this.#recent.of(uid);
    if (last?.certain === true && toggled)
      return { kind: 'repeated', firstName, action: last.action ?? lastMove[proof.state] };
    if (last?.certain !== false) return this.#stamp(proof, uid, action, pin);
    const resolution = resolveDoubt(last, proof, { action, toggled });
    if (!resolution.counted) return this.#stamp(proof, uid, resolution.action, pin);
    this.#remember(uid, resolution.action, true);
    return { kind: 'counted', firstName, action: resolution.action };
  }

  async #stamp(
    { session, firstName }: Proof,
    uid: string,
    action: TerminalAction,
    pin: string | undefined,
  ): Promise<Outcome> {
    const request = { session, action, ...(pin === undefined ? {} : { pin }) };
    const call = () => this.#options.api.stamp(request);
    const reply = await patiently(call, this.#stopping.signal, this.#options);
    if (reply.kind === 'refused') return refusalOf(reply, firstName);
    this.#remember(uid, action, reply.kind === 'answered');
    if (reply.kind === 'unanswered') return { kind: 'uncertain', firstName };
    const { repeated = false, action: recordedAction = action } = reply.body;
    return repeated
      ? { kind: 'repeated', firstName, action: recordedAction }
      : { kind: 'stamped', firstName, action, stamp: reply.body };
  }

  #remember(uid: string, action: TerminalAction, isCertain: boolean): void {
    this.#recent.remember(uid, { action, from: this.#options.serviceNow(), certain: isCertain });
  }
}

function outcomeWithoutProof(end: Exclude<DialogueEnd, { next: 'proved' | 'recorded' }>): Outcome {
  if (end.next === 'refused') return refusalOf(end.refusal);
  return 'reason' in end ? { kind: 'unreachable', reason: end.reason } : { kind: end.next };
}

function refusalOf({ code, error }: Refused, firstName?: string): Outcome {
  return { kind: 'refused', code, error, ...(firstName === undefined ? {} : { firstName }) };
}
