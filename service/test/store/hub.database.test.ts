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
  const all: ChangeNotification[] = [];
  let check = () => {};
  const unsubscribe = hub.subscribe((news) => {
    all.push(news);
    check();
  });
  return {
    all,
    unsubscribe,
    until: (condition: (news: readonly ChangeNotification[]) => boolean) =>
      new Promise<void>((resolve) => {
        check = () => {
          if (condition(all)) resolve();
        };
        check();
      }),
  };
}

const placeIn = (news: readonly ChangeNotification[]) => Math.max(0, ...news.map(({ place }) => place));
const changesIn = (news: readonly ChangeNotification[]): Change[] =>
  news.flatMap(({ changes }) => [...(changes ?? [])]);

/** Resolves when a process hears the others, and has told of everything that this took. */
async function connected(world: World, process: Hub): Promise<void> {
  const heard = listen(process);
  const poke = (family: string) =>
    world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) =>
      write.touch({ family, company: null, parties: [] }),
    );
  const hears = (family: string) => heard.until((news) => changesIn(news).some((change) => change.family === family));
  let isHeard = false;
  void hears('poke').then(() => {
    isHeard = true;
  });
  while (!isHeard) {
    await poke('poke');
    await world.call('GET', '/api/v1/status');
  }
  // Changes are told in the order of their commits.
  await poke('last poke');
  await hears('last poke');
  heard.unsubscribe();
}

describe.each(dialects)('news of commits on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
    // A process that begins to hear the others tells of anything.
    await connected(world, world.service.hub);
  });
  afterEach(() => world.close());

  it('the news of a commit tells the settled place and whose records changed', async () => {
    const before = (await settledPosition(world.db)).place;
    const heard = listen(world.service.hub);
    await sendStamp(world, 'in');
    await heard.until((news) => placeIn(news) > before && changesIn(news).length > 0);
    expect(placeIn(heard.all)).toBe((await settledPosition(world.db)).place);
    expect(changesIn(heard.all)).toContainEqual({
      family: 'clock',
      company: world.nord,
      parties: [`extension ${world.planner.id}`, `person ${world.people.ada}`],
    });
  });

  it('the news of a commit tells of an absence', async () => {
    const heard = listen(world.service.hub);
    await sendAbsence(world, { start_date: '2026-12-01', end_date: '2026-12-02' });
    const settled = (await settledPosition(world.db)).place;
    await heard.until((news) => placeIn(news) === settled);
    expect(changesIn(heard.all)).toContainEqual(expect.objectContaining({ family: 'absence', company: world.nord }));
  });

  it('the news of commits omits rolled-back changes', async () => {
    const heard = listen(world.service.hub);
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
    await heard.until((news) => changesIn(news).length > 0);
    expect(changesIn(heard.all).map(({ family }) => family)).toEqual(['clock']);
  });

  it('the news of commits tells of changes without an entry in the audit log', async () => {
    const heard = listen(world.service.hub);
    const change = { family: 'delivery', company: world.nord, parties: [`extension ${world.planner.id}`] };
    await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) =>
      write.touch(change),
    );
    await heard.until((news) => changesIn(news).length > 0);
    expect(changesIn(heard.all)).toEqual([change]);
  });

  it('the news of commits finds the changes of a lost signal', async () => {
    const other = await world.replica();
    const heard = listen(other.hub);
    await sendStamp(world, 'in');
    await other.hub.lookUp();
    const settled = (await settledPosition(world.db)).place;
    await heard.until((news) => placeIn(news) >= settled);
  });
});

