import { describe, expect, it } from '@jest/globals';
import { testClock } from '../test/test-clock.js';
import { keyFromSeed } from './key.js';
import { createServiceClient, type Fetch, type ServiceClientOptions, signedHeaders, stringToSign } from './request.js';

const key = keyFromSeed(Uint8Array.from({ length: 32 }, (_, index) => index));
const request = {
  method: 'POST',
  path: '/api/v1/terminal/card',
  body: Buffer.from('{"uid":"04782e21801d80"}'),
  time: 1_795_417_092,
  nonce: 'Zk3vQ9x7LrT2mWbY8nHc4A',
};

interface SentRequest {
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}
interface Given {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

/** A client whose service gives these answers, and what was sent to it. */
function client(answers: readonly (Given | Error)[], options: Partial<ServiceClientOptions> = {}) {
  const queue = [...answers];
  const requests: SentRequest[] = [];
  const fetch: Fetch = (url, { headers, body }) => {
    requests.push({ url, headers, body });
    const answer = queue.shift()!;
    if (answer instanceof Error) return Promise.reject(answer);
    const bytes = answer.body === undefined ? [] : [Buffer.from(answer.body)];
    return Promise.resolve({
      status: answer.status,
      headers: { get: (name) => answer.headers?.[name] ?? null },
      body: (async function* () {
        yield* bytes;
      })(),
    });
  };
  let drawCount = 0;
  const client = createServiceClient({
    serviceUrl: new URL('https://time.example.com/'),
    fetch,
    now: () => 1_000_000_000_500,
    elapsed: () => 0,
    uptime: () => 50_000.3,
    random: (length) => new Uint8Array(length).fill(drawCount++),
    sleep: () => Promise.resolve(),
    timeout: 5_000,
    signer: { terminalId: 'trm_01kb4xw3v5t9e2r8', key },
    ...options,
  });
  return {
    call: () => client.call({ method: 'POST', path: '/api/v1/terminal/card' }, { uid: '04' }),
    client,
    requests,
  };
}

const problem = (code: string, more: object = {}): string =>
  JSON.stringify({ error: 'A sentence.', code, request_id: 'req_00000000', ...more });

describe('the signature of a request', () => {
  it('the signature is made over the documented string', () => {
    const text = Buffer.from(stringToSign(request)).toString('utf8');
    expect(text).toHaveLength(145);
    expect(text.split('\n')).toEqual([
      'service-terminal-v1',
      'POST',
      '/api/v1/terminal/card',
      '1795417092',
      'Zk3vQ9x7LrT2mWbY8nHc4A',
      '761bdbefa8daaea5af04321265b4a1fce29a718009a5def1a2656aea13a850ee',
    ]);
  });

  it('the signature is that of the worked example', () => {
    expect(signedHeaders({ ...request, terminalId: 'trm_01kb4xw3v5t9e2r8', key })).toEqual({
      'service-terminal': 'trm_01kb4xw3v5t9e2r8',
      'service-time': '1795417092',
      'service-nonce': 'Zk3vQ9x7LrT2mWbY8nHc4A',
      'service-signature': 'GTRNiLWYp+HFDFUoRd0yUj8ujf0Lil0w4HO5O++MXnLkVRrhjVXTW/zI6NFBGt/bVebAJWAHKlk3Cn3vdp5ZBQ==',
    });
  });

  it('without a body is made over the hash of nothing', () => {
    expect(
      Buffer.from(stringToSign({ ...request, body: new Uint8Array() }))
        .toString()
        .split('\n')
        .at(-1),
    ).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
  });
});

describe('a request', () => {
  it('a request carries whole seconds, a nonce of 22 characters and exactly the body that was signed', async () => {
    const { call, requests } = client([{ status: 200, body: '{}' }]);
    await call();
    expect(requests[0]).toMatchObject({
      url: 'https://time.example.com/api/v1/terminal/card',
      body: '{"uid":"04"}',
      headers: {
        'service-time': '1000000000',
        'service-nonce': 'AAAAAAAAAAAAAAAAAAAAAA',
        'content-type': 'application/json',
      },
    });
    const { 'service-signature': signature } = signedHeaders({
      method: 'POST',
      path: '/api/v1/terminal/card',
      body: Buffer.from('{"uid":"04"}'),
      time: 1_000_000_000,
      nonce: 'AAAAAAAAAAAAAAAAAAAAAA',
      terminalId: 'trm',
      key,
    });
    expect(requests[0]!.headers['service-signature']).toBe(signature);
  });

  it('a clock that is set changes no time of the service', async () => {
    const clock = testClock(1_000_000_000_500);
    const {
      call,
      client: it,
      requests,
    } = client(
      Array.from({ length: 2 }, () => ({ status: 200, body: '{"server_time":"2001-09-09T01:46:42Z"}' })),
      { now: clock.now, uptime: clock.elapsed },
    );
    await call();
    clock.set(-3_600_000);
    await clock.pass(60_000);
    expect([it.now(), it.clockOffset()]).toEqual([1_000_000_062_000, -3_601_500]);
    await call();
    expect(requests[1]!.headers['service-time']).toBe('1000000062');
  });

  it('never uses a nonce twice', async () => {
    const { call, requests } = client([
      { status: 200, body: '{}' },
      { status: 200, body: '{}' },
    ]);
    await call();
    await call();
    expect(requests[0]!.headers['service-nonce']).not.toBe(requests[1]!.headers['service-nonce']);
  });

  it('to a service below a path signs the path as sent', async () => {
    const { call, requests } = client([{ status: 200, body: '{}' }], {
      serviceUrl: new URL('https://example.com/time'),
    });
    await call();
    expect(requests[0]!.url).toBe('https://example.com/time/api/v1/terminal/card');
    const { 'service-signature': signature } = signedHeaders({
      method: 'POST',
      path: '/time/api/v1/terminal/card',
      body: Buffer.from('{"uid":"04"}'),
      time: 1_000_000_000,
      nonce: 'AAAAAAAAAAAAAAAAAAAAAA',
      terminalId: 'trm',
      key,
    });
    expect(requests[0]!.headers['service-signature']).toBe(signature);
  });

  it('without a signer goes out unsigned', async () => {
    const { call, requests } = client([{ status: 201, body: '{}' }], { signer: undefined as never });
    await call();
    expect(Object.keys(requests[0]!.headers)).toEqual(['accept', 'content-type']);
  });
});

describe('a clock that is wrong', () => {
  it('a refusal corrects a wrong clock, and the request is sent once more', async () => {
    const { call, requests } = client([
      { status: 401, body: problem('signature_time', { server_time: '2026-11-23T07:02:11Z' }) },
      { status: 200, body: '{"ok":true}' },
    ]);
    expect(await call()).toEqual({ kind: 'answered', body: { ok: true } });
    expect(requests.map(({ headers }) => headers['service-time'])).toEqual([
      '1000000000',
      String(Date.parse('2026-11-23T07:02:11Z') / 1_000),
    ]);
  });

  it('a corrected clock stays corrected', async () => {
    const { call, requests } = client([
      { status: 401, body: problem('signature_time', { server_time: '2026-11-23T07:02:11Z' }) },
      { status: 200, body: '{}' },
      { status: 200, body: '{}' },
    ]);
    await call();
    await call();
    expect(requests[2]!.headers['service-time']).toBe(requests[1]!.headers['service-time']);
  });

  it('every answer that tells the time corrects a wrong clock', async () => {
    const { call, requests } = client([
      { status: 200, body: '{"server_time":"2001-09-09T01:47:40Z"}' },
      { status: 200, body: '{}' },
    ]);
    await call();
    await call();
    expect(requests[1]!.headers['service-time']).toBe('1000000060');
  });

  it('the agent does not chase a wrong clock for ever', async () => {
    const refusal = { status: 401, body: problem('signature_time', { server_time: '2026-11-23T07:02:11Z' }) };
    const { call, requests } = client([refusal, refusal, refusal]);
    expect(await call()).toMatchObject({ kind: 'refused', code: 'signature_time' });
    expect(requests).toHaveLength(2);
  });
});

describe('what comes back', () => {
  it('without content is an answer', async () => {
    expect(await client([{ status: 204 }]).call()).toEqual({ kind: 'answered', body: undefined });
  });

  it('with a code is a refusal', async () => {
    expect(await client([{ status: 403, body: problem('card_refused') }]).call()).toMatchObject({
      kind: 'refused',
      status: 403,
      code: 'card_refused',
      error: 'A sentence.',
    });
  });

  it('with Retry-After says how long to wait', async () => {
    const reply = await client([
      { status: 429, body: problem('rate_limited'), headers: { 'retry-after': '7' } },
    ]).call();
    expect(reply).toMatchObject({ kind: 'refused', retryAfter: 7_000 });
  });

  it.each([
    ["a gateway's page", { status: 502, body: '<html>' }],
    ['a redirect', { status: 302, headers: { location: 'https://elsewhere.example' } }],
    ['an error in another form', { status: 400, body: '{"message":"no"}' }],
    ['success that is no JSON', { status: 200, body: '<html>' }],
    ['more than anybody would say', { status: 200, body: 'x'.repeat(300 * 1024) }],
    ['nothing', new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') })],
  ])('as %s is no answer', async (_, answer) => {
    expect(await client([answer]).call()).toMatchObject({ kind: 'unanswered' });
  });

  it('after a failed connection names its innermost cause', async () => {
    const error = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
    expect(await client([error]).call()).toEqual({ kind: 'unanswered', reason: 'connect ECONNREFUSED 127.0.0.1:1' });
  });

  it('too late is no answer', async () => {
    const fetch: Fetch = (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    const { call } = client([], { fetch: fetch, timeout: 10 });
    expect(await call()).toEqual({ kind: 'unanswered', reason: 'no answer in time' });
  });
});

describe('a request that is sent surely', () => {
  const hangUp = new Error('socket hang up');
  const sureClient = (answers: Parameters<typeof client>[0], options: Partial<ServiceClientOptions> = {}) => {
    const bench = client(answers, options);
    return {
      ...bench,
      stamp: () => bench.client.callSurely({ method: 'POST', path: '/stamp' }, { action: 'in' }, 'later'),
    };
  };

  it('a request is sent again byte for byte while its answer is lost', async () => {
    const { stamp, requests } = sureClient([hangUp, hangUp, { status: 200, body: '{"state":"in"}' }]);
    expect(await stamp()).toEqual({ kind: 'answered', body: { state: 'in' } });
    expect(requests).toHaveLength(3);
    expect(requests[1]).toEqual(requests[0]);
    expect(requests[2]).toEqual(requests[0]);
  });

  it('a repeated request waits while the first one is still being decided', async () => {
    const outcome = { result: 'recorded' };
    const { stamp, requests } = sureClient([
      hangUp,
      { status: 401, body: problem('nonce_reused') },
      { status: 503, body: problem('unavailable') },
      { status: 401, body: problem('nonce_reused', { outcome }) },
    ]);
    expect(await stamp()).toMatchObject({ kind: 'refused', code: 'nonce_reused', body: { outcome } });
    expect(requests).toHaveLength(4);
  });

  it('a repeated request waits for no outcome that the service would know by now', async () => {
    const { client: serviceClient, requests } = sureClient([hangUp, { status: 401, body: problem('nonce_reused') }]);
    expect(await serviceClient.callSurely({ method: 'POST', path: '/step' }, {}, 'now')).toMatchObject({
      code: 'nonce_reused',
    });
    expect(requests).toHaveLength(2);
  });

  it('a repeated request is refused at once where the first answer is a refusal', async () => {
    const { stamp, requests } = sureClient([{ status: 409, body: problem('month_closed') }]);
    expect(await stamp()).toMatchObject({ kind: 'refused', code: 'month_closed' });
    expect(requests).toHaveLength(1);
  });

  it('a repeated request is given up after ten seconds', async () => {
    let time = 0;
    const { stamp, requests } = sureClient(
      Array.from({ length: 99 }, () => hangUp),
      {
        elapsed: () => time,
        sleep: () => {
          time += 2_000;
          return Promise.resolve();
        },
      },
    );
    expect(await stamp()).toMatchObject({ kind: 'unanswered' });
    expect(requests).toHaveLength(5);
  });

  it('a repeated request says nothing about the clock where it repeats an earlier stamp', async () => {
    const { stamp, client } = sureClient([
      { status: 200, body: '{"repeated":true,"server_time":"2001-09-09T01:37:00Z"}' },
      { status: 200, body: '{"server_time":"2001-09-09T01:46:42Z"}' },
    ]);
    expect(client.clockOffset()).toBeUndefined();
    await stamp();
    expect([client.clockOffset(), client.now()]).toEqual([undefined, 1_000_000_000_500]);
    await stamp();
    expect([client.clockOffset(), client.now()]).toEqual([-1_500, 1_000_000_002_000]);
  });

  it('a repeated request is signed again only for a clock that was wrong', async () => {
    const { stamp, requests } = sureClient([
      { status: 401, body: problem('signature_time', { server_time: '2001-09-09T02:46:40Z' }) },
      hangUp,
      { status: 200, body: '{}' },
    ]);
    expect(await stamp()).toMatchObject({ kind: 'answered' });
    expect(requests[1]!.headers['service-nonce']).not.toBe(requests[0]!.headers['service-nonce']);
    expect(requests[2]).toEqual(requests[1]);
  });
});
