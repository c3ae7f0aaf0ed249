/**
 * The package that is read: nothing is dropped, mixed or claimed because a node does not know it, or stumbles over the
 * question.
 */

import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Spoil } from '../simulator/faults.js';
import { createSimulatedNode } from '../simulator/node.js';
import { WrongLedger } from '../src/ledger/chain.js';
import { LedgerFailure } from '../src/ledger/graphql.js';
import { readFollower, readStreams } from '../src/store/streams.js';
import {
  anchors,
  createGround,
  createHome,
  createWorld,
  expectedProofs,
  type Ground,
  growProofs,
  type Home,
  passUntilItGoesThrough,
  proofEvent,
  startIndex,
  storedProofs,
  untilAudited,
} from './world.js';

const strangerAddress = `0x${'a'.repeat(64)}`;

describe.each(oneDialect)('on %s', (driver) => {
  let home: Home;
  let ground: Ground;
  beforeEach(async () => {
    home = await createHome(driver);
    ground = createGround();
  });
  afterEach(() => home.close());

  /** An upgrade that adds a struct, so that there are two streams. */
  const upgradePackage = () => {
    growProofs(ground, 20);
    const upgrade = ground.chain.publish('upgrade', ground.package, true).address;
    ground.chain.append([
      { sender: anchors[0]!, called: upgrade, events: [{ ...proofEvent(ground.random), definedBy: upgrade }] },
    ]);
    return upgrade;
  };
  const proofsOfBoth = (upgrade: string) => [
    ...expectedProofs(ground),
    ...expectedProofs({ ...ground, package: upgrade }),
  ];
  /** The question about the package fails without a reason. */
  const failIf =
    (isIll: () => boolean): Spoil =>
    (_answer, query) =>
      query.includes('query Package') && isIll() ? { errors: [{ message: 'upstream connect error' }] } : undefined;

  describe('an address that no node knows', () => {
    it('stops the process on a filled database, before a stream is changed', async () => {
      growProofs(ground, 20);
      await createWorld(ground, home.db, 'ga').follower().pass();
      const streams = await readStreams(home.db);
      const stop = new AbortController();
      const follower = createWorld({ ...ground, package: strangerAddress }, home.db, 'ga').follower({
        sleep: async () => stop.abort(),
      });
      await expect(follower.run(stop.signal)).rejects.toThrow(WrongLedger);
      expect(await readStreams(home.db)).toEqual(streams);
    });

    it('is no reason to stop while the node stumbles', async () => {
      growProofs(ground, 20);
      await createWorld(ground, home.db, 'ga').follower().pass();
      const streams = await readStreams(home.db);
      const follower = createWorld(
        { ...ground, package: strangerAddress },
        home.db,
        'ga',
        failIf(() => true),
      ).follower();
      await expect(follower.pass()).rejects.toThrow(LedgerFailure);
      expect(await readStreams(home.db)).toEqual(streams);
    });

    it.each([
      ['a node that remembers all', 0],
      ['a node that has pruned', 2],
    ])('on a fresh database claims nothing (%s)', async (_, prunedBelow) => {
      growProofs(ground, 20);
      const index = await startIndex({
        ground: { package: strangerAddress },
        home,
        node: createSimulatedNode(ground.chain, { dialect: 'ga', prunedBelow: () => prunedBelow }),
      });
      try {
        for (let pass = 0; pass < 3; pass++) await index.indexer.follower.pass();
        expect((await index.get('/api/v1/status')).body).toMatchObject({
          state: 'degraded',
          history: 'unknown',
          indexed_count: 0,
        });
        expect((await index.get(`/api/v1/verify/${'1'.repeat(32)}`)).body).toMatchObject({
          verdict: 'unknown',
          reason: 'package_unknown',
          knowledge: { history: 'unknown', synced: true },
        });
        expect((await index.get('/readyz')).status).toBe(503);
        expect((await readStreams(home.db)).map((stream) => stream.history)).toEqual(['unknown']);
      } finally {
        await index.close();
      }
    });
  });

  it('a package that appears is read from then on, and its history is known', async () => {
    const earlyGround = createGround(1, 'late');
    let isPublished = false;
    const world = createWorld(earlyGround, home.db, 'ga', (answer, query) =>
      !isPublished && query.includes('query Package')
        ? {
            data: {
              ...(answer.data as object),
              package: null,
              packageVersions: { pageInfo: { hasNextPage: false, endCursor: null }, nodes: [] },
            },
          }
        : answer,
    );
    const follower = world.follower();
    await follower.pass();
    growProofs(earlyGround, 20);
    isPublished = true;
    await follower.pass();
    await follower.pass();
    expect(await readStreams(home.db)).toMatchObject([{ history: 'complete', backfilled: true }]);
    expect((await readFollower(home.db)).originalPackage).toBe(earlyGround.package);
    expect(await storedProofs(home.db)).toEqual(expectedProofs(earlyGround));
  });

  describe.each(['original', 'upgraded'] as const)(
    'a node that stumbles over the package (%s address)',
    (configuration) => {
      it('takes nothing away, at an audit or at a start', async () => {
        const upgrade = upgradePackage();
        let isIll = false;
        let prunedBelow = 0;
        const spot = { ...ground, package: configuration === 'original' ? ground.package : upgrade };
        const world = createWorld(
          spot,
          home.db,
          { dialect: 'flat', prunedBelow: () => prunedBelow },
          failIf(() => isIll),
        );
        const follower = world.follower();
        await follower.pass();
        const ids = (await readStreams(home.db)).map((stream) => stream.id);
        expect(ids).toHaveLength(2);
        isIll = true;
        prunedBelow = ground.chain.head;
        growProofs(ground, 10);
        await untilAudited(follower);
        await world.follower().pass();
        ground.chain.append([
          { sender: anchors[0]!, called: upgrade, events: [{ ...proofEvent(ground.random), definedBy: upgrade }] },
        ]);
        await world.follower().pass();
        const streams = await readStreams(home.db);
        expect(streams.map((stream) => stream.id)).toEqual(ids);
        expect(streams.map((stream) => stream.history)).toEqual(['complete', 'complete']);
        const proofsStored = await storedProofs(home.db);
        expect(proofsStored).toHaveLength(32);
        expect(new Set(proofsStored.map((proof) => proof.tx))).toEqual(
          new Set(proofsOfBoth(upgrade).map((proof) => proof.tx)),
        );
      });
    },
  );

  it('a node that stumbles at the very start is asked again before the address stands for itself', async () => {
    const upgrade = upgradePackage();
    let failuresLeft = 3;
    const follower = createWorld(
      { ...ground, package: upgrade },
      home.db,
      'ga',
      failIf(() => failuresLeft-- > 0),
    ).follower();
    expect(await passUntilItGoesThrough(follower)).toBe(3);
    expect(await storedProofs(home.db)).toEqual(proofsOfBoth(upgrade));
  });

  it('a node that has forgotten the first version changes nothing', async () => {
    const upgrade = upgradePackage();
    await createWorld(ground, home.db, 'ga').follower().pass();
    const forgetVersions: Spoil = ({ data }, query) => {
      if (!query.includes('query Package')) return;
      interface Version {
        address: string;
        typeOrigins: { definingId: string }[];
      }
      const answer = data as { package: Version; packageVersions: { nodes: Version[] } };
      answer.packageVersions.nodes = answer.packageVersions.nodes.filter((version) => version.address === upgrade);
      for (const version of [answer.package, ...answer.packageVersions.nodes])
        version.typeOrigins = version.typeOrigins.filter((origin) => origin.definingId === upgrade);
    };
    const follower = createWorld({ ...ground, package: upgrade }, home.db, 'ga', forgetVersions).follower();
    growProofs(ground, 10);
    await follower.pass();
    expect(await readStreams(home.db)).toHaveLength(2);
    expect(await storedProofs(home.db)).toHaveLength(31);
  });
});
