import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { keyFromSeed, loadOrCreateKey } from './key.js';
import { PairingFailed, register, registerThisPc, waitForConfirmation } from './pair.js';
import type { CallResult, TerminalApi, TerminalStatus } from './terminal-api.js';

const key = keyFromSeed(Uint8Array.from({ length: 32 }, (_, index) => index));
type PairReply = Awaited<ReturnType<TerminalApi['pair']>>;

/** Returns the reply, and records the requests. */
function pairing(reply: PairReply) {
  const requests: object[] = [];
  return {
    requests,
    pair: (request: object) => {
      requests.push(request);
      return Promise.resolve(reply);
    },
  };
}

/** Returns the replies in order; repeats the last one. */
function statuses(...replies: readonly CallResult<TerminalStatus>[]) {
  const queue = [...replies];
  return { status: () => Promise.resolve(queue.length > 1 ? queue.shift()! : queue[0]!) };
}

const registration: PairReply = {
  kind: 'answered',
  body: { terminal_id: 'trm_7Q2MZK4D', fingerprint: 'AS3N-N9TM-CD3M-R0M5' },
};
const statusReply = (isConfirmed: boolean): CallResult<TerminalStatus> => ({
  kind: 'answered',
  body: {
    confirmed: isConfirmed,
    name: 'Main entrance',
    server_time: '2026-11-23T07:00:00Z',
    offers: { info: false, info_without_pin: false, badge_and_pin: false, offline: false },
    offline_last_number: 0,
  },
});

describe('pairing', () => {
  it('a key that another terminal has is replaced, and any other refusal leaves it', async () => {
    const stateFolder = await mkdtemp(join(tmpdir(), 'pair-'));
    const random = (length: number) => new Uint8Array(length).fill(9);
    const newFingerprint = keyFromSeed(random(32)).fingerprint;
    const pairWith = (code: string) => {
      const replies: PairReply[] = [
        { kind: 'refused', status: 409, code, error: 'No.', body: {} },
        { kind: 'answered', body: { terminal_id: 'trm_7Q2MZK4D', fingerprint: newFingerprint } },
      ];
      const api = { pair: () => Promise.resolve(replies.shift()!) };
      return registerThisPc('7k3m-q9xt', api, key, { device: '', random, stateFolder });
    };
    await expect(pairWith('pairing_code_invalid')).rejects.toThrow(PairingFailed);
    expect(await readdir(stateFolder)).toEqual([]);
    expect(await pairWith('public_key_in_use')).toMatchObject({ key: { fingerprint: newFingerprint } });
    expect((await loadOrCreateKey(stateFolder, () => new Uint8Array(32))).fingerprint).toBe(newFingerprint);
    await rm(stateFolder, { recursive: true });
  });

  it('register sends the code, the public key and the device name', async () => {
    const api = pairing(registration);
    expect(await register('7k3m-q9xt', api, key, 'an entrance PC')).toEqual({ terminalId: 'trm_7Q2MZK4D' });
    expect(api.requests).toEqual([
      { code: '7k3m-q9xt', public_key: 'A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=', device: 'an entrance PC' },
    ]);
  });

  it("register fails with the service's error message", async () => {
    const api = pairing({
      kind: 'refused',
      status: 404,
      code: 'pairing_code_invalid',
      error: 'The pairing code is not valid.',
      body: {},
    });
    await expect(register('x', api, key, '')).rejects.toThrow(
      new PairingFailed('The pairing code is not valid. (pairing_code_invalid)'),
    );
  });

  it('register without an answer fails and advises a new code', async () => {
    await expect(register('x', pairing({ kind: 'unanswered', reason: 'no answer in time' }), key, '')).rejects.toThrow(
      /no answer in time.*new one/,
    );
  });

  it('register fails if the service registered another key', async () => {
    const api = pairing({
      kind: 'answered',
      body: { terminal_id: 'trm_7Q2MZK4D', fingerprint: 'AS3N-N9TM-CD3M-R0M6' },
    });
    await expect(register('x', api, key, '')).rejects.toThrow(/do not confirm/);
  });
});

describe('waiting for the confirmation', () => {
  const signal = new AbortController().signal;
  const waits: number[] = [];
  const sleep = (milliseconds: number): Promise<void> => Promise.resolve(void waits.push(milliseconds));

  it('polls every two seconds until the terminal is confirmed', async () => {
    waits.length = 0;
    const api = statuses(statusReply(false), statusReply(false), statusReply(true));
    expect(await waitForConfirmation(api, sleep, () => undefined, signal)).toBe('Main entrance');
    expect(waits).toEqual([2_000, 2_000]);
  });

  it('the agent reports a repeated failure once and keeps polling for the confirmation', async () => {
    const messages: string[] = [];
    const unreachableReply: CallResult<TerminalStatus> = { kind: 'unanswered', reason: 'ECONNREFUSED' };
    const busyReply: CallResult<TerminalStatus> = {
      kind: 'refused',
      status: 503,
      code: 'unavailable',
      error: 'Not now.',
      body: {},
    };
    await waitForConfirmation(
      statuses(unreachableReply, unreachableReply, busyReply, statusReply(false), busyReply, statusReply(true)),
      sleep,
      (line) => messages.push(line),
      signal,
    );
    expect(messages).toEqual(['The service cannot be reached: ECONNREFUSED', 'Not now.', 'Not now.']);
  });

  it('the agent stops polling for the confirmation if the service no longer knows the key', async () => {
    const api = statuses({ kind: 'refused', status: 401, code: 'signature_invalid', error: 'No.', body: {} });
    await expect(waitForConfirmation(api, sleep, () => undefined, signal)).rejects.toThrow(PairingFailed);
  });

  it('the agent stops polling for the confirmation when the signal aborts', async () => {
    const stop = new AbortController();
    const stopAtOnce = (): Promise<void> => Promise.resolve(stop.abort());
    expect(
      await waitForConfirmation(statuses(statusReply(false)), stopAtOnce, () => undefined, stop.signal),
    ).toBeUndefined();
  });
});
