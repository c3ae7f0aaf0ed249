/** The answers of an index before its first poll, and at the moment something new is indexed. */

import { encodeBase58 } from '@clockproof/platform/bytes/base58';
import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createSimulatedNode } from '../simulator/node.js';
import {
  anchors,
  createGround,
  createHome,
  expectedProofs,
  type Ground,
  growProofs,
  type Home,
  type Index,
  proofEvent,
  startIndex,
  today,
} from './world.js';

describe.each(oneDialect)('on %s', (driver) => {
  let home: Home;
  let ground: Ground;
  let index: Index;
  let time: number;
  let digestsAnswered: boolean;
  let questions: number;
  /** The node answers questions by digest once this resolves. */
  let gate: Promise<void> | undefined;
  beforeEach(async () => {
    time = today;
    home = await createHome(driver);
    ground = createGround();
    growProofs(ground, 20);
    digestsAnswered = true;
    const node = createSimulatedNode(ground.chain, { dialect: 'flat' });
    const fetchOf: typeof node.fetch = async (url, init) => {
      if (!String(init.body).includes('query Transaction')) return node.fetch(url, init);
      questions++;
      await gate;
      return digestsAnswered ? node.fetch(url, init) : new Response('', { status: 503 });
    };
    questions = 0;
    gate = undefined;
    index = await startIndex({ ground, home, node: { requests: node.requests, fetch: fetchOf }, clock: () => time });
  });
  afterEach(async () => {
    await index.close();
    await home.close();
  });

  it('an index that has not polled yet says that it is starting and why it knows nothing', async () => {
    expect((await index.get('/api/v1/status')).body).toMatchObject({
      state: 'starting',
      last_index_time: null,
      last_proof_at: null,
      indexed_count: 0,
      network: 'devnet',
      package: ground.package,
      history: 'unknown',
    });
    const digest = encodeBase58(new Uint8Array(32).fill(7));
    expect((await index.get(`/api/v1/verify/${digest}`)).body).toMatchObject({
      verdict: 'unknown',
      verified: false,
      reason: 'not_synced',
      proofs: [],
    });
    expect((await index.get('/readyz')).status).toBe(503);
    expect((await index.get('/healthz')).status).toBe(200);
  });

  /** A proof that no poll has seen. */
  const anchor = () =>
    ground.chain.append([
      { sender: anchors[0]!, called: ground.package, events: [proofEvent(ground.random), proofEvent(ground.random)] },
    ])[0]!.digest;

  it('a proof that was anchored since the last poll is found by asking the node for its transaction', async () => {
    await index.indexer.follower.pass();
    const tx = anchor();
    const [firstProof, secondProof] = expectedProofs(ground).slice(-2);
    expect(await index.get(`/api/v1/verify/${tx}?root=${secondProof!.merkle_root}`)).toMatchObject({
      cache: 'no-store',
      body: { verdict: 'match', verified: true, proofs: [firstProof, secondProof] },
    });
    expect((await index.get(`/api/v1/proofs/${tx}`)).body).toMatchObject({ events: 2 });
    expect((await index.get('/api/v1/status')).body).toMatchObject({ indexed_count: 22 });
    await index.indexer.follower.pass();
    time += 1_000;
    expect((await index.get(`/api/v1/verify/${tx}`)).cache).toContain('immutable');
    expect((await index.get('/api/v1/status')).body).toMatchObject({ indexed_count: 22, alarm_count: 0 });
  });

  it('a proof that was anchored since the last poll is not_yet while the node is silent, then found', async () => {
    await index.indexer.follower.pass();
    digestsAnswered = false;
    const tx = anchor();
    expect((await index.get(`/api/v1/verify/${tx}`)).body).toMatchObject({
      verdict: 'unknown',
      verified: false,
      reason: 'not_yet',
      knowledge: { synced: true },
    });
    expect(await index.get(`/api/v1/proofs/${tx}`)).toMatchObject({ status: 404, body: { reason: 'not_yet' } });
    await index.indexer.follower.pass();
    time += 1_000;
    expect((await index.get(`/api/v1/verify/${tx}`)).body['verdict']).toBe('indexed');
  });

  describe('questions about transactions that do not exist', () => {
    const unknownDigest = (byte: number) => encodeBase58(new Uint8Array(32).fill(byte));

    it('are put to the node once a second each, however many ask', async () => {
      await index.indexer.follower.pass();
      const path = `/api/v1/verify/${unknownDigest(7)}`;
      let release: () => void = () => undefined;
      gate = new Promise((resolve) => {
        release = resolve;
      });
      // All twenty wait for the index before the node answers.
      const requests = Array.from({ length: 20 }, () => index.get(path));
      while (questions === 0) await new Promise((resolve) => setImmediate(resolve));
      await Promise.all(Array.from({ length: 20 }, () => index.get('/api/v1/status')));
      release();
      const answers = await Promise.all(requests);
      expect(new Set(answers.map((answer) => answer.body['reason']))).toEqual(new Set(['not_found']));
      expect(questions).toBe(1);
      time += 999;
      await index.get(path);
      expect(questions).toBe(1);
      time += 1;
      await index.get(path);
      expect(questions).toBe(2);
    });

    it('beyond the rate are not put, and answered not_yet', async () => {
      await index.indexer.follower.pass();
      const reasons: unknown[] = [];
      for (let byte = 1; byte <= 50; byte++)
        reasons.push((await index.get(`/api/v1/verify/${unknownDigest(byte)}`)).body['reason']);
      expect(questions).toBe(40);
      expect(reasons).toEqual([...Array(40).fill('not_found'), ...Array(10).fill('not_yet')]);
      time += 1_000;
      expect((await index.get(`/api/v1/verify/${unknownDigest(60)}`)).body['reason']).toBe('not_found');
    });

    it('are not put for five seconds after the node has failed', async () => {
      await index.indexer.follower.pass();
      digestsAnswered = false;
      await index.get(`/api/v1/verify/${unknownDigest(1)}`);
      digestsAnswered = true;
      time += 4_999;
      expect((await index.get(`/api/v1/verify/${unknownDigest(2)}`)).body['reason']).toBe('not_yet');
      expect(questions).toBe(1);
      time += 1;
      expect((await index.get(`/api/v1/verify/${unknownDigest(3)}`)).body['reason']).toBe('not_found');
    });
  });
});
