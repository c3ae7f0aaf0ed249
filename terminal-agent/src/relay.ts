import type { Choice, ChooseAction } from './choose-action.js';
import { CardGone, type PresentCard, type Reader } from './reader/reader.js';
import type { Refused } from './request.js';
import type { Sleep } from './sleep.js';
import type { Called, CardAnswer, Proof, Stamp, TerminalAction, TerminalApi } from './terminal-api.js';

/** How it went with one card. */
export type Outcome =
  | { readonly kind: 'stamped'; readonly firstName: string; readonly action: TerminalAction; readonly stamp: Stamp }
  | { readonly kind: 'nothing_chosen'; readonly firstName: string }
  /** The badge was held there twice in a row; only the first time was stamped. */
  | { readonly kind: 'repeated'; readonly firstName: string; readonly action: TerminalAction }
  /** The stamp of an earlier visit, whose answer was lost, had counted. Nothing more was stamped. */
  | { readonly kind: 'counted'; readonly firstName: string; readonly action: TerminalAction }
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
  | { readonly kind: 'uncertain'; readonly firstName: string }
  /** A fault of this program. */
  | { readonly kind: 'fault'; readonly reason: string };

export interface RelayOptions {
  readonly reader: Reader;
  readonly api: TerminalApi;
  readonly choose: ChooseAction;
  /** Shows the outcome to the person at the terminal. */
  readonly show: (outcome: Outcome) => void;
  readonly sleep: Sleep;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export interface Relay {
  /** Takes no further card and waits until the present one is done. */
  stop(): Promise<void>;
}

/**
 * A dialogue is as long as the service makes it; issuing takes fourteen commands. A service that asks for more than
 * this is broken.
 */
const maximumCommands = 40;
/** Dialogues with one card before the service counts as unreachable. */
const maximumAttempts = 3;
/** Milliseconds to wait for a busy service: people hold a badge no longer, and a session expires after 30 s. */
const patience = 10_000;

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
      await endOpenSession();
    });
  });
  reader.onRemoved(() => presence.abort());

  /** The session that the service holds open for us. */
  let open: string | undefined;
  const endOpenSession = async (): Promise<void> => {
    const session = open;
    open = undefined;
    // Nothing depends on the answer: sessions expire.
    if (session !== undefined) await api.endSession({ session }).catch(() => undefined);
  };

  const serve = async (card: PresentCard, gone: AbortSignal): Promise<Outcome> => {
    if (card.uid === undefined) return { kind: 'unreadable' };
    // ISO/IEC 14443-3: a single-size UID that begins with 08 is random.
    if (card.uid.length === 4 && card.uid[0] === 0x08) return { kind: 'random_uid' };
    const end = now() + patience;
    for (let attempt = 1; ; attempt += 1) {
      const result = await prove(card.uid, gone);
      // What the card has authenticated must not outlive the dialogue: no one else may use that session, and the next
      // dialogue finds no open chain. The person does not wait for it.
      const reset = gone.aborted ? undefined : reader.reset().catch(() => undefined);
      if (result.next === 'proved') {
        const outcome = await stampFor(result, hex(card.uid));
        await reset;
        return outcome;
      }
      await reset;
      if (result.next === 'ended') return result.outcome;
      // A step is never sent twice. The next attempt opens a new session, which ends the one before.
      if (attempt < maximumAttempts && now() < end) await sleep(1_000 * attempt, gone);
      if (attempt === maximumAttempts || now() >= end || gone.aborted)
        return { kind: 'unreachable', reason: result.reason };
    }
  };

  type Result =
    | ({ readonly next: 'proved' } & Proof)
    | { readonly next: 'ended'; readonly outcome: Outcome }
    | { readonly next: 'lost'; readonly reason: string };
  const ended = (outcome: Outcome): Result => ({ next: 'ended', outcome });

  const prove = async (uid: Uint8Array, gone: AbortSignal): Promise<Result> => {
    let called = await patiently(() => api.card({ uid: hex(uid) }), gone);
    for (let commands = 0; commands < maximumCommands; commands += 1) {
      if (called.kind === 'unanswered') return { next: 'lost', reason: called.reason };
      if (called.kind === 'refused') {
        if (putOff(called)) return ended({ kind: 'unreachable', reason: called.error });
        open = undefined;
        return ended(refused(called));
      }
      const answer: CardAnswer = called.body;
      open = 'session' in answer ? answer.session : undefined;
      if (answer.next === 'issued') return ended({ kind: 'issued' });
      if (answer.next === 'over')
        return ended({ kind: 'unreachable', reason: 'a result that this version does not know' });
      if (answer.next === 'proved') return answer;
      // Commands of class FF go to the reader, not to the card. They are no business of the service.
      if (answer.apdu[0] === 0xff) return ended({ kind: 'unreachable', reason: 'a command for the reader' });
      const reply = gone.aborted ? undefined : await transmit(answer.apdu);
      if (reply === undefined) return ended({ kind: 'removed' });
      called = await patiently(() => api.step({ session: answer.session, response: hex(reply) }), gone);
    }
    return ended({ kind: 'unreachable', reason: 'a dialogue without end' });
  };

  const transmit = async (apdu: Uint8Array): Promise<Uint8Array | undefined> => {
    try {
      const reply = await reader.transmit(apdu);
      return reply.length < 2 ? undefined : reply;
    } catch (error) {
      if (error instanceof CardGone) return undefined;
      throw error;
    }
  };

  /** The last stamp of each badge, by UID. */
  const recent = new Map<string, { readonly action: TerminalAction; readonly at: number; readonly certain: boolean }>();
  const remember = (uid: string, action: TerminalAction, certain: boolean): void => {
    for (const [known, { at }] of recent) if (now() - at >= doubtLasts) recent.delete(known);
    recent.set(uid, { action, at: now(), certain });
  };

  const stampFor = async (proof: Proof, uid: string): Promise<Outcome> => {
    const { firstName, session } = proof;
    const choice: Choice = await choose(proof, stopping.signal);
    if (choice === undefined) return { kind: 'nothing_chosen', firstName };
    const { pin, toggled = false } = choice;
    let { action } = choice;
    const last = recent.get(uid);
    if (last?.certain === true && toggled && now() - last.at < repeatLock)
      return { kind: 'repeated', firstName, action: last.action };
    if (last?.certain === false && now() - last.at < doubtLasts && (toggled || action === last.action)) {
      // What the service offers now shows whether the earlier stamp counted: then it is not possible again.
      action = last.action;
      if (!proof.actions.includes(action)) {
        remember(uid, action, true);
        return { kind: 'counted', firstName, action };
      }
    }
    const request = { session, action, ...(pin === undefined ? {} : { pin }) };
    const called = await patiently(() => api.stamp(request), stopping.signal);
    if (called.kind === 'refused') return refused(called, firstName);
    remember(uid, action, called.kind === 'answered');
    return called.kind === 'answered'
      ? { kind: 'stamped', firstName, action, stamp: called.body }
      : { kind: 'uncertain', firstName };
  };

  /**
   * Repeats what the service put off (429, 503). A lost answer is never repeated here, because the service may have
   * acted.
   */
  const patiently = async <T>(call: () => Promise<Called<T>>, gone: AbortSignal): Promise<Called<T>> => {
    const end = now() + patience;
    for (;;) {
      const called = await call();
      if (called.kind !== 'refused' || !putOff(called)) return called;
      const wait = Math.max(called.retryAfter ?? 0, 1_000);
      if (now() + wait > end) return called;
      await sleep(wait, gone);
      if (gone.aborted) return called;
    }
  };

  return {
    async stop() {
      stopping.abort();
      await work;
    },
  };
}

function refused({ code, error }: Refused, firstName?: string): Outcome {
  return { kind: 'refused', code, error, ...(firstName === undefined ? {} : { firstName }) };
}

/** The service is too busy or not ready; it has changed nothing. */
function putOff({ code }: Refused): boolean {
  return code === 'rate_limited' || code === 'unavailable';
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
