import { CardGone, type Reader } from './reader/reader.js';
import type { Refused } from './request.js';
import type { Sleep } from './sleep.js';
import type {
  Called,
  CardAnswer,
  CardCommands,
  Proof,
  Stamp,
  TerminalAction,
  TerminalApi,
  TerminalStatus,
} from './terminal-api.js';

/** How the dialogue between a card and the service ended. */
export type DialogueEnd =
  | ({ readonly next: 'proved' } & Proof)
  | { readonly next: 'issued' }
  /** The stamp named beforehand is recorded; the answer that would have said whose it is was lost. */
  | { readonly next: 'recorded'; readonly stamp: Stamp }
  | { readonly next: 'refused'; readonly refusal: Refused }
  /** The card left before the service had decided. */
  | { readonly next: 'removed' }
  /** The service answers, but to no use. */
  | { readonly next: 'useless'; readonly reason: string }
  /** The service does not answer. A step is never sent twice: only a new dialogue helps. */
  | { readonly next: 'lost'; readonly reason: string }
  /** The same, and a stamp was named beforehand: it may have been recorded. */
  | { readonly next: 'unsure' };

/** A stamp that is wanted before the card has proved itself; `next` is what the service would offer first. */
export type PreselectedAction = TerminalAction | 'next';

export interface Dialogues {
  /**
   * Carries bytes between the card in the field and the service until the service has a result.
   *
   * @param gone fires when the card is taken away.
   * @param action to be stamped with the proof. It is only named where the first commands are known beforehand, so that
   * one step decides everything.
   */
  prove(uid: Uint8Array, gone: AbortSignal, action?: PreselectedAction): Promise<DialogueEnd>;
  /** Ends the session that the service holds open for us, if there is one. */
  endOpenSession(): Promise<void>;
}

/**
 * A dialogue is as long as the service makes it; issuing takes fourteen commands. A service that asks for more than
 * this is broken.
 */
const maximumCommands = 40;
/** Milliseconds to wait for a busy service: people hold a badge no longer. */
export const patience = 10_000;

