/** The API as a stranger meets it: every answer is held against the contract while these run. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { encodeBase58 } from '@clockproof/platform/bytes/base58';
import { silentLog } from '@clockproof/platform/log';
import { createTestDatabase, oneDialect, type TestDatabase } from '@clockproof/platform/testing/databases';
import { repository } from '@clockproof/platform/testing/guide';
import { faultsOfSamples, sampleLanguages, samplesOf } from '@clockproof/platform/testing/samples';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createSimulatedNode } from '../simulator/node.js';
import { readConfig } from '../src/config.js';
import { operations } from '../src/generated/contract.js';
import { type Indexer, startIndexer } from '../src/indexer.js';
import { anchors, asFetch, createGround, expectedProofs, type Ground, growProofs, proofEvent, today } from './world.js';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Record<string, unknown>;
  readonly text: string;
}

describe.each(oneDialect)('on %s', (driver) => {
  let home: TestDatabase;
  let ground: Ground;
  let indexer: Indexer;
  let clock = today;
  const breaches: string[] = [];

  /** Raw: `fetch` would tidy up the paths that are to be tried. */
  const ask = (
    path: string,
    {
      headers = {},
      method = 'GET',
    }: { readonly headers?: Record<string, string | string[]>; readonly method?: string } = {},
  ) =>
    new Promise<Answer>((resolve, reject) => {
      const url = new URL(indexer.url);
      request({ host: url.hostname, port: url.port, path, method, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            text,
            body:
              (response.headers['content-type'] ?? '').startsWith('application/json') && text !== ''
                ? (JSON.parse(text) as Record<string, unknown>)
                : {},
          });
        });
      })
        .on('error', reject)
        .end();
    });

  beforeAll(async () => {
    if (!existsSync(join(repository, 'dist/docs/policy.json')))
      execFileSync('npx', ['vitepress', 'build', 'docs'], { cwd: repository });
    home = await createTestDatabase(driver);
    ground = createGround(1, 'test', () => clock);
    growProofs(ground, 130);
    ground.chain.append([
      {
        sender: anchors[0]!,
        called: ground.package,
        events: [proofEvent(ground.random, 'ct_twice', '2026-10'), proofEvent(ground.random, 'ct_twice', '2026-10')],
      },
    ]);
    ground.chain.append([
      { sender: anchors[1]!, called: ground.package, events: [proofEvent(ground.random, 'ct_twice', '2026-10')] },
    ]);
    for (const period of ['2026-02', '2025-11', '2025-10', 'log-2026-11-27', '2026-1x'])
      ground.chain.append([
        { sender: anchors[0]!, called: ground.package, events: [proofEvent(ground.random, 'ct_months', period)] },
      ]);
    const node = createSimulatedNode(ground.chain, { dialect: 'flat' });
    indexer = await startIndexer({
      config: {
        ...readConfig({
          ACCEPT_TERMS: 'true',
          CHAIN_ANCHOR_PACKAGE: ground.package,
          CHAIN_NETWORK: 'devnet',
          LISTEN_ADDR: '127.0.0.1:0',
          BASE_URL: 'https://proofs.example',
          SECURITY_CONTACT: 'mailto:security@proofs.example',
          METRICS_ADDR: '127.0.0.1:0',
          RATE_IP_PER_MINUTE: '60',
          TRUSTED_PROXIES: '198.51.100.7',
        }),
        DB_DRIVER: home.settings.driver,
        DB_DSN: home.settings.dsn,
      },
      log: silentLog,
      clock: () => clock,
      fetch: asFetch(node),
      follow: false,
      onContractBreach: (breach) => breaches.push(breach),
    });
    await indexer.follower.pass();
  });
  // Each test begins in a minute of its own, on an index that has just polled.
  beforeEach(async () => {
    clock += 120_000;
    ground.chain.append([]);
    await indexer.follower.pass();
  });
  afterAll(async () => {
    await indexer.close();
    await home.drop();
    expect(breaches).toEqual([]);
  });

  const digest = (byte: number) => encodeBase58(new Uint8Array(32).fill(byte));

  it('the index tells its state', async () => {
    const { status, body, headers } = await ask('/api/v1/status');
    expect(status).toBe(200);
    expect(headers['cache-control']).toBe('no-store');
    expect(body).toMatchObject({
      network: 'devnet',
      package: ground.package,
      indexed_count: 138,
      state: 'ready',
      history: 'complete',
      rejected_count: 0,
      checkpoint: ground.chain.head,
      head_checkpoint: ground.chain.head,
      lag_seconds: 0,
      last_index_time: new Date(clock).toISOString().replace('.000Z', 'Z'),
      addresses: [],
      version: '1.2.0',
      backfill: { done_ratio: 1 },
      index_digest: { checkpoint: ground.chain.head, size: 138 },
    });
    expect((await ask('/readyz')).status).toBe(200);
  });

  it.each(sampleLanguages)('the index answers the %s of the reference for every operation', async (language) => {
    const { tx, merkle_root, company_token } = expectedProofs(ground)[5]!;
    const env = { INDEXER_URL: indexer.url, TX: tx, ROOT: merkle_root, COMPANY_TOKEN: company_token };
    const ids = Object.keys(samplesOf('indexer'));
    expect(ids.sort()).toEqual(Object.keys(operations).sort());
    expect(
      await faultsOfSamples(
        'indexer',
        language,
        ids.map((id) => ({ id, env })),
      ),
    ).toEqual([]);
  });

  it('an error names the page that explains it, and the index serves that page', async () => {
    const { body } = await ask('/api/v1/verify/0');
    expect(body['doc_url']).toBe(`https://proofs.example/docs/reference/errors.html#${String(body['code'])}`);
    expect((await ask('/docs/reference/errors.html')).text).toContain(`id="${String(body['code'])}"`);
    const { info, servers } = (await ask('/api/v1/openapi.json')).body as { info: object; servers: object[] };
    expect(info).toMatchObject({ contact: { url: 'https://proofs.example/docs/' } });
    expect(servers).toEqual([{ url: 'https://proofs.example', description: 'This installation' }]);
  });

  it('a verdict matches the right root in any spelling, and only that', async () => {
    const proof = expectedProofs(ground)[5]!;
    for (const root of [
      proof.merkle_root,
      proof.merkle_root.toUpperCase(),
      `0x${proof.merkle_root}`,
      `0X${proof.merkle_root.toUpperCase()}`,
    ]) {
      expect((await ask(`/api/v1/verify/${proof.tx}?root=${root}`)).body).toEqual({
        tx: proof.tx,
        verdict: 'match',
        verified: true,
        expected_root: proof.merkle_root,
        proofs: [proof],
      });
    }
    const nibble = proof.merkle_root[63] === '0' ? '1' : '0';
    expect(
      (await ask(`/api/v1/verify/${proof.tx}?root=${proof.merkle_root.slice(0, 63)}${nibble}`)).body,
    ).toMatchObject({ verdict: 'mismatch', verified: false });
    expect((await ask(`/api/v1/verify/${proof.tx}?root=${'0'.repeat(64)}`)).body).toMatchObject({
      verdict: 'mismatch',
      verified: false,
      expected_root: '0'.repeat(64),
      proofs: [proof],
    });
  });

  it('never says match without a root', async () => {
    const proof = expectedProofs(ground)[0]!;
    expect((await ask(`/api/v1/verify/${proof.tx}`)).body).toEqual({
      tx: proof.tx,
      verdict: 'indexed',
      verified: null,
      proofs: [proof],
    });
  });

  it('a verdict matches any of several proofs in one transaction', async () => {
    const bothProofs = expectedProofs(ground)
      .filter((proof) => proof.company_token === 'ct_twice')
      .slice(0, 2);
    expect(bothProofs[0]!.tx).toBe(bothProofs[1]!.tx);
    for (const { merkle_root } of bothProofs)
      expect((await ask(`/api/v1/verify/${bothProofs[0]!.tx}?root=${merkle_root}`)).body).toMatchObject({
        verdict: 'match',
        proofs: bothProofs,
      });
    expect((await ask(`/api/v1/proofs/${bothProofs[0]!.tx}`)).body).toEqual({
      ...bothProofs[0],
      events: 2,
      proofs: bothProofs,
    });
  });

  it.each([
    ['an empty root', '?root='],
    ['half a root', `?root=${'a'.repeat(63)}`],
    ['a longer root', `?root=${'a'.repeat(65)}`],
    ['a root that is no hex', `?root=${'g'.repeat(64)}`],
    ['spaces around', `?root=%20${'a'.repeat(64)}`],
    ['the root twice', `?root=${'a'.repeat(64)}&root=${'a'.repeat(64)}`],
    ['an unknown parameter', '?rot=1'],
  ])('the API refuses %s', async (_, query) => {
    const { status, body } = await ask(`/api/v1/verify/${expectedProofs(ground)[0]!.tx}${query}`);
    expect([status, body['code']]).toEqual([400, 'invalid_request']);
    const [{ error }] = body['details'] as [{ error: string }];
    expect(error).toMatch(/^(?:Write|Nothing|The value does not have|The parameter stands)\b/);
  });

  it.each([
    ['zero bytes of Base58', '1'],
    ['31 bytes', encodeBase58(new Uint8Array(31).fill(9))],
    ['33 bytes', encodeBase58(new Uint8Array(33).fill(1))],
    ['44 characters that overflow', 'z'.repeat(44)],
    ['a character that is no digit', `${'1'.repeat(31)}0`],
    ['a NUL', `${'1'.repeat(31)}%00`],
    ['a slash in disguise', `..%2f${'1'.repeat(30)}`],
    ['ten thousand characters', '1'.repeat(10_000)],
    ['hex', 'ab'.repeat(32)],
  ])('the API refuses %s as a transaction', async (_, tx) => {
    for (const path of ['verify', 'proofs']) {
      const { status, body } = await ask(`/api/v1/${path}/${tx}`);
      expect([status, body['code']]).toEqual([400, 'invalid_request']);
    }
  });

  it.each(['/api/v1/proofs/%', '/api/v1/verify/%ff', '/api/v1/companies/%ff/proofs'])(
    'the API refuses the broken percent-encoding of %s',
    async (path) => {
      expect(await ask(path)).toMatchObject({ status: 400, body: { details: [{ code: 'wrong_encoding' }] } });
    },
  );

  it.each(['/api/v1/verify/../status', '/api/v1/verify/', '/api/v1/verify/a/b', '/api/v2/status'])(
    'the API knows nothing at %s',
    async (path) => {
      expect((await ask(path)).status).toBe(404);
    },
  );

  it('the API answers only GET', async () => {
    const { status, headers } = await ask('/api/v1/status', { method: 'POST' });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, OPTIONS']);
  });

  it('verifies no other anchor where company, period or sender is given', async () => {
    const proof = expectedProofs(ground)[11]!;
    const anchor = {
      root: proof.merkle_root,
      company_token: proof.company_token,
      period: proof.period,
      sender: proof.sender.replace(/^0x0*/, '0X'),
    };
    const verify = async (query: Readonly<Record<string, string>>) =>
      (await ask(`/api/v1/verify/${proof.tx}?${new URLSearchParams(query)}`)).body as Record<string, unknown>;
    expect(await verify(anchor)).toEqual({
      tx: proof.tx,
      verdict: 'match',
      verified: true,
      expected_root: proof.merkle_root,
      expected_company_token: proof.company_token,
      expected_period: proof.period,
      expected_sender: proof.sender,
      proofs: [proof],
    });
    const otherValues = { company_token: 'ct_stranger', period: '1999-01', sender: '0x2' };
    for (const [name, value] of Object.entries(otherValues))
      expect([name, await verify({ ...anchor, [name]: value })]).toEqual([
        name,
        expect.objectContaining({ verdict: 'mismatch', verified: false, proofs: [proof] }),
      ]);
    const { root: _, ...withoutRoot } = anchor;
    expect(await verify(withoutRoot)).toMatchObject({ verdict: 'indexed', verified: null });
    expect(await verify({ ...withoutRoot, sender: '0x2' })).toMatchObject({ verdict: 'mismatch', verified: false });
    expect(await verify({ sender: 'not an address' })).toMatchObject({ code: 'invalid_request' });
  });

  it('caches may keep found proofs for ever and nothing else', async () => {
    const proof = expectedProofs(ground)[3]!;
    const match = `/api/v1/verify/${proof.tx}?root=${proof.merkle_root}`;
    // Its list alone says so yet; the next question asks the node for the transaction.
    expect((await ask(match)).headers['cache-control']).toBe('no-store');
    await ask(`/api/v1/proofs/${proof.tx}`);
    for (const path of [
      match,
      `/api/v1/verify/${proof.tx}?root=${'0'.repeat(64)}`,
      `/api/v1/verify/${proof.tx}`,
      `/api/v1/proofs/${proof.tx}`,
    ]) {
      const first = await ask(path);
      expect(first.headers['cache-control']).toBe('public, max-age=31536000, immutable');
      const etag = String(first.headers['etag']);
      expect(etag).toMatch(/^"[A-Za-z0-9_-]{20,}"$/);
      for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
        const repetition = await ask(path, { headers: { 'if-none-match': header } });
        expect([
          repetition.status,
          repetition.text,
          repetition.headers['etag'],
          repetition.headers['cache-control'],
        ]).toEqual([304, '', etag, 'public, max-age=31536000, immutable']);
      }
      expect((await ask(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    }
    for (const path of [
      `/api/v1/verify/${digest(7)}`,
      `/api/v1/proofs/${digest(7)}`,
      '/api/v1/proofs',
      '/api/v1/companies/ct_1/proofs',
      '/api/v1/status',
      '/api/v1/verify/x',
    ]) {
      const { headers } = await ask(path);
      expect([path, headers['cache-control'], headers['etag']]).toEqual([path, 'no-store', undefined]);
    }
  });

  it('the verdict on a missing proof says how much the index knows', async () => {
    const knowledge = {
      checkpoint: ground.chain.head,
      head_checkpoint: ground.chain.head,
      history: 'complete',
      synced: true,
      addresses: [],
    };
    expect((await ask(`/api/v1/verify/${digest(7)}?root=${'a'.repeat(64)}`)).body).toEqual({
      tx: digest(7),
      verdict: 'unknown',
      verified: false,
      reason: 'not_found',
      expected_root: 'a'.repeat(64),
      proofs: [],
      knowledge,
    });
    const answer = await ask(`/api/v1/proofs/${digest(7)}`);
    expect([answer.status, answer.body['code'], answer.body['reason'], answer.body['knowledge']]).toEqual([
      404,
      'not_found',
      'not_found',
      knowledge,
    ]);
    clock += 3_600_000;
    expect((await ask(`/api/v1/verify/${digest(7)}`)).body).toMatchObject({ reason: 'not_synced' });
    expect((await ask('/api/v1/status')).body).toMatchObject({ state: 'degraded', lag_seconds: 3_600 });
  });

  describe('lists', () => {
    const follow = async (path: string) => {
      const allRows: unknown[] = [];
      for (let cursor: unknown = null; ; ) {
        const { status, body } = await ask(
          `${path}${path.includes('?') ? '&' : '?'}limit=40${cursor === null ? '' : `&cursor=${String(cursor)}`}`,
        );
        expect(status).toBe(200);
        allRows.push(...(body['data'] as unknown[]));
        expect(body['has_more']).toBe(body['next_cursor'] !== null);
        if (body['next_cursor'] === null) return allRows;
        cursor = body['next_cursor'];
      }
    };
    const newestFirst = () => expectedProofs(ground).reverse();

    it('the lists hold every proof once, newest first', async () => {
      expect(await follow('/api/v1/proofs')).toEqual(newestFirst());
    });
    it('the lists are narrowed by sender, under both names and in any spelling', async () => {
      const sender = anchors[1]!;
      const expected = newestFirst().filter((proof) => proof.sender === sender);
      expect(await follow(`/api/v1/proofs?sender=${sender}`)).toEqual(expected);
      expect(await follow(`/api/v1/proofs?address=0X${sender.slice(2).toUpperCase()}`)).toEqual(expected);
      expect((await ask(`/api/v1/proofs?sender=${sender}&address=${sender}`)).status).toBe(400);
      expect((await ask('/api/v1/proofs?sender=0x2')).body['data']).toEqual([]);
    });
    it('the lists are narrowed by company and period', async () => {
      const expected = newestFirst().filter((proof) => proof.company_token === 'ct_3' && proof.period === '2026-08');
      expect(await follow('/api/v1/proofs?company_token=ct_3&period=2026-08')).toEqual(expected);
      expect(await follow('/api/v1/companies/ct_3/proofs?period=2026-08')).toEqual(expected);
      expect(await follow('/api/v1/proofs?period=2026-08')).toEqual(
        newestFirst().filter((proof) => proof.period === '2026-08'),
      );
    });
    it('show conflicting roots of one company and period side by side', async () => {
      const roots = (
        (await follow('/api/v1/companies/ct_twice/proofs?period=2026-10')) as { merkle_root: string }[]
      ).map((proof) => proof.merkle_root);
      expect(new Set(roots).size).toBe(3);
    });
    it('the list of a company without proofs is empty', async () => {
      expect((await ask('/api/v1/companies/nobody/proofs')).body).toEqual({
        data: [],
        next_cursor: null,
        has_more: false,
      });
    });
    it('name the periods of a company, and the months that are missing between them', async () => {
      const list = '/api/v1/companies/ct_months/periods';
      const pages = async (query: string) => {
        const periods: unknown[] = [];
        const gaps: unknown[] = [];
        for (let cursor = ''; ; ) {
          const { body } = await ask(`${list}?${query}${cursor}`);
          periods.push(...(body['data'] as { period: string }[]).map(({ period }) => period));
          gaps.push(...(body['missing'] as unknown[]));
          if (body['has_more'] !== true) return { periods, missing: gaps };
          cursor = `&cursor=${String(body['next_cursor'])}`;
        }
      };
      const expectedGaps = [{ from: '2025-12', to: '2026-01' }];
      // A gap is named although it lies between two pages.
      for (const query of ['', 'limit=1', 'limit=2'])
        expect(await pages(query)).toEqual({
          periods: ['log-2026-11-27', '2026-1x', '2026-02', '2025-11', '2025-10'],
          missing: expectedGaps,
        });
      expect(await pages('from=2025-11&to=2026-02')).toEqual({
        periods: ['2026-02', '2025-11'],
        missing: expectedGaps,
      });
      const { body } = await ask('/api/v1/companies/ct_twice/periods');
      expect(body['data']).toMatchObject([{ period: '2026-10', versions: 3, anchors: { length: 3 } }]);
      const cursor = String((await ask(`${list}?limit=1`)).body['next_cursor']);
      for (const path of [`/api/v1/companies/ct_1/periods?cursor=${cursor}`, `${list}?from=2025-01&cursor=${cursor}`])
        expect((await ask(path)).body['code']).toBe('invalid_cursor');
    });
    it('refuse a cursor of other filters, an altered one and an invented one', async () => {
      const cursor = String((await ask('/api/v1/proofs?limit=5')).body['next_cursor']);
      for (const path of [
        `/api/v1/proofs?limit=5&period=2026-10&cursor=${cursor}`,
        `/api/v1/companies/ct_1/proofs?cursor=${cursor}`,
        `/api/v1/proofs?cursor=${cursor.slice(0, -1)}`,
        '/api/v1/proofs?cursor=p1_x',
        `/api/v1/proofs?cursor=p1_${'A'.repeat(40)}`,
      ]) {
        const { status, body } = await ask(path);
        expect([path, status, body['code']]).toEqual([path, 400, 'invalid_cursor']);
      }
      expect((await ask(`/api/v1/proofs?limit=7&cursor=${cursor}`)).status).toBe(200);
    });
    it.each([
      'limit=0',
      'limit=501',
      'limit=1e2',
      'limit=',
      'limit=1&limit=2',
      'sender=1',
      'sender=0x',
      `sender=0x${'1'.repeat(65)}`,
      'company_token=',
      'period=%00',
      'company_token=%ff',
    ])('the lists refuse %s', async (query) => {
      expect((await ask(`/api/v1/proofs?${query}`)).status).toBe(400);
    });
  });

  describe('the limit per client', () => {
    const from = (forwarded: string | string[]) =>
      ask('/api/v1/proofs?limit=1', { headers: { 'x-forwarded-for': forwarded } });
    it('the limit refuses request 61 of a minute, whatever stands to the left in X-Forwarded-For', async () => {
      const answers = [];
      for (let index = 0; index < 121; index++) answers.push(await from(`203.0.113.${index}, 192.0.2.9`));
      expect(answers.map((answer) => answer.status)).toEqual([
        ...Array.from({ length: 60 }, () => 200),
        ...Array.from({ length: 61 }, () => 429),
      ]);
      const refusal = answers[60]!;
      expect(refusal.body['code']).toBe('rate_limited');
      expect(Number(refusal.headers['retry-after'])).toBeGreaterThan(0);
      expect(refusal.headers['ratelimit']).toMatch(/^"address";r=0;t=\d+$/);
      expect(refusal.headers['ratelimit-policy']).toBe('"address";q=60;w=60');
      expect((await from('192.0.2.10')).status).toBe(200);
      clock += 60_000;
      expect((await from('192.0.2.9')).status).toBe(200);
    });
    it('the limit takes one /64 of IPv6 for one client and mapped IPv4 for many', async () => {
      for (let index = 0; index < 60; index++)
        expect((await from(`2001:db8:5:5::${index.toString(16)}`)).status).toBe(200);
      expect((await from('2001:db8:5:5:ffff::1')).status).toBe(429);
      expect((await from('2001:db8:5:6::1')).status).toBe(200);
      for (let index = 0; index < 61; index++) expect((await from(`::ffff:192.0.2.${100 + index}`)).status).toBe(200);
    });
    it('skips listed proxies and ignores every other header that claims an address', async () => {
      const answerBefore = await from('192.0.2.77');
      const remainingOf = (answer: Answer) => Number(/r=(\d+)/.exec(String(answer.headers['ratelimit']))![1]);
      expect(remainingOf(await from('192.0.2.77, 198.51.100.7'))).toBe(remainingOf(answerBefore) - 1);
      const otherAnswer = await ask('/api/v1/proofs?limit=1', {
        headers: {
          'x-forwarded-for': '192.0.2.77',
          forwarded: 'for=192.0.2.1',
          'x-real-ip': '192.0.2.2',
          'cf-connecting-ip': '192.0.2.3',
        },
      });
      expect(remainingOf(otherAnswer)).toBe(remainingOf(answerBefore) - 2);
    });
  });

  it('the page comes under a strict policy, without anything from elsewhere', async () => {
    const page = await ask('/');
    expect(page.status).toBe(200);
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.headers['content-security-policy']).not.toContain('unsafe');
    expect(page.text).not.toMatch(/https?:\/\/|<script>|style="|onclick/);
    for (const file of ['/page.js', '/words.js', '/page.css']) expect((await ask(file)).status).toBe(200);
  });

  it('the index says whom to tell about a vulnerability', async () => {
    const { status, text, headers } = await ask('/.well-known/security.txt');
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'content-type': 'text/plain; charset=utf-8', 'access-control-allow-origin': '*' });
    expect(text.split('\n')).toEqual([
      'Contact: mailto:security@proofs.example',
      expect.stringMatching(/^Expires: \d{4}-\d\d-\d\dT00:00:00Z$/),
      'Preferred-Languages: en, de',
      'Canonical: https://proofs.example/.well-known/security.txt',
      '',
    ]);
  });

  it('the metrics count what an operator watches', async () => {
    const text = await (await fetch(`${indexer.metricsUrl}/metrics`)).text();
    expect((await ask('/metrics')).status).toBe(404);
    for (const line of [
      'head_checkpoint',
      'watermark_checkpoint',
      'lag_seconds',
      'proofs',
      'rejected',
      'gap_repairs',
      'integrity_alarms',
    ])
      expect(text).toMatch(new RegExp(`^clockproof_indexer_${line} \\d`, 'm'));
  });
});
