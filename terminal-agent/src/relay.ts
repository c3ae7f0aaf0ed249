import type { Choice, ChooseAction } from './choose-action.js';
import { type DialogueEnd, hex, openDialogues, type PreselectedAction, patience, patiently } from './dialogue.js';
import type { PresentCard, Reader } from './reader/reader.js';
import type { Refused } from './request.js';
import type { Sleep } from './sleep.js';
import type { Proof, Stamp, TerminalAction, TerminalApi } from './terminal-api.js';

/** How it went with one card. */
export type Outcome =
  | {
      readonly kind: 'stamped';
      /** Undefined where the answer that would have said it was lost, and only what is recorded is known. */
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
  /** What is wanted before anybody is known; undefined where {@link RelayOptions.choose} decides. */
  readonly preselectedAction?: () => PreselectedAction | undefined;
  /** Shows the outcome to the person at the terminal. */
  readonly show: (outcome: Outcome) => void;
  readonly sleep: Sleep;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The same by the service's clock. */
  readonly serviceNow: () => number;
}

export interface Relay {
  /** Takes no further card and waits until the present one is done. */
  stop(): Promise<void>;
}

/** Dialogues with one card before the service counts as unreachable. */
const maximumAttempts = 3;
/** Milliseconds after a stamp in which holding the same badge there again is a repetition, not the opposite action. */
const repeatLock = 10_000;
/** Milliseconds for which a stamp without an answer is remembered. */
const doubtLasts = 600_000;

/**
 * Carries bytes between the card in the field and the service until the service has a result, then makes the stamp the
 * person chooses. Knows no key, no people and not what the bytes mean. Cards are served one after the other.
 */
