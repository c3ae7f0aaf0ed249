/**
 * Nodes that tell a part of a transaction, or tell it in part: the index asks again until it has all of it, and says so
 * meanwhile.
 */

import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { objectsIn, type Spoil, spoilNode } from '../simulator/faults.js';
import { createSimulatedNode } from '../simulator/node.js';
import type { SimulatedDialect } from '../simulator/schemas.js';
import { publishedDigest } from '../src/store/index-digest.js';
import { readTotals, storeProofs } from '../src/store/proofs.js';
import { readDigest } from '../src/store/streams.js';
import {
  anchors,
  createGround,
  createHome,
  createWorld,
  expectedProofs,
  type Ground,
  growProofs,
  type Home,
  type Index,
  passUntilItGoesThrough,
  proofEvent,
  startIndex,
  storedProofs,
  today,
  untilAudited,
  watermark,
} from './world.js';

const cacheHeader = 'public, max-age=31536000, immutable';

describe.each(oneDialect)('on %s', (driver) => {
  let home: Home;
  let ground: Ground;
  let index: Index | undefined;
  let clock = today;
  beforeEach(async () => {
    home = await createHome(driver);
    clock = today;
    ground = createGround(1, 'test', () => clock);
  });
  afterEach(async () => {
    await index?.close();
    index = undefined;
    await home.close();
  });

  const begin = async (dialect: SimulatedDialect, spoil: Spoil) => {
    index = await startIndex({
      ground,
      home,
      clock: () => clock,
      node: spoilNode(createSimulatedNode(ground.chain, { dialect }), spoil),
    });
    return { get: index.get, follower: index.indexer.follower };
  };
  /** The index remembers its knowledge for a second. */
  const passSecond = () => {
    clock += 1_000;
  };

  /** Two proofs in one transaction, among others. */
  const addTwoProofs = () => {
    growProofs(ground, 5);
    const [transaction] = ground.chain.append([
      { sender: anchors[0]!, called: ground.package, events: [proofEvent(ground.random), proofEvent(ground.random)] },
    ]);
    growProofs(ground, 5);
    const [first, second] = expectedProofs(ground).filter((proof) => proof.tx === transaction!.digest);
    return { tx: transaction!.digest, first: first!, second: second! };
  };

  it('a second proof that cannot be read makes no mismatch, and is found once it can be read', async () => {
    const { tx, first, second } = addTwoProofs();
    let isIll = true;
    const { get, follower } = await begin('ga', ({ data }) => {
      if (isIll)
        for (const object of objectsIn(data))
          if (object['sequenceNumber'] === 1 && 'contents' in object) object['contents'] = null;
    });
    expect(await passUntilItGoesThrough(follower)).toBe(4);
    passSecond();
    expect(await watermark(home.db)).toBe(ground.chain.head);
    expect(await readTotals(home.db)).toMatchObject({ proofs: 11, rejected: 1 });
    const wrongRoot = '0'.repeat(64);
    for (const root of [second.merkle_root, wrongRoot]) {
      expect(await get(`/api/v1/verify/${tx}?root=${root}`)).toMatchObject({
        cache: 'no-store',
        body: {
          verdict: 'unknown',
          verified: false,
          reason: 'incomplete',
          expected_root: root,
          proofs: [first],
          knowledge: { synced: true },
        },
      });
    }
    expect(await get(`/api/v1/verify/${tx}?root=${first.merkle_root}`)).toMatchObject({
      cache: 'no-store',
      body: { verdict: 'match', verified: true },
    });
    expect(await get(`/api/v1/verify/${tx}`)).toMatchObject({
      cache: 'no-store',
      body: { verdict: 'indexed', proofs: [first] },
    });
    expect(await get(`/api/v1/proofs/${tx}`)).toMatchObject({ status: 200, cache: 'no-store', body: { events: 1 } });

    await untilAudited(follower);
    expect(await readTotals(home.db)).toMatchObject({ proofs: 11, rejected: 1 });
    isIll = false;
    await untilAudited(follower);
    passSecond();
    expect(await get(`/api/v1/verify/${tx}?root=${second.merkle_root}`)).toMatchObject({
      cache: 'no-store',
      body: { verdict: 'match', proofs: [first, second] },
    });
    expect(await get(`/api/v1/verify/${tx}?root=${wrongRoot}`)).toMatchObject({
      cache: cacheHeader,
      body: { verdict: 'mismatch' },
    });
    expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
    expect(await readTotals(home.db)).toMatchObject({ proofs: 12, rejected: 0 });
    expect(publishedDigest(await readDigest(home.db))?.checkpoint).toBe(ground.chain.head);
  });

  it('a transaction of which nothing can be read is not said to be missing', async () => {
    const { tx, first, second } = addTwoProofs();
    let isIll = true;
    const { get, follower } = await begin('flat', ({ data }) => {
      if (isIll)
        for (const object of objectsIn(data))
          if (object['digest'] === tx && 'effects' in object)
            object['effects'] = { ...(object['effects'] as object), checkpoint: null };
    });
    // The ledger goes on between the tries, so that cursors of the older servers change.
    for (let failureCount = 0; failureCount < 4; failureCount++) {
      await expect(follower.pass()).rejects.toThrow('without its checkpoint');
      ground.chain.append([]);
    }
    await follower.pass();
    passSecond();
    expect(await get(`/api/v1/verify/${tx}?root=${second.merkle_root}`)).toMatchObject({
      cache: 'no-store',
      body: { verdict: 'unknown', reason: 'incomplete', proofs: [], knowledge: { synced: true } },
    });
    expect(await get(`/api/v1/proofs/${tx}`)).toMatchObject({
      status: 404,
      cache: 'no-store',
      body: { reason: 'incomplete' },
    });
    isIll = false;
    await untilAudited(follower);
    passSecond();
    expect((await get(`/api/v1/verify/${tx}?root=${second.merkle_root}`)).body).toMatchObject({
      verdict: 'match',
      proofs: [first, second],
    });
    expect(await readTotals(home.db)).toMatchObject({ proofs: 12, rejected: 0 });
  });

  it('an event that proves to be malformed is asked for no more, and the rest of its transaction is answered for good', async () => {
    growProofs(ground, 5);
    const [transaction] = ground.chain.append([
      {
        sender: anchors[0]!,
        called: ground.package,
        events: [
          proofEvent(ground.random),
          {
            struct: 'Poison',
            fields: [
              { name: 'merkle_root', type: 'bytes', bytes: new Uint8Array(31) },
              { name: 'company_token', type: 'string', text: 'x' },
              { name: 'period', type: 'string', text: 'p' },
            ],
          },
        ],
      },
    ]);
    let isIll = true;
    let requestCount = 0;
    const { get, follower } = await begin('ga', ({ data }, query) => {
      if (query.includes('query Transaction')) requestCount++;
      if (isIll)
        for (const object of objectsIn(data))
          if (object['sequenceNumber'] === 1 && 'contents' in object) object['contents'] = null;
    });
    await passUntilItGoesThrough(follower);
    isIll = false;
    await untilAudited(follower);
    expect(await home.db.all('SELECT event_sequence, reason FROM rejected_events')).toEqual([
      { event_sequence: 1, reason: 'root_malformed' },
    ]);
    expect(await readTotals(home.db)).toMatchObject({ proofs: 6, rejected: 1 });
    const requestsBefore = requestCount;
    await untilAudited(follower);
    expect(requestCount).toBe(requestsBefore);
    passSecond();
    expect(await get(`/api/v1/verify/${transaction!.digest}?root=${'0'.repeat(64)}`)).toMatchObject({
      cache: cacheHeader,
      body: { verdict: 'mismatch' },
    });
  });

  it('an event that the node cannot tell any more takes nothing from the proof that is stored', async () => {
    const { tx, second } = addTwoProofs();
    let isIll = false;
    const { get, follower } = await begin('ga', ({ data }) => {
      if (isIll)
        for (const object of objectsIn(data))
          if (object['sequenceNumber'] === 1 && 'contents' in object) object['contents'] = null;
    });
    await follower.pass();
    isIll = true;
    await home.db.write((write) => write.run('UPDATE streams SET watermark = 1, version = version + 1'));
    await passUntilItGoesThrough(follower);
    passSecond();
    expect(await get(`/api/v1/verify/${tx}?root=${second.merkle_root}`)).toMatchObject({
      cache: 'no-store',
      body: { verdict: 'match' },
    });
    expect(await readTotals(home.db)).toMatchObject({ proofs: 12, rejected: 0 });
  });

  it('an event without its transaction is waited for, because nothing else could find it again', async () => {
    addTwoProofs();
    let isIll = true;
    const { follower } = await begin('flat', ({ data }) => {
      if (isIll)
        for (const object of objectsIn(data))
          if ('transactionBlock' in object && 'bcs' in object) {
            object['transactionBlock'] = null;
            break;
          }
    });
    await expect(passUntilItGoesThrough(follower)).rejects.toThrow('without its transaction');
    isIll = false;
    await follower.pass();
    expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
  });

  describe('the time of a proof', () => {
    const removeTimes: Spoil = ({ data }) => {
      for (const object of objectsIn(data)) if ('timestamp' in object) object['timestamp'] = null;
    };

    it('that the node does not tell is asked for, and until then the answer is not kept', async () => {
      growProofs(ground, 20);
      let isIll = true;
      const { get, follower } = await begin('ga', (answer, query) => (isIll ? removeTimes(answer, query) : undefined));
      await follower.pass();
      const [proof] = expectedProofs(ground);
      passSecond();
      const { ledger_time: _time, ...proofWithoutTime } = proof!;
      expect(await get(`/api/v1/verify/${proof!.tx}?root=${proof!.merkle_root}`)).toMatchObject({
        cache: 'no-store',
        body: { verdict: 'match', proofs: [proofWithoutTime] },
      });
      const digest = publishedDigest(await readDigest(home.db));
      isIll = false;
      await untilAudited(follower);
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      passSecond();
      expect(await get(`/api/v1/verify/${proof!.tx}?root=${proof!.merkle_root}`)).toMatchObject({
        cache: cacheHeader,
        body: { proofs: [proof] },
      });
      expect(publishedDigest(await readDigest(home.db))).not.toEqual(digest);
      expect(await readTotals(home.db)).toMatchObject({ proofs: 20, alarms: 0, last_proof_at: today });
    });

    it('that is told differently raises an alarm, and one that is not told again does not', async () => {
      growProofs(ground, 1);
      await createWorld(ground, home.db, 'ga').follower().pass();
      const [proof] = expectedProofs(ground);
      const answerWith = (ledgerTime: number | null) => ({
        tx: proof!.tx,
        eventSequence: 0,
        checkpoint: proof!.checkpoint,
        ledgerTime,
        sender: proof!.sender,
        package: proof!.package,
        companyToken: proof!.company_token,
        period: proof!.period,
        merkleRoot: proof!.merkle_root,
        eventType: 'x',
        eventBcs: null,
      });
      expect(await home.db.write((tx) => storeProofs(tx, [answerWith(null)], 1))).toEqual({
        inserted: [],
        dated: [],
        unchanged: [answerWith(null)],
        alarms: 0,
      });
      expect(await home.db.write((tx) => storeProofs(tx, [answerWith(today + 1)], 1))).toEqual({
        inserted: [],
        dated: [],
        unchanged: [],
        alarms: 1,
      });
      expect(await storedProofs(home.db)).toEqual([proof]);
    });
  });

  describe('the layout of an event', () => {
    const token = 'ct_nord1';
    const bytesForToken = () => {
      for (let index = 0; index < 3; index++) {
        ground.chain.append([
          {
            sender: anchors[0]!,
            called: ground.package,
            events: [
              {
                fields: [
                  { name: 'company_token', type: 'bytes', bytes: Buffer.from(token) },
                  { name: 'period', type: 'string', text: '2026-01' },
                  { name: 'merkle_root', type: 'bytes', bytes: ground.random.bytes(32) },
                ],
              },
            ],
          },
        ]);
      }
    };
    const failTimes = (times: number): Spoil => {
      let remainingTimes = times;
      return (_answer, query) =>
        query.includes('query Layout') && remainingTimes-- > 0
          ? { errors: [{ message: 'upstream request failed' }] }
          : undefined;
    };

    it('is asked for again where the node stumbles, instead of guessing from the JSON', async () => {
      bytesForToken();
      expect(await passUntilItGoesThrough(createWorld(ground, home.db, 'ga', failTimes(3)).follower())).toBe(3);
      expect((await storedProofs(home.db)).map((proof) => proof.company_token)).toEqual([token, token, token]);
    });

    it('is not made up for by the JSON where only the bytes are missing', async () => {
      bytesForToken();
      let isIll = true;
      const follower = createWorld(ground, home.db, 'ga', ({ data }) => {
        if (isIll) for (const object of objectsIn(data)) if ('bcs' in object) object['bcs'] = null;
      }).follower();
      await follower.pass();
      expect(await readTotals(home.db)).toMatchObject({ proofs: 0, rejected: 3 });
      isIll = false;
      await untilAudited(follower);
      expect((await storedProofs(home.db)).map((proof) => proof.company_token)).toEqual([token, token, token]);
      expect(await readTotals(home.db)).toMatchObject({ proofs: 3, rejected: 0 });
    });

    it('is asked for again later where the node has long stumbled', async () => {
      growProofs(ground, 10);
      const follower = createWorld(ground, home.db, 'ga', failTimes(5)).follower();
      expect(await passUntilItGoesThrough(follower)).toBe(4);
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      await untilAudited(follower);
      bytesForToken();
      await follower.pass();
      expect((await storedProofs(home.db)).slice(-3).map((proof) => proof.company_token)).toEqual([
        token,
        token,
        token,
      ]);
    });
  });
});
