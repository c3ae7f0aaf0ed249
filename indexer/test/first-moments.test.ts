/** What an index answers before its first poll, and the moment something new is indexed. */
import { dialects } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createSimulatedNode } from '../simulator/node.js';
import { encodeBase58 } from '../src/ledger/identifiers.js';
import {
  anchors,
  createGround,
  createHome,
  type Ground,
  growProofs,
  type Home,
  type Index,
  proofEvent,
  startIndex,
  today,
} from './world.js';

describe.each(dialects)('on %s', (driver) => {
  let home: Home;
  let ground: Ground;
  let index: Index;
  let now: number;
  beforeEach(async () => {
    now = today;
    home = await createHome(driver);
    ground = createGround();
    growProofs(ground, 20);
    const node = createSimulatedNode(ground.chain, { dialect: 'flat' });
    index = await startIndex({ ground, home, node, clock: () => now });
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
    const unknown = encodeBase58(new Uint8Array(32).fill(7));
    expect((await index.get(`/api/v1/verify/${unknown}`)).body).toMatchObject({
      verdict: 'unknown',
      verified: false,
      reason: 'not_synced',
      proofs: [],
    });
    expect((await index.get('/readyz')).status).toBe(503);
    expect((await index.get('/healthz')).status).toBe(200);
  });

  it('an index that was asked for a proof too early finds it as soon as it is indexed', async () => {
    await index.indexer.follower.pass();
    const [transaction] = ground.chain.append([
      { sender: anchors[0]!, called: ground.package, events: [proofEvent(ground.random)] },
    ]);
    expect((await index.get(`/api/v1/verify/${transaction!.digest}`)).body['verdict']).toBe('unknown');
    await index.indexer.follower.pass();
    now += 1_000;
    expect((await index.get(`/api/v1/verify/${transaction!.digest}`)).body['verdict']).toBe('indexed');
  });
});
