import { describe, expect, it } from '@jest/globals';
import type { CallResult, TerminalStatus } from './terminal-api.js';
import { watchStatus } from './watch-status.js';

type Reply = CallResult<TerminalStatus>;

/** Lets the watch see these answers, one a turn. */
async function watch(...replies: readonly Reply[]): Promise<{ readonly lines: string[]; readonly waits: number[] }> {
  const stop = new AbortController();
  const queue = [...replies];
  const lines: string[] = [];
  const waits: number[] = [];
  await watchStatus(
    { status: () => Promise.resolve(queue.shift()!) },
    (line) => lines.push(line),
    (milliseconds) => {
      waits.push(milliseconds);
      if (queue.length === 0) stop.abort();
      return Promise.resolve();
    },
    stop.signal,
  );
  return { lines, waits };
}

const status = (more: Partial<TerminalStatus> = {}): Reply => ({
  kind: 'answered',
  body: {
    confirmed: true,
    name: 'Main entrance',
    server_time: '2026-11-23T07:00:00Z',
    offers: { info: false, info_without_pin: false, badge_and_pin: false, offline: false },
    offline_last_number: 0,
    ...more,
  },
});
const lostReply: Reply = { kind: 'unanswered', reason: 'ECONNREFUSED' };

describe('the standing of a terminal', () => {
  it('the agent reports the standing of its terminal when it changes', async () => {
    const issuing = { person_first_name: 'Jana', expires_at: '2026-11-23T07:02:00Z' };
    const { lines } = await watch(
      status({ confirmed: false }),
      status(),
      status(),
      status({ issuing }),
      status({ issuing }),
      status({ location: 'Hall 2' }),
    );
    expect(lines).toEqual([
      'Main entrance: waiting for an administrator to confirm the fingerprint',
      'Main entrance: hold your badge here',
      'Main entrance: hold the new badge here',
      'Main entrance, Hall 2: hold your badge here',
    ]);
  });

  it('the agent asks ever more seldom while the service is away, and at once afterwards in the usual rhythm', async () => {
    const { lines, waits } = await watch(
      lostReply,
      lostReply,
      lostReply,
      lostReply,
      lostReply,
      lostReply,
      lostReply,
      status(),
      lostReply,
    );
    expect(lines).toEqual([
      'The service cannot be reached: ECONNREFUSED',
      'Main entrance: hold your badge here',
      'The service cannot be reached: ECONNREFUSED',
    ]);
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000, 15_000, 1_000]);
  });

  it('the agent asks more seldom where it is refused, because refusals count against its address', async () => {
    const refusal: Reply = { kind: 'refused', status: 401, code: 'signature_invalid', error: 'No.', body: {} };
    const { waits } = await watch(...Array.from({ length: 7 }, () => refusal));
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('the question carries facts about the device, and none to a service that refuses them', async () => {
    const stop = new AbortController();
    const requestOptions: (object | undefined)[] = [];
    const lines: string[] = [];
    await watchStatus(
      {
        status(facts) {
          requestOptions.push(facts);
          const refusal: Reply = { kind: 'refused', status: 400, code: 'invalid_request', error: 'No.', body: {} };
          return Promise.resolve(facts === undefined || requestOptions.length === 1 ? status() : refusal);
        },
      },
      (line) => lines.push(line),
      () => {
        if (requestOptions.length > 503) stop.abort();
        return Promise.resolve();
      },
      stop.signal,
      { facts: () => ({ agent_version: '1.2.0' }) },
    );
    expect(lines).toEqual(['Main entrance: hold your badge here']);
    const withFacts = requestOptions.flatMap((facts, index) => (facts === undefined ? [] : [index]));
    expect(withFacts).toEqual([0, 1, 503]);
  });

  it('the agent says that the PC must be paired again where its key is not known', async () => {
    const { lines } = await watch(
      { kind: 'refused', status: 401, code: 'signature_invalid', error: 'No.', body: {} },
      { kind: 'refused', status: 403, code: 'feature_disabled', error: 'Off.', body: {} },
    );
    expect(lines).toEqual([
      'The service no longer knows the key of this PC: pair it again',
      'Terminals are switched off: a super admin switches them on under Access for people',
    ]);
  });
});
