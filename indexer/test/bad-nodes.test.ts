/** The index against nodes that prune, forget cursors, lag, change their dialect or answer nonsense. */

import { oneDialect } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { objectsIn, spoilNode } from '../simulator/faults.js';
import { createSimulatedNode } from '../simulator/node.js';
import { type SimulatedDialect, simulatedDialects } from '../simulator/schemas.js';
import { createFollower } from '../src/follow/follower.js';
import { WrongLedger } from '../src/ledger/chain.js';
import { type Ask, createGraphqlClient, type Fetch, LedgerFailure } from '../src/ledger/graphql.js';
import { readTotals } from '../src/store/proofs.js';
import { readFollower, readStreams } from '../src/store/streams.js';
import {
  anchors,
  createGround,
  createHome,
  createWorld,
  expectedProofs,
  followerOptions,
  type Ground,
  growProofs,
  type Home,
  nodesBefore,
  passUntilItGoesThrough,
  proofEvent,
  startIndex,
  storedProofs,
  today,
  untilAudited,
  watermark,
} from './world.js';

describe.each(oneDialect)('on %s', (driver) => {
  let home: Home;
  let ground: Ground;
  beforeEach(async () => {
    home = await createHome(driver);
    ground = createGround();
  });
  afterEach(() => home.close());

  describe.each(nodesBefore(driver))('a node that speaks %s', (dialect) => {
    it('is followed where pages hold events of one checkpoint only in part', async () => {
      ground.chain.append(
        Array.from({ length: 30 }, () => ({
          sender: ground.package,
          called: ground.package,
          events: Array.from({ length: 4 }, () => ({ fields: proofFieldsOf(ground) })),
        })),
      );
      await createWorld(ground, home.db, dialect).follower({ pageSize: 7 }).pass();
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
    });

    it('never takes the watermark back when a replica lags', async () => {
      growProofs(ground, 60);
      let lag = 0;
      const follower = createWorld(ground, home.db, { dialect, lag: () => lag }).follower();
      await follower.pass();
      const reachedCheckpoint = await watermark(home.db);
      lag = 5;
      await follower.pass();
      expect(await watermark(home.db)).toBe(reachedCheckpoint);
      growProofs(ground, 20);
      lag = 0;
      await follower.pass();
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
    });

    it('that prunes behind the reader leaves the history complete', async () => {
      growProofs(ground, 100);
      let prunedBelow = 0;
      const world = createWorld(ground, home.db, { dialect, prunedBelow: () => prunedBelow });
      const follower = world.follower();
      await follower.pass();
      prunedBelow = ground.chain.head - 1;
      for (let pass = 0; pass < 12; pass++) {
        growProofs(ground, 10);
        await follower.pass();
      }
      expect((await readStreams(home.db)).map((stream) => stream.history)).toEqual(['complete']);
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
    });

    it('that had pruned before the first reading makes the history partial, and says from where on', async () => {
      growProofs(ground, 200);
      const floor = 12;
      await createWorld(ground, home.db, { dialect, prunedBelow: () => floor })
        .follower()
        .pass();
      expect((await readStreams(home.db)).map((stream) => [stream.history, stream.historyFloor])).toEqual([
        ['partial', floor],
      ]);
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground).filter((proof) => proof.checkpoint >= floor));
    });

    it('that prunes past the reader during the first reading makes the history partial', async () => {
      growProofs(ground, 400);
      let prunedBelow = 0;
      let pages = 0;
      const world = createWorld(ground, home.db, { dialect, prunedBelow: () => prunedBelow });
      const follower = world.follower({
        pageSize: 10,
        onStep: (step) => {
          if (step === 'page committed' && ++pages === 3) prunedBelow = 25;
        },
      });
      for (let pass = 0; pass < 3; pass++) await follower.pass();
      expect(prunedBelow).toBe(25);
      expect((await readStreams(home.db)).map((stream) => stream.history)).toEqual(['partial']);
      const proofs = await storedProofs(home.db);
      expect(proofs.length).toBeLessThan(400);
      expect(proofs.filter((proof) => proof.checkpoint >= 25)).toEqual(
        expectedProofs(ground).filter((proof) => proof.checkpoint >= 25),
      );
    });

    it('that prunes past an index that was away makes the history partial', async () => {
      growProofs(ground, 50);
      let prunedBelow = 0;
      const world = createWorld(ground, home.db, { dialect, prunedBelow: () => prunedBelow });
      await world.follower().pass();
      growProofs(ground, 200);
      prunedBelow = ground.chain.head - 3;
      await world.follower().pass();
      expect((await readStreams(home.db))[0]).toMatchObject({ history: 'partial', historyFloor: prunedBelow });
    });

    it('the index reads again from the last certain proof where the canary finds a hole', async () => {
      growProofs(ground, 100);
      const world = createWorld(ground, home.db, dialect);
      await world.follower().pass();
      const newestProofs = expectedProofs(ground).slice(-7);
      await home.db.write(async (tx) => {
        for (const proof of newestProofs) await tx.run('DELETE FROM proofs WHERE tx = :tx', { tx: proof.tx });
        await tx.run('UPDATE totals SET proofs = proofs - 7 WHERE id = 1');
      });
      const follower = world.follower();
      await follower.pass();
      await follower.pass();
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      expect(await readTotals(home.db)).toMatchObject({ proofs: 100, gap_repairs: 1 });
    });

    it('that was upgraded to another dialect is recognised again and nothing is lost', async () => {
      growProofs(ground, 80);
      const otherDialect: SimulatedDialect = dialect === 'ga' ? 'flat' : 'ga';
      let currentDialect = dialect;
      const nodes = Object.fromEntries(
        simulatedDialects.map((dialect) => [dialect, createSimulatedNode(ground.chain, { dialect })]),
      );
      const ask = createGraphqlClient({
        url: 'http://node.example',
        fetch: ((url: string, init: RequestInit) => nodes[currentDialect]!.fetch(url, init)) as unknown as Fetch,
      });
      const stop = new AbortController();
      let sleeps = 0;
      const follower = createFollower(
        followerOptions(ground, home.db, ask, {
          sleep: async () => {
            if (++sleeps === 1) {
              growProofs(ground, 30);
              currentDialect = otherDialect;
            }
            if (sleeps === 6) stop.abort();
          },
        }),
      );
      await follower.run(stop.signal);
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      expect((await readFollower(home.db)).dialect).toBe(otherDialect);
    });
  });

  describe('a node that stands still', () => {
    it.each(nodesBefore(driver))('a node that stands still does not count as up to date (%s)', async (dialect) => {
      let clock = today;
      const stillGround = createGround(1, 'test', () => clock);
      growProofs(stillGround, 20);
      const index = await startIndex({
        ground: stillGround,
        home,
        clock: () => clock,
        node: createSimulatedNode(stillGround.chain, { dialect }),
      });
      const readVerdicts = async () => {
        await index.indexer.follower.pass();
        return (await index.get('/api/v1/status')).body;
      };
      try {
        const head_time = new Date(today).toISOString().replace('.000Z', 'Z');
        expect(await readVerdicts()).toMatchObject({ state: 'ready', head_time, lag_seconds: 0 });
        clock += 5 * 60_000;
        expect(await readVerdicts()).toMatchObject({ state: 'ready', head_time, lag_seconds: 300 });
        clock += 1_000;
        expect(await readVerdicts()).toMatchObject({ state: 'degraded', head_time, lag_seconds: 301 });
        expect((await index.get(`/api/v1/verify/${'1'.repeat(32)}`)).body).toMatchObject({
          reason: 'not_synced',
          knowledge: { synced: false },
        });
        stillGround.chain.append([]);
        expect(await readVerdicts()).toMatchObject({ state: 'ready', lag_seconds: 0 });
      } finally {
        await index.close();
      }
    });

    it('a node that stands still cannot be told from one that goes on, if it does not tell the time', async () => {
      growProofs(ground, 20);
      let clock = today;
      const node = spoilNode(createSimulatedNode(ground.chain, { dialect: 'ga' }), ({ data }) => {
        for (const object of objectsIn(data)) if ('timestamp' in object) object['timestamp'] = null;
      });
      const index = await startIndex({ ground, home, clock: () => clock, node });
      try {
        clock += 86_400_000;
        await index.indexer.follower.pass();
        clock += 7_000;
        const { body } = await index.get('/api/v1/status');
        expect(body).toMatchObject({ state: 'ready', lag_seconds: 7 });
        expect(body).not.toHaveProperty('head_time');
      } finally {
        await index.close();
      }
    });
  });

  it('the load balancer is sent nobody while one of two senders has not been read', async () => {
    growProofs(ground, 60);
    const [firstSender, secondSender] = [...anchors].sort() as [string, string];
    let isIll = true;
    const world = createSimulatedNode(ground.chain, { dialect: 'flat' });
    let at = today;
    const fetchOf: typeof world.fetch = async (url, init) =>
      isIll && String(init.body).includes(`"sender":"${secondSender}"`)
        ? new Response('', { status: 500 })
        : world.fetch(url, init);
    const index = await startIndex({
      ground,
      home,
      addresses: [firstSender, secondSender],
      node: { requests: world.requests, fetch: fetchOf },
      clock: () => at,
    });
    try {
      await expect(index.indexer.follower.pass()).rejects.toThrow(LedgerFailure);
      expect((await readStreams(home.db)).map((stream) => stream.backfilled).sort()).toEqual([false, true]);
      expect((await index.get('/readyz')).status).toBe(503);
      isIll = false;
      await index.indexer.follower.pass();
      // Readiness is asked for once a second.
      at += 1_000;
      expect((await index.get('/readyz')).status).toBe(200);
    } finally {
      await index.close();
    }
  });

  it.each(['ga', 'flat'] as const)(
    'a hole of one sender is filled back to the last proof of that sender (%s)',
    async (dialect) => {
      const [firstSender, secondSender] = anchors as [string, string];
      const hiddenEvents = new Set<string>();
      const world = createWorld(ground, home.db, dialect, ({ data }) => {
        const list = (
          data as {
            events?: {
              edges?: { node: { transaction?: { digest: string }; transactionBlock?: { digest: string } } }[];
            };
          }
        ).events;
        if (list?.edges !== undefined)
          list.edges = list.edges.filter(
            ({ node }) => !hiddenEvents.has((node.transaction ?? node.transactionBlock)?.digest ?? ''),
          );
      });
      const follower = world.follower({ senders: [firstSender, secondSender] });
      const write = (sender: string) =>
        ground.chain.append([{ sender, called: ground.package, events: [proofEvent(ground.random)] }])[0]!.digest;
      write(firstSender);
      write(secondSender);
      await follower.pass();
      hiddenEvents.add(write(firstSender));
      await follower.pass();
      write(secondSender);
      await follower.pass();
      hiddenEvents.add(write(firstSender));
      await follower.pass();
      expect(await storedProofs(home.db)).toHaveLength(3);
      hiddenEvents.clear();
      await untilAudited(follower);
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      expect(await readTotals(home.db)).toMatchObject({ proofs: 5, gap_repairs: 1 });
    },
  );

  describe('a checkpoint far beyond the ledger', () => {
    const absurdNumber = 9_000_000_000_000_000;
    it.each(nodesBefore(driver))('that is reported once is not believed (%s)', async (dialect) => {
      growProofs(ground, 30);
      let isLying = false;
      const world = createWorld(ground, home.db, dialect, ({ data }, query) => {
        if (isLying && query.includes('query Page'))
          (data as { checkpoint: { sequenceNumber: number } }).checkpoint.sequenceNumber = absurdNumber;
      });
      const follower = world.follower();
      await follower.pass();
      isLying = true;
      growProofs(ground, 30);
      await expect(follower.pass()).rejects.toThrow('and then that it is not');
      expect(await watermark(home.db)).toBeLessThan(ground.chain.head);
      isLying = false;
      await follower.pass();
      expect((await readFollower(home.db)).headCheckpoint).toBe(ground.chain.head);
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
    });

    it.each(nodesBefore(driver))('that was believed does not stay (%s)', async (dialect) => {
      growProofs(ground, 30);
      let isLying = true;
      const follower = createWorld(ground, home.db, dialect, ({ data }, query) => {
        if (isLying && /query (Page|Chain)/.test(query))
          (data as { checkpoint: { sequenceNumber: number } }).checkpoint.sequenceNumber = absurdNumber;
      }).follower();
      await follower.pass();
      expect(await watermark(home.db)).toBe(absurdNumber);
      isLying = false;
      await untilAudited(follower);
      expect((await readFollower(home.db)).headCheckpoint).toBe(ground.chain.head);
      expect(await watermark(home.db)).toBe(ground.chain.head);
      growProofs(ground, 30);
      await follower.pass();
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
    });
  });

  describe('an unfinished walk of lists without a filter by checkpoint', () => {
    const dialect = 'flat';
    it('an unfinished walk goes on where it was after a restart', async () => {
      growProofs(ground, 500);
      const world = createWorld(ground, home.db, dialect);
      let pages = 0;
      await expect(
        world
          .follower({
            pageSize: 10,
            onStep: (step) => {
              if (step === 'page committed' && ++pages === 20) throw new Error('stop');
            },
          })
          .pass(),
      ).rejects.toThrow('stop');
      const requestsBefore = world.node.requests.count;
      await world.follower({ pageSize: 10 }).pass();
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      expect(world.node.requests.count - requestsBefore).toBeLessThan(45);
    });

    it('whose cursor the node no longer takes is finished from the other end', async () => {
      growProofs(ground, 300);
      const world = createWorld(ground, home.db, dialect);
      let pages = 0;
      await expect(
        world
          .follower({
            pageSize: 10,
            onStep: (step) => {
              if (step === 'page committed' && ++pages === 10) throw new Error('stop');
            },
          })
          .pass(),
      ).rejects.toThrow('stop');
      await home.db.write((tx) =>
        tx.run('UPDATE streams SET resume = :resume', {
          resume: JSON.stringify({ walk: 'forward', cursor: 'no cursor at all', view: 20 }),
        }),
      );
      const follower = world.follower({ pageSize: 10 });
      await expect(follower.pass()).rejects.toThrow(LedgerFailure);
      await follower.pass();
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      expect(await watermark(home.db)).toBe(ground.chain.head);
    });

    it('whose cursor fails again and again drops that cursor and is finished from the other end', async () => {
      growProofs(ground, 300);
      const world = createWorld(ground, home.db, dialect);
      let pages = 0;
      const interruptedFollower = world.follower({
        pageSize: 10,
        onStep: (step) => {
          if (step === 'page committed' && ++pages === 10) throw new Error('stop');
        },
      });
      await expect(interruptedFollower.pass()).rejects.toThrow('stop');
      const resume = (await readStreams(home.db))[0]!.resume!;
      // The checkpoint that the cursor is pinned to is gone: an error without a reason, every time.
      const ask: Ask = (document, variables) => {
        if (variables?.['after'] === resume.cursor)
          throw new LedgerFailure('retry', 'checkpoint is not available', 'INTERNAL_SERVER_ERROR');
        return world.ask(document, variables);
      };
      const follower = createFollower(followerOptions(ground, home.db, ask, { pageSize: 10 }));
      for (let attempt = 0; attempt < 5; attempt++) {
        expect((await readStreams(home.db))[0]!.resume).toEqual(resume);
        await expect(follower.pass()).rejects.toThrow('checkpoint is not available');
      }
      expect((await readStreams(home.db))[0]!.resume).toEqual({ walk: 'sweep', cursor: null, view: -1 });
      await follower.pass();
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      expect(await watermark(home.db)).toBe(ground.chain.head);
    });

    it('whose cursor row was pruned does not end the reading', async () => {
      growProofs(ground, 300);
      let prunedBelow = 0;
      const world = createWorld(ground, home.db, { dialect, prunedBelow: () => prunedBelow });
      let pages = 0;
      await expect(
        world
          .follower({
            pageSize: 10,
            onStep: (step) => {
              if (step === 'page committed' && ++pages === 10) throw new Error('stop');
            },
          })
          .pass(),
      ).rejects.toThrow('stop');
      prunedBelow = 15;
      await world.follower({ pageSize: 10 }).pass();
      expect((await storedProofs(home.db)).filter((proof) => proof.checkpoint >= 15)).toEqual(
        expectedProofs(ground).filter((proof) => proof.checkpoint >= 15),
      );
    });

    it('an unfinished walk reads from the head again where an empty page follows a cursor', async () => {
      const world = createWorld(ground, home.db, dialect);
      let lostCount = 0;
      const ask: Ask = async (document, variables) => {
        const data = await world.ask<{ events?: { edges: unknown[]; pageInfo: { hasPreviousPage: boolean } } }>(
          document,
          variables,
        );
        if (data.events === undefined || typeof variables?.['before'] !== 'string' || lostCount > 0)
          return data as never;
        lostCount++;
        return {
          ...data,
          events: { edges: [], pageInfo: { ...data.events.pageInfo, hasPreviousPage: false } },
        } as never;
      };
      const follower = createFollower(followerOptions(ground, home.db, ask, { pageSize: 10, rescanPages: 0 }));
      growProofs(ground, 20);
      await follower.pass();
      growProofs(ground, 50);
      await follower.pass();
      expect(lostCount).toBe(1);
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      expect(await watermark(home.db)).toBe(ground.chain.head);
    });
  });

  it('half an answer moves nothing', async () => {
    growProofs(ground, 30);
    const world = createWorld(ground, home.db, 'ga');
    await world.follower().pass();
    const reachedCheckpoint = await watermark(home.db);
    growProofs(ground, 30);
    const askHalf: Ask = async (document, variables) => {
      const data = await world.ask<{ events?: unknown }>(document, variables);
      if (data.events !== undefined) throw new LedgerFailure('retry', 'errors beside data', 'INTERNAL_SERVER_ERROR');
      return data as never;
    };
    await expect(createFollower(followerOptions(ground, home.db, askHalf)).pass()).rejects.toThrow(LedgerFailure);
    expect(await watermark(home.db)).toBe(reachedCheckpoint);
  });

  it.each(nodesBefore(driver))(
    'a node that answers nothing but pages is followed all the same (%s)',
    async (dialect) => {
      growProofs(ground, 130);
      const world = createWorld(ground, home.db, dialect);
      const askTersely: Ask = (document, variables) => {
        if (/query (Package|Layout|MaxPageSize|Oldest|Retention|Publication|Transaction)/.test(document))
          throw new LedgerFailure('retry', 'Cannot return null for non-nullable field', 'UNKNOWN');
        return world.ask(document, variables);
      };
      const follower = createFollower(followerOptions(ground, home.db, askTersely));
      expect(await passUntilItGoesThrough(follower)).toBe(8);
      for (let pass = 0; pass < 12; pass++) {
        growProofs(ground, 10);
        await follower.pass();
      }
      expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
      expect((await readStreams(home.db))[0]!.history).toBe('unknown');
    },
  );

  it.each([1, 3])(
    'the index leaves a node whose cursors go in a circle of %i, and does not hammer it',
    async (length) => {
      growProofs(ground, 120);
      const world = createWorld(ground, home.db, 'ga');
      const circle: string[] = [];
      let pages = 0;
      const askEndlessly: Ask = async (document, variables) => {
        const data = await world.ask<{ events?: { pageInfo: { endCursor: string; hasNextPage: boolean } } }>(
          document,
          variables,
        );
        if (data.events) {
          if (circle.length < length) circle.push(data.events.pageInfo.endCursor);
          const endCursor = circle[pages++ % circle.length]!;
          data.events.pageInfo = { ...data.events.pageInfo, hasNextPage: true, endCursor };
        }
        return data as never;
      };
      const stop = new AbortController();
      const waits: number[] = [];
      await createFollower(
        followerOptions(ground, home.db, askEndlessly, {
          sleep: async (milliseconds) => {
            waits.push(milliseconds);
            if (waits.length === 6) stop.abort();
          },
        }),
      ).run(stop.signal);
      expect(world.node.requests.count).toBeLessThan(60);
      expect(waits.slice(1)).toEqual([...waits.slice(1)].sort((a, b) => a - b));
      expect(waits.at(-1)).toBeGreaterThan(10_000);
      expect((await storedProofs(home.db)).length).toBeGreaterThan(0);
    },
  );

  it('Retry-After is honoured and a busy node is asked for less', async () => {
    growProofs(ground, 30);
    const node = createSimulatedNode(ground.chain, { dialect: 'ga' });
    const sizes: unknown[] = [];
    let answers = 0;
    const moodyFetch = (async (url: string, init: RequestInit) => {
      const { variables } = JSON.parse(String(init.body)) as { variables: { first?: number } };
      if (variables.first === undefined) return node.fetch(url, init);
      sizes.push(variables.first);
      answers++;
      if (answers === 1) return new Response('', { status: 429, headers: { 'retry-after': '37' } });
      if (answers === 2)
        return Response.json({ errors: [{ message: 'too slow', extensions: { code: 'REQUEST_TIMEOUT' } }] });
      return node.fetch(url, init);
    }) as unknown as Fetch;
    const waits: number[] = [];
    const stop = new AbortController();
    await createFollower(
      followerOptions(ground, home.db, createGraphqlClient({ url: 'http://node.example', fetch: moodyFetch }), {
        sleep: async (milliseconds) => {
          waits.push(milliseconds);
          if (waits.length === 3) stop.abort();
        },
      }),
    ).run(stop.signal);
    expect(waits[0]).toBe(37_000);
    expect(sizes.slice(0, 3)).toEqual([50, 50, 25]);
    expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
  });

  it('a node of another chain stops the process before anything is mixed', async () => {
    growProofs(ground, 10);
    await createWorld(ground, home.db, 'flat').follower().pass();
    const otherGround = createGround(1, 'another');
    growProofs(otherGround, 10);
    const follower = createWorld({ ...otherGround, package: ground.package }, home.db, 'flat').follower();
    await expect(follower.run(new AbortController().signal)).rejects.toThrow(WrongLedger);
    expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
  });

  it('another package stops the process too', async () => {
    growProofs(ground, 10);
    await createWorld(ground, home.db, 'ga').follower().pass();
    const otherPackage = ground.chain.publish('something else').address;
    await expect(
      createWorld({ ...ground, package: otherPackage }, home.db, 'ga')
        .follower()
        .pass(),
    ).rejects.toThrow(WrongLedger);
  });

  it('a package that is not there yet is waited for', async () => {
    const lateGround = createGround();
    const follower = createWorld({ ...lateGround, package: '0x'.padEnd(66, 'a') }, home.db, 'ga').follower();
    await follower.pass();
    expect(await readStreams(home.db)).toHaveLength(1);
    expect((await readStreams(home.db))[0]!.history).not.toBe('partial');
  });

  describe.each(nodesBefore(driver))('an upgraded package on %s', (dialect) => {
    it.each(['original', 'upgraded'] as const)(
      'an upgraded package gives all its proofs, whichever address is configured (%s)',
      async (configuration) => {
        growProofs(ground, 20);
        const upgrade = ground.chain.publish('upgrade', ground.package).address;
        for (let index = 0; index < 20; index++)
          ground.chain.append([
            {
              sender: ground.package,
              called: upgrade,
              events: [{ definedBy: ground.package, fields: proofFieldsOf(ground) }],
            },
          ]);
        await createWorld(
          { ...ground, package: configuration === 'original' ? ground.package : upgrade },
          home.db,
          dialect,
        )
          .follower()
          .pass();
        expect(await storedProofs(home.db)).toEqual(expectedProofs(ground));
        expect(expectedProofs(ground)).toHaveLength(40);
      },
    );

    it('an upgraded package gives proofs of a struct that a later version added, found while running', async () => {
      growProofs(ground, 20);
      const follower = createWorld(ground, home.db, dialect).follower();
      await follower.pass();
      const upgrade = ground.chain.publish('upgrade', ground.package, true).address;
      for (let index = 0; index < 5; index++)
        ground.chain.append([
          { sender: ground.package, called: upgrade, events: [{ definedBy: upgrade, fields: proofFieldsOf(ground) }] },
        ]);
      for (let pass = 0; pass < 11; pass++) await follower.pass();
      const upgradedGround = { ...ground, package: upgrade };
      expect(await storedProofs(home.db)).toEqual([...expectedProofs(ground), ...expectedProofs(upgradedGround)]);
      expect(expectedProofs(upgradedGround)).toHaveLength(5);
    });
  });
});

function proofFieldsOf({ random }: Ground) {
  return [
    { name: 'company_token', type: 'string' as const, text: `ct_${random.between(0, 9)}` },
    { name: 'period', type: 'string' as const, text: '2026-10' },
    { name: 'merkle_root', type: 'bytes' as const, bytes: random.bytes(32) },
  ];
}
