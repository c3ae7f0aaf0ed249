import type { Refused } from './request.js';
import type { Sleep } from './sleep.js';
import type { CallResult, DeviceFacts, TerminalApi, TerminalStatus } from './terminal-api.js';

const confirmedInterval = 15_000;
/** An administrator compares the fingerprints. */
const unconfirmedInterval = 2_000;
const firstRetry = 1_000;
/** Until the service is noticed again, each stamp at the door needs an approval. A refusal counts against the address. */
const longestRetry = { unanswered: 10_000, refused: 30_000 };
/** Questions without facts after a service refused them, until they are tried again: it may have been updated. */
const withoutFacts = 500;

/**
 * Asks the service from time to time for the status of this terminal, and reports changes: the service is reachable
 * or not, the terminal is confirmed or not, a badge is being issued. Stamps do not wait for it.
 */
export async function watchStatus(
  api: Pick<TerminalApi, 'status'>,
  report: (line: string) => void,
  sleep: Sleep,
  signal: AbortSignal,
  {
    observe,
    facts,
    intervalOf = (reply) => (reply.body.confirmed ? confirmedInterval : unconfirmedInterval),
  }: {
    /** Hears every answer, also one that changes nothing. */
    readonly observe?: (reply: CallResult<TerminalStatus>) => void;
    /** Facts about this device for each question. */
    readonly facts?: () => DeviceFacts;
    /** Milliseconds until the next question. */
    readonly intervalOf?: (reply: Extract<CallResult<TerminalStatus>, { kind: 'answered' }>) => number;
  } = {},
): Promise<void> {
  let lastReport: string | undefined;
  let retry = firstRetry;
  let unaskedPolls = 0;
  const ask = async (): Promise<CallResult<TerminalStatus>> => {
    if (unaskedPolls > 0) unaskedPolls -= 1;
    else if (facts !== undefined) {
      const reply = await api.status(facts());
      // A service that does not know the facts may refuse the question for them.
      if (reply.kind !== 'refused' || reply.status !== 400) return reply;
      unaskedPolls = withoutFacts;
    }
    return api.status();
  };
  while (!signal.aborted) {
    const reply = await ask();
    const text = sentenceOf(reply);
    if (signal.aborted) return;
    observe?.(reply);
    if (text !== lastReport) report(text);
    lastReport = text;
    await sleep(reply.kind === 'answered' ? intervalOf(reply) : retry, signal);
    retry = reply.kind === 'answered' ? firstRetry : Math.min(2 * retry, longestRetry[reply.kind]);
  }
}

/** A refusal of the question for the status, with the next step where there is one. */
export function refusalSentence({ code, error }: Refused): string {
  if (code === 'signature_invalid') return 'The service no longer knows the key of this PC: pair it again';
  if (code === 'feature_disabled')
    return 'Terminals are switched off: a super admin switches them on under Access for people';
  return error;
}

function sentenceOf(reply: CallResult<TerminalStatus>): string {
  if (reply.kind === 'unanswered') return `The service cannot be reached: ${reply.reason}`;
  if (reply.kind === 'refused') return refusalSentence(reply);
  const { name, location, confirmed, stopped, issuing } = reply.body;
  const place = location === undefined ? name : `${name}, ${location}`;
  if (!confirmed) return `${place}: waiting for an administrator to confirm the fingerprint`;
  if (issuing !== undefined) return `${place}: hold the new badge here`;
  if (stopped === 'key_copied') return `${place}: stopped, another device uses the key. Pair it again`;
  if (stopped !== undefined) return `${place}: stopped after failed proofs, until an administrator resumes it`;
  return `${place}: hold your badge here`;
}