export function startRelay(options: RelayOptions): Relay {
  const { reader, api, choose, show, sleep, now } = options;
  const stopping = new AbortController();
  let work = Promise.resolve();
  let presence = new AbortController();

  reader.onCard((card) => {
    presence = new AbortController();
    const gone = AbortSignal.any([presence.signal, stopping.signal]);
    work = work.then(async () => {
      if (stopping.signal.aborted) return;
      const outcome = await serve(card, gone).catch(
        (error: unknown): Outcome => ({ kind: 'fault', reason: String(error) }),
      );
      if (!stopping.signal.aborted || outcome.kind !== 'removed') show(outcome);
      await dialogues.endOpenSession();
    });
  });
  reader.onRemoved(() => presence.abort());

  const dialogues = openDialogues({ reader, api, sleep, now });

  const serve = async (card: PresentCard, gone: AbortSignal): Promise<Outcome> => {
    if (card.uid === undefined) return { kind: 'unreadable' };
    // ISO/IEC 14443-3: a single-size UID that begins with 08 is random.
    if (card.uid.length === 4 && card.uid[0] === 0x08) return { kind: 'random_uid' };
    const end = now() + patience;
    const uid = hex(card.uid);
    let beforehand = remembered(uid) ? undefined : options.preselectedAction?.();
    let isUnsure = false;
    for (let attempt = 1; ; attempt += 1) {
      const from = options.serviceNow();
      const result = await dialogues.prove(card.uid, gone, beforehand);
      // What the card has authenticated must not outlive the dialogue: no one else may use that session, and the next
      // dialogue finds no open chain. The person does not wait for it.
      const reset = gone.aborted ? undefined : reader.reset().catch(() => undefined);
      if (result.next === 'proved') {
        const outcome = result.stamp === undefined ? await stampFor(result, uid) : stamped(result, result.stamp, uid);
        await reset;
        return outcome;
      }
      await reset;
      if (result.next === 'recorded') return stamped(undefined, result.stamp, uid);
      if (result.next === 'unsure') {
        recent.set(uid, { action: beforehand === 'next' ? undefined : beforehand, from, at: now(), certain: false });
        isUnsure = true;
        beforehand = undefined;
      }
      // The next attempt opens a new session, which ends the one before; its proof shows what was recorded.
      const isLost = result.next === 'unsure' || result.next === 'lost';
      if (isLost && attempt < maximumAttempts && now() < end) await sleep(1_000 * attempt, gone);
      if (isLost && attempt < maximumAttempts && now() < end && !gone.aborted) continue;
      return isUnsure ? { kind: 'uncertain', firstName: undefined } : outcomeWithoutProof(result);
    }
  };

  /** The last stamp of each badge, by UID. */
  const recent = new Map<
    string,
    {
      /** Undefined where the service was to choose it, and its answer was lost. */
      readonly action: TerminalAction | undefined;
      readonly at: number;
      /** No earlier than this by the service's clock. */
      readonly from: number;
      readonly certain: boolean;
    }
  >();
  const remember = (uid: string, action: TerminalAction, certain: boolean): void => {
    for (const [known, { at }] of recent) if (now() - at >= doubtLasts) recent.delete(known);
    recent.set(uid, { action, at: now(), from: options.serviceNow(), certain });
  };
  /** Whether the last stamp of this badge has a say in what is done now. */
  const remembered = (uid: string): boolean => {
    const last = recent.get(uid);
    return last !== undefined && now() - last.at < (last.certain ? repeatLock : doubtLasts);
  };

  /** The stamp that came with the proof. */
  const stamped = (proof: Proof | undefined, stamp: Stamp, uid: string): Outcome => {
    const action = stamp.action ?? lastMove[stamp.state];
    remember(uid, action, true);
    return stamp.repeated === true
      ? { kind: 'repeated', firstName: proof?.firstName, action }
      : { kind: 'stamped', firstName: proof?.firstName, action, stamp };
  };

  const stampFor = async (proof: Proof, uid: string): Promise<Outcome> => {
    const { firstName, session } = proof;
    const choice: Choice = await choose(proof, stopping.signal);
    if (choice === undefined) return { kind: 'nothing_chosen', firstName };
    const { pin, toggled = false } = choice;
    if (proof.recorded !== undefined && toggled) return { kind: 'repeated', firstName, action: proof.recorded.action };
    let { action } = choice;
    const last = recent.get(uid);
    if (last?.certain === true && toggled && now() - last.at < repeatLock)
      return { kind: 'repeated', firstName, action: last.action ?? lastMove[proof.state] };
    const inDoubt = last?.certain === false && now() - last.at < doubtLasts;
    if (inDoubt && last.action === undefined) {
      // A state that began since then is what that stamp made. Instants of the service have whole seconds.
      if (proof.since !== undefined && Date.parse(proof.since) >= last.from - 1_000) {
        action = lastMove[proof.state];
        remember(uid, action, true);
        return { kind: 'counted', firstName, action };
      }
    } else if (inDoubt && last.action !== undefined && (toggled || action === last.action)) {
      // What the service offers now shows whether the earlier stamp counted: then it is not possible again.
      action = last.action;
      if (!proof.actions.includes(action)) {
        remember(uid, action, true);
        return { kind: 'counted', firstName, action };
      }
    }
    const request = { session, action, ...(pin === undefined ? {} : { pin }) };
    const called = await patiently(() => api.stamp(request), stopping.signal, options);
    if (called.kind === 'refused') return refused(called, firstName);
    remember(uid, action, called.kind === 'answered');
    if (called.kind === 'unanswered') return { kind: 'uncertain', firstName };
    const { repeated = false, action: recorded = action } = called.body;
    return repeated
      ? { kind: 'repeated', firstName, action: recorded }
      : { kind: 'stamped', firstName, action, stamp: called.body };
  };

  return {
    async stop() {
      stopping.abort();
      await work;
    },
  };
}

/** What brings a person into a state. */
const lastMove = { in: 'in', out: 'out', on_break: 'break_start' } as const;

function outcomeWithoutProof(end: Exclude<DialogueEnd, { next: 'proved' | 'recorded' }>): Outcome {
  if (end.next === 'refused') return refused(end.refusal);
  return 'reason' in end ? { kind: 'unreachable', reason: end.reason } : { kind: end.next };
}

function refused({ code, error }: Refused, firstName?: string): Outcome {
  return { kind: 'refused', code, error, ...(firstName === undefined ? {} : { firstName }) };
}