export function openDialogues(options: {
  readonly reader: Pick<Reader, 'transmit' | 'reset'>;
  readonly api: Pick<TerminalApi, 'card' | 'step' | 'endSession'>;
  /** How a proof begins, one list for each family of card. None: the service is asked before the card. */
  readonly preludes: () => readonly CardCommands[];
  readonly sleep: Sleep;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}): Dialogues {
  const { reader, api } = options;
  let open: string | undefined;

  const transmit = async (apdu: Uint8Array): Promise<Uint8Array | undefined> => {
    try {
      const reply = await reader.transmit(apdu);
      return reply.length < 2 ? undefined : reply;
    } catch (error) {
      if (error instanceof CardGone) return undefined;
      throw error;
    }
  };

  /** Sends `apdu` and what may follow it. @returns undefined if the card has left */
  const transmitAll = async (
    { apdu, follow }: CardCommands,
    gone: AbortSignal,
  ): Promise<readonly SentCommand[] | undefined> => {
    const sent: SentCommand[] = [];
    for (const next of [{ after: '', apdu }, ...follow]) {
      if (!(sent.at(-1)?.response ?? '').endsWith(next.after)) break;
      const from = options.now();
      const reply = gone.aborted ? undefined : await transmit(next.apdu);
      if (reply === undefined) return undefined;
      // The service learns what is usual here, and notices a card that is relayed over a distance.
      const took_ms = Math.min(Math.max(0, Math.round(options.now() - from)), 60_000);
      sent.push({ apdu: hex(next.apdu), response: hex(reply), took_ms });
    }
    return sent;
  };

  /** The first commands, without asking: those of the family that answers them to the end. */
  const begin = async (gone: AbortSignal): Promise<readonly SentCommand[] | undefined> => {
    for (const prelude of options.preludes()) {
      if (forReader(prelude)) continue;
      const sent = await transmitAll(prelude, gone);
      if (sent === undefined || sent.length === 1 + prelude.follow.length) return sent;
    }
    return [];
  };

  return {
    async prove(uid, gone, wanted) {
      const sent = await begin(gone);
      if (sent === undefined) return { next: 'removed' };
      const begun = sent.length > 0;
      const action = begun ? wanted : undefined;
      const request = {
        uid: hex(uid),
        ...(begun ? { sent: [...sent] } : {}),
        ...(action === undefined ? {} : { action }),
      };
      let called = await patiently(() => api.card(request), gone, options);
      for (let commands = 0; commands < maximumCommands; commands += 1) {
        if (called.kind === 'unanswered')
          return action !== undefined && commands > 0 ? { next: 'unsure' } : { next: 'lost', reason: called.reason };
        if (called.kind === 'refused') {
          if (isRetryable(called)) return { next: 'useless', reason: called.error };
          open = undefined;
          return { next: 'refused', refusal: called };
        }
        const answer: CardAnswer = called.body;
        open = 'session' in answer ? answer.session : undefined;
        if (answer.next === 'issued') return { next: 'issued' };
        if (answer.next === 'recorded') return answer;
        if (answer.next === 'over') return { next: 'useless', reason: 'a result that this version does not know' };
        if (answer.next === 'proved') return answer;
        if (forReader(answer)) return { next: 'useless', reason: 'a command for the reader' };
        // The service begins again: a card in the middle of an authentication would not understand it.
        if (commands === 0 && begun && !isContinuation(answer)) {
          const there = await options.reader.reset().then(
            () => true,
            (error: unknown) => {
              if (error instanceof CardGone) return false;
              throw error;
            },
          );
          if (!there) return { next: 'removed' };
        }
        const replies = await transmitAll(answer, gone);
        if (replies === undefined) return { next: 'removed' };
        const took_ms = Math.min(
          replies.reduce((sum, reply) => sum + reply.took_ms, 0),
          60_000,
        );
        const { session } = answer;
        const responses = replies.map(({ response }) => response);
        const step =
          responses.length === 1 ? { session, response: responses[0]!, took_ms } : { session, responses, took_ms };
        called = await patiently(() => api.step(step, action !== undefined), gone, options);
      }
      return { next: 'useless', reason: 'a dialogue without end' };
    },
    async endOpenSession() {
      const session = open;
      open = undefined;
      // Nothing depends on the answer: sessions expire.
      if (session !== undefined) await api.endSession({ session }).catch(() => undefined);
    },
  };
}

interface SentCommand {
  readonly apdu: string;
  readonly response: string;
  readonly took_ms: number;
}

/** Commands of class FF go to the reader, not to the card. They are no business of the service. */
function forReader({ apdu, follow }: CardCommands): boolean {
  return [{ apdu }, ...follow].some((command) => command.apdu[0] === 0xff);
}

/** Whether it goes on where the card stopped: AF, the additional frame of both families. */
function isContinuation({ apdu }: CardCommands): boolean {
  return apdu[0] === 0x90 && apdu[1] === 0xaf;
}

/** How a proof begins, as the service last said; not while a badge is issued, which begins otherwise. */
export function preludesOf({ preludes = [], issuing }: Pick<TerminalStatus, 'preludes' | 'issuing'>) {
  return issuing === undefined ? preludes : [];
}

/** Repeats what the service put off (429, 503), for as long as anybody waits. */
export async function patiently<T>(
  call: () => Promise<Called<T>>,
  gone: AbortSignal,
  { sleep, now }: { readonly sleep: Sleep; readonly now: () => number },
): Promise<Called<T>> {
  const end = now() + patience;
  for (;;) {
    const called = await call();
    if (called.kind !== 'refused' || !isRetryable(called)) return called;
    const wait = Math.max(called.retryAfter ?? 0, 1_000);
    if (now() + wait > end) return called;
    await sleep(wait, gone);
    if (gone.aborted) return called;
  }
}

/** The service is too busy or not ready; it has changed nothing. */
function isRetryable({ code }: Refused): boolean {
  return code === 'rate_limited' || code === 'unavailable';
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
