import { setImmediate } from 'node:timers/promises';
import type { Reader, SignalListener } from '@clockproof/platform/database/database';
import { dialects } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Change, type ChangeNotification, createHub, type Hub } from '../../src/store/hub.js';
import { settledPosition } from '../../src/store/position.js';
import { sendAbsence, sendStamp } from '../builders.js';
import { createWorld, type World } from '../world.js';

/** News collected until they say what is asked for. */
function listen(hub: Hub) {
  const notifications: ChangeNotification[] = [];
  let check = () => {};
  const unsubscribe = hub.subscribe((news) => {
    notifications.push(news);
    check();
  });
  return {
    notifications,
    unsubscribe,
    until: (condition: (news: readonly ChangeNotification[]) => boolean) =>
      new Promise<void>((resolve) => {
        check = () => {
          if (condition(notifications)) resolve();
        };
        check();
      }),
  };
}

const placeIn = (news: readonly ChangeNotification[]) => Math.max(0, ...news.map(({ place }) => place));
const changesIn = (news: readonly ChangeNotification[]): Change[] =>
  news.flatMap(({ changes }) => [...(changes ?? [])]);

/** Resolves when a process hears the others, and has told of everything that this took. */
async function waitUntilConnected(world: World, process: Hub): Promise<void> {
  const subscription = listen(process);
  const poke = (family: string) =>
    world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) =>
      write.touch({ family, company: null, parties: [] }),
    );
  const waitForChange = (family: string) =>
    subscription.until((news) => changesIn(news).some((change) => change.family === family));
  let isHeard = false;
  void waitForChange('poke').then(() => {
    isHeard = true;
  });
  while (!isHeard) {
    await poke('poke');
    await world.call('GET', '/api/v1/status');
  }
  // Changes are told in the order of their commits.
  await poke('last poke');
  await waitForChange('last poke');
  subscription.unsubscribe();
}

describe.each(dialects)('news of commits on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
    // A process that begins to hear the others tells of anything.
    await waitUntilConnected(world, world.service.hub);
  });
  afterEach(() => world.close());

  it('the news of a commit tells the settled place and whose records changed', async () => {
    const placeBefore = (await settledPosition(world.db)).place;
    const subscription = listen(world.service.hub);
    await sendStamp(world, 'in');
    await subscription.until((news) => placeIn(news) > placeBefore && changesIn(news).length > 0);
    expect(placeIn(subscription.notifications)).toBe((await settledPosition(world.db)).place);
    expect(changesIn(subscription.notifications)).toContainEqual({
      family: 'clock',
      company: world.nord,
      parties: [`extension ${world.planner.id}`, `person ${world.people.ada}`],
    });
  });

  it('the news of a commit tells of an absence', async () => {
    const subscription = listen(world.service.hub);
    await sendAbsence(world, { start_date: '2026-12-01', end_date: '2026-12-02' });
    const settledPlace = (await settledPosition(world.db)).place;
    await subscription.until((news) => placeIn(news) === settledPlace);
    expect(changesIn(subscription.notifications)).toContainEqual(
      expect.objectContaining({ family: 'absence', company: world.nord }),
    );
  });

  it('the news of commits omits rolled-back changes', async () => {
    const subscription = listen(world.service.hub);
    const { store } = world.service;
    await store
      .write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
        await write.event({
          type: 'ping',
          extensionId: world.planner.id,
          data: { extension: { id: world.planner.id, name: 'Planner' } },
        });
        await write.audit({ action: 'company.changed', companyId: world.nord, details: { changes: [] } });
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    // What comes next shows that nothing came before.
    await sendStamp(world, 'in', world.people.ben);
    await subscription.until((news) => changesIn(news).length > 0);
    expect(changesIn(subscription.notifications).map(({ family }) => family)).toEqual(['clock']);
  });

  it('the news of commits tells of changes without an entry in the audit log', async () => {
    const subscription = listen(world.service.hub);
    const change = { family: 'delivery', company: world.nord, parties: [`extension ${world.planner.id}`] };
    await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) =>
      write.touch(change),
    );
    await subscription.until((news) => changesIn(news).length > 0);
    expect(changesIn(subscription.notifications)).toEqual([change]);
  });

  it('the news of commits finds the changes of a lost signal', async () => {
    const replica = await world.replica();
    const subscription = listen(replica.hub);
    await sendStamp(world, 'in');
    await replica.hub.lookUp();
    const settledPlace = (await settledPosition(world.db)).place;
    await subscription.until((news) => placeIn(news) >= settledPlace);
  });
});

