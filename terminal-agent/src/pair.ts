import { newKey, type RandomBytes, type TerminalKey } from './key.js';
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
 * As {@link register}, with a new key if another terminal has this one, or two devices used it. A refused code leaves
 * everything as it was.
 *
 * @throws {PairingFailed}
 */
export async function registerThisPc(
  code: string,
  api: Pick<TerminalApi, 'pair'>,
  key: TerminalKey,
  {
    device,
    random,
    stateFolder,
  }: { readonly device: string; readonly random: RandomBytes; readonly stateFolder: string },
): Promise<{ readonly key: TerminalKey; readonly terminalId: string }> {
  try {
    return { key, ...(await register(code, api, key, device)) };
  } catch (error) {
    if (!(error instanceof PairingFailed && error.code === 'public_key_in_use')) throw error;
  }
  return registerNewKey(code, api, { device, random, stateFolder });
}

/**
 * Registers a new key, and replaces the old one when the service has accepted the code. If the process dies between the
 * two, the service knows a key that is lost: the terminal has to be paired again.
 *
 * @throws {PairingFailed}
 */
export async function registerNewKey(
  code: string,
  api: Pick<TerminalApi, 'pair'>,
  {
    device,
    random,
    stateFolder,
  }: { readonly device: string; readonly random: RandomBytes; readonly stateFolder: string },
): Promise<{ readonly key: TerminalKey; readonly terminalId: string }> {
  const key = newKey(random);
  const { terminalId } = await register(code, api, key, device);
  await key.save(stateFolder);
  return { key, terminalId };
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