describe('signals between processes', () => {
  let settled = 0;
  const reader = {
    dialect: { order: {} },
    get: async () => ({ epoch: '0a1b2c3d', place: settled }),
  } as unknown as Reader;
  const open = () => {
    const sent: string[] = [];
    let listener: SignalListener | undefined;
    let resume = () => {};
    const hub = createHub({
      reader,
      process: 'this',
      pause: () => new Promise((resolve) => (resume = resolve)),
      openSignals: (given) => {
        listener = given;
        return { opened: Promise.resolve(), send: async (text) => void sent.push(text), close: async () => undefined };
      },
    });
    return { hub, sent, listener: listener!, resume: () => resume() };
  };
  const commit = (place: number) => ({ place, changes: [{ family: 'clock', company: 1, parties: [] }] });
  const placesOf = (sent: readonly string[]) =>
    sent.map((text) => {
      const { place, changes } = JSON.parse(text) as { place: number; changes: Change[] };
      return [place, changes.length];
    });

  it('a signal is sent at once, and commits within the pause after one share the next', async () => {
    const { hub, sent, resume } = open();
    hub.noteCommit(commit(1));
    await setImmediate();
    hub.noteCommit(commit(2));
    hub.noteCommit(commit(3));
    await setImmediate();
    expect(placesOf(sent)).toEqual([[1, 1]]);
    resume();
    await setImmediate();
    expect(placesOf(sent).slice(1)).toEqual([[3, 2]]);
    resume();
    await setImmediate();
    expect(sent).toHaveLength(2);
    hub.noteCommit(commit(4));
    await setImmediate();
    expect(placesOf(sent).slice(2)).toEqual([[4, 1]]);
  });

  it('a pending signal is sent when the process ends, without a pause', async () => {
    const { hub, sent } = open();
    hub.noteCommit(commit(1));
    await setImmediate();
    hub.noteCommit(commit(2));
    await hub.close();
    expect(placesOf(sent)).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });

  it('signals report possible changes after an interruption, because earlier ones were lost', async () => {
    const { sent, listener } = open();
    listener.onConnect();
    await setImmediate();
    expect(sent.map((text) => JSON.parse(text) as unknown)).toEqual([
      { process: 'this', place: 0, changes: 'anything' },
    ]);
  });

  it('signals are accepted where they are whole, and ignored otherwise', async () => {
    settled = 2;
    const { hub, listener } = open();
    const heard = listen(hub);
    const change = { family: 'clock', company: 1, parties: [] };
    for (const changes of ['everything', undefined, 7, { length: 1 }])
      listener.onMessage(JSON.stringify({ process: 'other', place: 3, changes }));
    listener.onMessage(JSON.stringify({ process: 'other', place: 2, changes: [change] }));
    await heard.until((news) => news.length > 0);
    expect(heard.all).toEqual([{ place: 2, changes: [change] }]);
  });

  it('a process looks again until a commit is settled, and reports changes at once', async () => {
    settled = 0;
    const { hub, resume } = open();
    const heard = listen(hub);
    hub.noteCommit(commit(5));
    await heard.until((news) => news.length === 1);
    expect(heard.all).toEqual([{ place: 0, changes: commit(5).changes }]);
    resume();
    await setImmediate();
    expect(heard.all).toHaveLength(1);
    settled = 9;
    resume();
    await heard.until((news) => news.length === 2);
    expect(heard.all[1]).toEqual({ place: 9, changes: [] });
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
      const other = await world.replica();
      await connected(world, other.hub);
      const heard = listen(other.hub);
      await sendStamp(world, 'in');
      const settled = (await settledPosition(world.db)).place;
      await heard.until(
        (news) => placeIn(news) === settled && changesIn(news).some(({ family }) => family === 'clock'),
      );
      expect(changesIn(heard.all).filter(({ family }) => family === 'clock')).toHaveLength(1);
    });

    it('news between processes are caught up after a cut connection', async () => {
      const other = await world.replica();
      await connected(world, other.hub);
      const heard = listen(other.hub);
      const cut = () =>
        world.db.all(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND (query LIKE 'LISTEN%' OR query LIKE '%pg_notify%')",
        );
      await cut();
      await sendStamp(world, 'in');
      const settled = (await settledPosition(world.db)).place;
      await heard.until((news) => placeIn(news) === settled);
      // What changed meanwhile is not known.
      await heard.until((news) => news.some(({ changes }) => changes === undefined));
      await connected(world, other.hub);
    });
  });
