/** Several processes on one database, several indexes of one ledger, and senders that come and go. */

import { openDatabase } from '@clockproof/platform/database/open';
import { dialects } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createRandom } from '../simulator/random.js';
import { advanceDigest, publishedDigest } from '../src/store/index-digest.js';
import { readTotals, storeProofs } from '../src/store/proofs.js';
import { beatLease, readDigest, readFollower, readStreams } from '../src/store/streams.js';
import {
  anchors,
  createGround,
  createHome,
  createWorld,
  expectedProofs,
  type Ground,
  grow,
  growProofs,
  type Home,
  nodesBefore,
  storedProofs,
  watermark,
} from './world.js';

const digestOf = async (home: Home) => publishedDigest(await readDigest(home.db));

describe.each(dialects)('on %s', (driver) => {
  let home: Home;
  let ground: Ground;
  beforeEach(async () => {
    home = await createHome(driver);
    ground = createGround();
  });
  afterEach(() => home.close());

  describe.each(nodesBefore(driver))('two replicas on %s', (dialect) => {
    it('reading at the same time store everything once', async () => {
      grow(ground, 150);
      const secondDatabase = await openDatabase(home.test.settings);
      try {
        const world = createWorld(ground, home.db, dialect);
        const otherWorld = createWorld(ground, secondDatabase, dialect);
        const random = createRandom(5);
        const runFollower = async (replica: typeof world, holder: string) => {
          const stop = new AbortController();
          let sleeps = 0;
          await replica
            .follower({
              holder,
              pageSize: random.between(5, 20),
              sleep: async () => {
                grow(ground, random.between(0, 2));
                // Without the lease both would read all the time: here the lease is taken away again and again, so that
                // they meet.
                await secondDatabase.write((tx) => tx.run('UPDATE follower SET lease_holder = NULL WHERE id = 1'));
                if (++sleeps > 25) stop.abort();
              },
            })
            .run(stop.signal);
        };
        await Promise.all([runFollower(world, 'one'), runFollower(otherWorld, 'two')]);
        await world.follower().pass();
        const expectations = expectedProofs(ground);
        expect(await storedProofs(home.db)).toEqual(expectations);
        expect(await readTotals(home.db)).toMatchObject({ proofs: expectations.length, alarms: 0, rejected: 0 });
        expect(await watermark(home.db)).toBe(ground.chain.head);
      } finally {
        await secondDatabase.close();
      }
    });
  });

  it('the replica without the lease lets the other one read, until its beat stands still', async () => {
    growProofs(ground, 20);
    const world = createWorld(ground, home.db, 'ga');
    await world.follower({ holder: 'one' }).pass();
    await beatLease(home.db, await readFollower(home.db), 'one');
    const requestsBefore = world.node.requests.count;
    const stop = new AbortController();
    let sleeps = 0;
    const idleFollower = world.follower({
      holder: 'two',
      sleep: async () => {
        if (++sleeps === 1) await beatLease(home.db, await readFollower(home.db), 'one');
        if (sleeps === 10) stop.abort();
      },
    });
    await idleFollower.run(stop.signal);
    // One pass at its start, to see where things are; then it only watches.
    expect(world.node.requests.count - requestsBefore).toBeLessThan(15);
    expect((await readFollower(home.db)).leaseHolder).toBe('one');
  });

  it('two indexes with other page sizes and other crashes agree by one hash', async () => {
    grow(ground, 120);
    const otherHome = await createHome(driver);
    try {
      await createWorld(ground, home.db, 'ga').follower({ pageSize: 50 }).pass();
      const world = createWorld(ground, otherHome.db, 'flat');
      for (let life = 0; life < 40; life++) {
        let steps = 0;
        await world
          .follower({
            pageSize: 3,
            onStep: () => {
              if (++steps > 10 + life) throw new Error('dies');
            },
          })
          .pass()
          .catch(() => undefined);
      }
      await world.follower().pass();
      expect(await digestOf(otherHome)).toEqual(await digestOf(home));
      expect((await digestOf(home))?.checkpoint).toBe(ground.chain.head);
      expect(JSON.stringify(await storedProofs(otherHome.db))).toBe(JSON.stringify(await storedProofs(home.db)));
    } finally {
      await otherHome.close();
    }
  });

  it('a proof that comes in late is put into the tree', async () => {
    growProofs(ground, 60);
    const world = createWorld(ground, home.db, 'ga');
    await world.follower().pass();
    const wholeDigest = await digestOf(home);
    const [missingProof] = expectedProofs(ground).slice(30, 31);
    await home.db.write((tx) => tx.run('DELETE FROM proofs WHERE tx = :tx', { tx: missingProof!.tx }));
    await home.db.write((tx) =>
      tx.run(
        "UPDATE index_digest SET checkpoint = -1, size = 0, frontier = :empty, last_checkpoint = -1, last_tx = '', last_sequence = -1",
        { empty: new Uint8Array(0) },
      ),
    );
    await advanceDigest(home.db, []);
    expect(await digestOf(home)).not.toEqual(wholeDigest);
    await home.db.write((tx) => tx.run('UPDATE streams SET watermark = 3, version = version + 1'));
    await world.follower().pass();
    expect(await digestOf(home)).toEqual(wholeDigest);
  });

  describe.each(nodesBefore(driver))('a list of senders on %s', (dialect) => {
    it('is one stream a sender; a new one is read from the beginning, a removed one stays where it is', async () => {
      growProofs(ground, 90);
      const world = createWorld(ground, home.db, dialect);
      await world.follower({ senders: [anchors[0]!] }).pass();
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground, Infinity, [anchors[0]!]));
      growProofs(ground, 30);
      const addresses = [anchors[0]!, anchors[1]!].sort();
      await world.follower({ senders: addresses }).pass();
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground, Infinity, addresses));
      expect(await readStreams(home.db)).toHaveLength(2);
      const digestBefore = await digestOf(home);
      await world.follower({ senders: [anchors[0]!] }).pass();
      expect(await readStreams(home.db)).toHaveLength(1);
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground, Infinity, addresses));
      expect(await digestOf(home)).not.toEqual(digestBefore);
      await world.follower({ senders: [] }).pass();
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
    });
  });

  it('a node that gives events of other senders or packages gets them counted, not stored', async () => {
    growProofs(ground, 40);
    const world = createWorld(ground, home.db, 'ga');
    const hostileWorld = createWorld(ground, home.db, 'ga');
    const askGenerously: typeof world.ask = (document, variables) => {
      const filter = variables?.['filter'] as { sender?: string } | undefined;
      return hostileWorld.ask(
        document,
        filter === undefined
          ? variables
          : { ...variables, filter: Object.fromEntries(Object.entries(filter).filter(([name]) => name !== 'sender')) },
      );
    };
    await world.follower({ senders: [anchors[0]!], ask: askGenerously }).pass();
    const ownProofs = expectedProofs(ground, Infinity, [anchors[0]!]);
    expect(await storedProofs(home.db)).toEqual(ownProofs);
    expect(await readTotals(home.db)).toMatchObject({ proofs: ownProofs.length, rejected: 40 - ownProofs.length });
  });

  it('poison among proofs is counted by reason and holds nothing up', async () => {
    growProofs(ground, 20);
    for (let index = 0; index < 5; index++) {
      ground.chain.append([
        {
          sender: anchors[0]!,
          called: ground.package,
          events: [
            {
              struct: `Poison${index}`,
              fields: [
                { name: 'merkle_root', type: 'bytes', bytes: new Uint8Array(31) },
                { name: 'company_token', type: 'string', text: 'x' },
                { name: 'period', type: 'string', text: 'p' },
              ],
            },
          ],
        },
      ]);
    }
    growProofs(ground, 20);
    const world = createWorld(ground, home.db, 'flat');
    for (let pass = 0; pass < 3; pass++) await world.follower().pass();
    expect(await readTotals(home.db)).toMatchObject({ proofs: 40, rejected: 5 });
    expect(await home.db.all('SELECT DISTINCT reason FROM rejected_events')).toEqual([{ reason: 'root_malformed' }]);
    expect(await watermark(home.db)).toBe(ground.chain.head);
  });

  it('a proof that the ledger later tells differently stays as it was, and an alarm is raised once', async () => {
    growProofs(ground, 10);
    await createWorld(ground, home.db, 'ga').follower().pass();
    const [proof] = expectedProofs(ground);
    const answer = {
      tx: proof!.tx,
      eventSequence: 0,
      checkpoint: proof!.checkpoint,
      ledgerTime: null,
      sender: proof!.sender,
      package: proof!.package,
      companyToken: proof!.company_token,
      period: proof!.period,
      merkleRoot: 'f'.repeat(64),
      eventType: 'x',
      eventBcs: null,
    };
    expect(await home.db.write((tx) => storeProofs(tx, [answer], 1))).toMatchObject({ inserted: [], alarms: 1 });
    expect(await home.db.write((tx) => storeProofs(tx, [answer], 2))).toMatchObject({ inserted: [], alarms: 0 });
    expect((await storedProofs(home.db))[0]).toEqual(proof);
    expect(await home.db.all('SELECT tx, noticed_at FROM integrity_alarms')).toEqual([
      { tx: proof!.tx, noticed_at: 1 },
    ]);
  });
});
