import type { TerminalKey } from './key.js';
import type { Registration } from './registration.js';
import type { Sleep } from './sleep.js';
import type { TerminalApi } from './terminal-api.js';

/** The service refused to pair, or a person has to correct something else. */
export class PairingFailed extends Error {
  override readonly name = 'PairingFailed';
  /** @param code of the service's refusal; undefined if it did not answer. */
  constructor(
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}

const pollEvery = 2_000;

/**
 * Registers this PC's public key with a pairing code.
 *
 * @param code eight characters, with or without the hyphen.
 * @param device the text that an administrator reads beside the fingerprint.
 * @throws {PairingFailed}
 */
export async function register(
  code: string,
  api: Pick<TerminalApi, 'pair'>,
  key: TerminalKey,
  device: string,
): Promise<Pick<Registration, 'terminalId'>> {
  const reply = await api.pair({ code, public_key: Buffer.from(key.publicKey).toString('base64'), device });
  if (reply.kind === 'refused') throw new PairingFailed(`${reply.error} (${reply.code})`, reply.code);
  if (reply.kind === 'unanswered') {
    throw new PairingFailed(
      `the service cannot be reached: ${reply.reason}. If the code is not accepted on the next try, have a new one made`,
    );
  }
  // The fingerprint shown is always that of our own key. Another one in the answer means that someone in between
  // replaced it with theirs.
  if (reply.body.fingerprint !== key.fingerprint)
    throw new PairingFailed(
      'the service registered another key than the one of this PC: do not confirm this terminal',
      'key_replaced',
    );
  return { terminalId: reply.body.terminal_id };
}

/**
 * Waits until an administrator has confirmed the terminal.
 *
 * @param report receives one sentence for each new kind of trouble.
 * @returns the terminal's name; undefined if the signal came first.
 * @throws {PairingFailed} if the service does not know this key any more.
 */
export async function waitForConfirmation(
  api: Pick<TerminalApi, 'status'>,
  sleep: Sleep,
  report: (sentence: string) => void,
  signal: AbortSignal,
): Promise<string | undefined> {
  let lastReport = '';
  while (!signal.aborted) {
    const reply = await api.status();
    if (reply.kind === 'answered' && reply.body.confirmed) return reply.body.name;
    if (reply.kind === 'refused' && reply.code === 'signature_invalid') {
      throw new PairingFailed(
        'the service does not know the key of this PC: the code was used by another device, or a newer one was made. Pair again',
      );
    }
    const sentence =
      reply.kind === 'answered'
        ? ''
        : reply.kind === 'refused'
          ? reply.error
          : `The service cannot be reached: ${reply.reason}`;
    if (sentence !== '' && sentence !== lastReport) report(sentence);
    lastReport = sentence;
    await sleep(pollEvery, signal);
  }
  return undefined;
}
