import type { Sleep } from './sleep.js';
import type { TerminalApi } from './terminal-api.js';

const every = 15_000;
const firstRetry = 1_000;
const longestRetry = 30_000;

/**
 * Asks the service from time to time how this terminal stands, and reports what has changed: the service is reachable or
 * not, the terminal is confirmed or
 * not, a badge is being issued. Stamps do not wait for it.
 */
export async function watchStatus(
  api: Pick<TerminalApi, 'status'>,
  report: (line: string) => void,
  sleep: Sleep,
  signal: AbortSignal,
): Promise<void> {
  let reported: string | undefined;
  let retry = firstRetry;
  while (!signal.aborted) {
    const line = await standing(api);
    if (signal.aborted) return;
    if (line.text !== reported) report(line.text);
    reported = line.text;
    await sleep(line.reached ? every : retry, signal);
    retry = line.reached ? firstRetry : Math.min(2 * retry, longestRetry);
  }
}

async function standing(
  api: Pick<TerminalApi, 'status'>,
): Promise<{ readonly text: string; readonly reached: boolean }> {
  const reply = await api.status();
  if (reply.kind === 'unanswered') return { text: `The service cannot be reached: ${reply.reason}`, reached: false };
  if (reply.kind === 'refused') {
    const text =
      reply.code === 'signature_invalid'
        ? 'The service does not know the key of this PC any more: pair it again'
        : reply.error;
    return { text, reached: false };
  }
  const { name, location, confirmed, issuing } = reply.body;
  const place = location === undefined ? name : `${name}, ${location}`;
  if (!confirmed) return { text: `${place}: waiting for an administrator to confirm the fingerprint`, reached: false };
  if (issuing !== undefined)
    return { text: `${place}: hold the new badge of ${issuing.person_first_name} here`, reached: true };
  return { text: `${place}: hold your badge here`, reached: true };
}