describe('signals between processes', () => {
  let settledPlace = 0;
  const reader = {
    dialect: { order: {} },
    get: async () => ({ epoch: '0a1b2c3d', place: settledPlace }),
  } as unknown as Reader;
  const openHub = () => {
    const signals: string[] = [];
    let listener: SignalListener | undefined;
    let resume = () => {};
    const hub = createHub({
      reader,
      process: 'this',
      pause: () => new Promise((resolve) => (resume = resolve)),
      openSignals: (signalListener) => {
        listener = signalListener;
        return {
          opened: Promise.resolve(),
          send: async (text) => void signals.push(text),
          close: async () => undefined,
        };
      },
    });
    return { hub, signals, listener: listener!, resume: () => resume() };
  };
  const commit = (place: number) => ({ place, changes: [{ family: 'clock', company: 1, parties: [] }] });
  const placesOf = (signals: readonly string[]) =>
    signals.map((text) => {
      const { place, changes } = JSON.parse(text) as { place: number; changes: Change[] };
      return [place, changes.length];
    });

  it('a signal is sent at once, and commits within the pause after one share the next', async () => {
    const { hub, signals, resume } = openHub();
    hub.noteCommit(commit(1));
    await setImmediate();
    hub.noteCommit(commit(2));
    hub.noteCommit(commit(3));
    await setImmediate();
    expect(placesOf(signals)).toEqual([[1, 1]]);
    resume();
    await setImmediate();
    expect(placesOf(signals).slice(1)).toEqual([[3, 2]]);
    resume();
    await setImmediate();
    expect(signals).toHaveLength(2);
    hub.noteCommit(commit(4));
    await setImmediate();
    expect(placesOf(signals).slice(2)).toEqual([[4, 1]]);
  });

  it('a pending signal is sent when the process ends, without a pause', async () => {
    const { hub, signals } = openHub();
    hub.noteCommit(commit(1));
    await setImmediate();
    hub.noteCommit(commit(2));
    await hub.close();
    expect(placesOf(signals)).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });

  it('signals report possible changes after an interruption, because earlier ones were lost', async () => {
    const { signals, listener } = openHub();
    listener.onConnect();
    await setImmediate();
    expect(signals.map((text) => JSON.parse(text) as unknown)).toEqual([
      { process: 'this', place: 0, changes: 'anything' },
    ]);
  });

  it('signals are accepted where they are whole, and ignored otherwise', async () => {
    settledPlace = 2;
    const { hub, listener } = openHub();
    const subscription = listen(hub);
    const change = { family: 'clock', company: 1, parties: [] };
    for (const changes of ['everything', undefined, 7, { length: 1 }])
      listener.onMessage(JSON.stringify({ process: 'other', place: 3, changes }));
    listener.onMessage(JSON.stringify({ process: 'other', place: 2, changes: [change] }));
    await subscription.until((news) => news.length > 0);
    expect(subscription.notifications).toEqual([{ place: 2, changes: [change] }]);
  });

  it('a process looks again until a commit is settled, and reports changes at once', async () => {
    settledPlace = 0;
    const { hub, resume } = openHub();
    const subscription = listen(hub);
    hub.noteCommit(commit(5));
    await subscription.until((news) => news.length === 1);
    expect(subscription.notifications).toEqual([{ place: 0, changes: commit(5).changes }]);
    resume();
    await setImmediate();
    expect(subscription.notifications).toHaveLength(1);
    settledPlace = 9;
    resume();
    await subscription.until((news) => news.length === 2);
    expect(subscription.notifications[1]).toEqual({ place: 9, changes: [] });
  });
});

if (dialects.includes('postgres'))
  describe('news between processes on postgres', () => {
    let world: World;
    beforeEach(async () => {
      world = await createWorld('postgres');
    });
    afterEach(() => world.close());

    it('news between processes arrive with their changes', async () => {
      const replica = await world.replica();
      await waitUntilConnected(world, replica.hub);
      const subscription = listen(replica.hub);
      await sendStamp(world, 'in');
      const settledPlace = (await settledPosition(world.db)).place;
      await subscription.until(
        (news) => placeIn(news) === settledPlace && changesIn(news).some(({ family }) => family === 'clock'),
      );
      expect(changesIn(subscription.notifications).filter(({ family }) => family === 'clock')).toHaveLength(1);
    });

    it('news between processes are caught up after a cut connection', async () => {
      const replica = await world.replica();
      await waitUntilConnected(world, replica.hub);
      const subscription = listen(replica.hub);
      const cut = () =>
        world.db.all(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND (query LIKE 'LISTEN%' OR query LIKE '%pg_notify%')",
        );
      await cut();
      await sendStamp(world, 'in');
      const settledPlace = (await settledPosition(world.db)).place;
      await subscription.until((news) => placeIn(news) === settledPlace);
      // What changed meanwhile is not known.
      await subscription.until((news) => news.some(({ changes }) => changes === undefined));
      await waitUntilConnected(world, replica.hub);
    });
  });
