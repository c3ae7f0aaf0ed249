import { describe, expect, it } from '@jest/globals';
import { keyFromSeed } from './key.js';
import { confirmed, PairingFailed, register } from './pair.js';
import type { Called, TerminalApi, TerminalStatus } from './terminal-api.js';

const key = keyFromSeed(Uint8Array.from({ length: 32 }, (_, index) => index));
type PairReply = Awaited<ReturnType<TerminalApi['pair']>>;

/** Answers once, and keeps what was asked. */
function pairing(reply: PairReply) {
  const asked: object[] = [];
  return {
    asked,
    pair: (request: object) => {
      asked.push(request);
      return Promise.resolve(reply);
    },
  };
}

/** Answers in order; the last answer stays. */
function statuses(...replies: readonly Called<TerminalStatus>[]) {
  const left = [...replies];
  return { left, status: () => Promise.resolve(left.length > 1 ? left.shift()! : left[0]!) };
}

const registered: PairReply = {
  kind: 'answered',
  body: { terminal_id: 'trm_7Q2MZK4D', fingerprint: 'AS3N-N9TM-CD3M-R0M5' },
};
const standing = (isConfirmed: boolean): Called<TerminalStatus> => ({
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
  it('sends the code, the public key and what this PC is', async () => {
    const api = pairing(registered);
    expect(await register('7k3m-q9xt', api, key, 'an entrance PC')).toEqual({ terminalId: 'trm_7Q2MZK4D' });
    expect(api.asked).toEqual([
      { code: '7k3m-q9xt', public_key: 'A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=', device: 'an entrance PC' },
    ]);
  });

  it("fails with the service's sentence", async () => {
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

  it('fails without an answer, and says that the code may be spent', async () => {
    await expect(register('x', pairing({ kind: 'unanswered', reason: 'no answer in time' }), key, '')).rejects.toThrow(
      /no answer in time.*new one/,
    );
  });

  it('fails if the service registered another key', async () => {
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

  it('asks every two seconds until it is there', async () => {
    waits.length = 0;
    const api = statuses(standing(false), standing(false), standing(true));
    expect(await confirmed(api, sleep, () => undefined, signal)).toBe('Main entrance');
    expect(waits).toEqual([2_000, 2_000]);
  });

  it('tells trouble once and goes on', async () => {
    const told: string[] = [];
    const lost: Called<TerminalStatus> = { kind: 'unanswered', reason: 'ECONNREFUSED' };
    const busy: Called<TerminalStatus> = {
      kind: 'refused',
      status: 503,
      code: 'unavailable',
      error: 'Not now.',
      body: {},
    };
    await confirmed(
      statuses(lost, lost, busy, standing(false), busy, standing(true)),
      sleep,
      (line) => told.push(line),
      signal,
    );
    expect(told).toEqual(['The service cannot be reached: ECONNREFUSED', 'Not now.', 'Not now.']);
  });

  it('ends if the service does not know the key any more', async () => {
    const api = statuses({ kind: 'refused', status: 401, code: 'signature_invalid', error: 'No.', body: {} });
    await expect(confirmed(api, sleep, () => undefined, signal)).rejects.toThrow(PairingFailed);
  });

  it('ends at the signal', async () => {
    const stop = new AbortController();
    const stopAtOnce = (): Promise<void> => Promise.resolve(stop.abort());
    expect(await confirmed(statuses(standing(false)), stopAtOnce, () => undefined, stop.signal)).toBeUndefined();
  });
});
