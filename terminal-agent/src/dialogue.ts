import { CardGone, type Reader } from './reader/reader.js';
import type { Refused } from './request.js';
import type { Sleep } from './sleep.js';
import type { CallResult, CardAnswer, PinChoice, Proof, Stamp, TerminalAction, TerminalApi } from './terminal-api.js';

/** The end of the dialogue between a card and the service. */
export type DialogueEnd =
  | ({ readonly next: 'proved' } & Proof)
  | { readonly next: 'issued'; readonly pin?: PinChoice }
  /** The stamp named beforehand is recorded; the answer that would have said whose it is was lost. */
  | { readonly next: 'recorded'; readonly stamp: Stamp }
  | { readonly next: 'refused'; readonly refusal: Refused }
  /** The card left before the service had decided. */
  | { readonly next: 'removed' }
  /** The service still put the request off when nobody waits any longer. */
  | { readonly next: 'busy'; readonly reason: string }
  /** The service answers, but to no use. */
  | { readonly next: 'useless'; readonly reason: string }
  /**
   * The service does not answer. Only a new dialogue helps: a step is never sent twice, unless a stamp was named
   * beforehand. Then it is `unsure` whether that was recorded.
   */
  | { readonly next: 'lost' | 'unsure'; readonly reason: string };

/** A stamp that is wanted before the card has proved itself; `next` is what the service would offer first. */
export type PreselectedAction = TerminalAction | 'next';

export interface Dialogues {
  /**
   * Carries bytes between the card in the field and the service until the service has a result.
   *
   * @param absence fires when the card is taken away.
   * @param action to be stamped with the proof.
   */
  prove(uid: Uint8Array, absence: AbortSignal, action?: PreselectedAction): Promise<DialogueEnd>;
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
  readonly reader: Pick<Reader, 'transmit'>;
  readonly api: Pick<TerminalApi, 'card' | 'step' | 'endSession'>;
  readonly sleep: Sleep;
  /** Milliseconds, by a clock that nothing sets. */
  readonly elapsed: () => number;
}): Dialogues {
  const { reader, api } = options;
  let openSession: string | undefined;

  const transmit = async (apdu: Uint8Array): Promise<Uint8Array | undefined> => {
    try {
      const reply = await reader.transmit(apdu);
      return reply.length < 2 ? undefined : reply;
    } catch (error) {
      if (error instanceof CardGone) return undefined;
      throw error;
    }
  };

  return {
    async prove(uid, absence, action) {
      const request = { uid: hex(uid), ...(action === undefined ? {} : { action }) };
      let reply = await patiently(() => api.card(request), absence, options);
      for (let commands = 0; commands < maximumCommands; commands += 1) {
        if (reply.kind === 'unanswered')
          return { next: action !== undefined && commands > 0 ? 'unsure' : 'lost', reason: reply.reason };
        if (reply.kind === 'refused') {
          if (isRetryable(reply))
            return { next: reply.code === 'rate_limited' ? 'busy' : 'useless', reason: reply.error };
          openSession = undefined;
          return { next: 'refused', refusal: reply };
        }
        const answer: CardAnswer = reply.body;
        openSession = 'session' in answer ? answer.session : undefined;
        if (answer.next === 'issued') {
          openSession = answer.pin?.session;
          return answer;
        }
        if (answer.next === 'recorded') return answer;
        if (answer.next === 'over') return { next: 'useless', reason: 'a result that this version does not know' };
        if (answer.next === 'proved') return answer;
        // Commands of class FF go to the reader, not to the card. They are no business of the service.
        if (answer.apdu[0] === 0xff) return { next: 'useless', reason: 'a command for the reader' };
        const response = absence.aborted ? undefined : await transmit(answer.apdu);
        if (response === undefined) return { next: 'removed' };
        const step = { session: answer.session, response: hex(response) };
        reply = await patiently(() => api.step(step, action !== undefined), absence, options);
      }
      return { next: 'useless', reason: 'a dialogue without end' };
    },
    async endOpenSession() {
      const session = openSession;
      openSession = undefined;
      // Nothing depends on the answer: sessions expire.
      if (session !== undefined) await api.endSession({ session }).catch(() => undefined);
    },
  };
}

/** Repeats a request that the service put off (429, 503), for as long as anybody waits. */
export async function patiently<T>(
  call: () => Promise<CallResult<T>>,
  absence: AbortSignal,
  { sleep, elapsed }: { readonly sleep: Sleep; readonly elapsed: () => number },
): Promise<CallResult<T>> {
  const end = elapsed() + patience;
  for (;;) {
    const reply = await call();
    if (reply.kind !== 'refused' || !isRetryable(reply)) return reply;
    const wait = Math.max(reply.retryAfter ?? 0, 1_000);
    if (elapsed() + wait > end) return reply;
    await sleep(wait, absence);
    if (absence.aborted) return reply;
  }
}

/** The service is too busy or not ready; it has changed nothing. */
function isRetryable({ code }: Refused): boolean {
  return code === 'rate_limited' || code === 'unavailable';
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
