import { setImmediate } from 'node:timers/promises';
import type { Reader, SignalListener } from '@clockproof/platform/database/database';
import { dialects } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Change, createHub, type Hub, type News } from '../src/events/hub.js';
import { currentSequence } from '../src/events/rows.js';
import { createWorld, type World } from './world.js';

/** News collected until they say what is asked for. */
function listen(hub: Hub) {
  const all: News[] = [];
  let check = () => {};
  const unsubscribe = hub.subscribe((news) => {
    all.push(news);
    check();
  });
  return {
    all,
    unsubscribe,
    until: (condition: (news: readonly News[]) => boolean) =>
      new Promise<void>((resolve) => {
        check = () => {
          if (condition(all)) resolve();
        };
        check();
      }),
  };
}

const sequenceIn = (news: readonly News[]) => Math.max(0, ...news.map(({ sequence }) => sequence));
const changesIn = (news: readonly News[]): Change[] => news.flatMap(({ changes }) => [...(changes ?? [])]);
const clockIn = (world: World, person: number) =>
  world.call('POST', '/api/v1/clock/in', { key: world.planner.key, body: { user_id: person } });

describe.each(dialects)('news of commits on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
    // The cast has been told of.
    await setImmediate();
  });
  afterEach(() => world.close());

  it('tell the sequence and whose records changed, after the commit', async () => {
    const before = await currentSequence(world.db);
    const heard = listen(world.service.hub);
    expect((await clockIn(world, world.people.ada)).status).toBe(200);
    await heard.until((news) => sequenceIn(news) > before && changesIn(news).length > 0);
    expect(sequenceIn(heard.all)).toBe(await currentSequence(world.db));
    expect(changesIn(heard.all)).toContainEqual({
      family: 'clock',
      company: world.nord,
      parties: [`extension ${world.planner.id}`, `person ${world.people.ada}`],
    });
  });

  it('tell of every stamp of a group, and of the last number', async () => {
    const heard = listen(world.service.hub);
    const { ada, ben, zoe } = world.people;
    // The first is written alone; the others wait for it and are written together.
    const answers = await Promise.all([
      clockIn(world, ada),
      clockIn(world, ben),
      world.call('POST', '/api/v1/clock/in', { key: world.souther.key, body: { user_id: zoe } }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const told = () => changesIn(heard.all).flatMap(({ parties }) => [...parties]);
    await heard.until(() => [ada, ben, zoe].every((id) => told().includes(`person ${id}`)));
    expect(sequenceIn(heard.all)).toBe(await currentSequence(world.db));
  });

  it('tell of writes in transactions as well', async () => {
    const heard = listen(world.service.hub);
    const body = { user_id: world.people.ada, type: 'vacation', start_date: '2026-12-01', end_date: '2026-12-02' };
    expect((await world.call('POST', '/api/v1/absences', { key: world.planner.key, body })).status).toBe(201);
    const sequence = await currentSequence(world.db);
    await heard.until((news) => sequenceIn(news) === sequence);
    expect(changesIn(heard.all)).toContainEqual(expect.objectContaining({ family: 'absence', company: world.nord }));
  });

  it('tell nothing of what was rolled back', async () => {
    const heard = listen(world.service.hub);
    const { store } = world.service;
    await store
      .write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
        await write.allocateSequence();
        await write.audit({ action: 'company.changed', companyId: world.nord });
        throw new Error('rolled back');
      })
      .catch(() => undefined);
    // What comes next shows that nothing came before.
    await clockIn(world, world.people.ben);
    await heard.until((news) => changesIn(news).length > 0);
    expect(changesIn(heard.all).map(({ family }) => family)).toEqual(['clock']);
  });

  it('tell of changes without an entry in the audit log', async () => {
    const heard = listen(world.service.hub);
    const change = { family: 'delivery', company: world.nord, parties: [`extension ${world.planner.id}`] };
    await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) =>
      write.touch(change),
    );
    await heard.until((news) => changesIn(news).length > 0);
    expect(changesIn(heard.all)).toEqual([change]);
  });

  it('find what a lost signal did not tell', async () => {
    const other = await world.replica();
    const heard = listen(other.hub);
    await clockIn(world, world.people.ada);
    await other.hub.lookUp();
    const sequence = await currentSequence(world.db);
    await heard.until((news) => sequenceIn(news) >= sequence);
  });
});

describe('signals between processes', () => {
  const reader = { get: async () => ({ sequence: 7 }) } as unknown as Reader;
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
        return { send: async (text) => void sent.push(text), close: async () => undefined };
      },
    });
    return { hub, sent, listener: listener!, resume: () => resume() };
  };
  const commit = (sequence: number) => ({ sequence, changes: [{ family: 'clock', company: 1, parties: [] }] });
  const sequencesOf = (sent: readonly string[]) =>
    sent.map((text) => {
      const { sequence, changes } = JSON.parse(text) as { sequence: number; changes: Change[] };
      return [sequence, changes.length];
    });

  it('go out at once, and what is committed within the pause after one shares the next', async () => {
    const { hub, sent, resume } = open();
    hub.committed(commit(1));
    await setImmediate();
    hub.committed(commit(2));
    hub.committed(commit(3));
    await setImmediate();
    expect(sequencesOf(sent)).toEqual([[1, 1]]);
    resume();
    await setImmediate();
    expect(sequencesOf(sent).slice(1)).toEqual([[3, 2]]);
    resume();
    await setImmediate();
    expect(sent).toHaveLength(2);
    hub.committed(commit(4));
    await setImmediate();
    expect(sequencesOf(sent).slice(2)).toEqual([[4, 1]]);
  });

  it('go out when the process ends, without a pause', async () => {
    const { hub, sent } = open();
    hub.committed(commit(1));
    await setImmediate();
    hub.committed(commit(2));
    await hub.close();
    expect(sequencesOf(sent)).toEqual([
      [1, 1],
      [2, 1],
    ]);
  });

  it('say that anything may have changed once they go out again, since those before were lost', async () => {
    const { sent, listener } = open();
    listener.connected();
    await setImmediate();
    expect(sent.map((text) => JSON.parse(text) as unknown)).toEqual([
      { process: 'this', sequence: 0, changes: 'anything' },
    ]);
  });

  it('are heard where they are whole, and ignored where they are something else', async () => {
    const { hub, listener } = open();
    const heard = listen(hub);
    const change = { family: 'clock', company: 1, parties: [] };
    for (const changes of ['everything', undefined, 7, { length: 1 }])
      listener.received(JSON.stringify({ process: 'other', sequence: 3, changes }));
    listener.received(JSON.stringify({ process: 'other', sequence: 2, changes: [change] }));
    await heard.until((news) => news.length > 0);
    expect(heard.all).toEqual([{ sequence: 2, changes: [change] }]);
  });
});

const onPostgres = dialects.includes('postgres') ? describe : describe.skip;

onPostgres('news between processes on postgres', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld('postgres');
  });
  afterEach(() => world.close());

  /** Resolves when a process hears the others. */
  async function connected(process: Hub): Promise<void> {
    const heard = listen(process);
    const poke = setInterval(() => {
      const change = { family: 'poke', company: null, parties: [] };
      void world.service.store
        .write({ actor: { kind: 'system' }, at: world.now() }, async (write) => write.touch(change))
        .catch(() => undefined);
    }, 20);
    await heard.until((news) => changesIn(news).some(({ family }) => family === 'poke'));
    clearInterval(poke);
    heard.unsubscribe();
  }

  it('arrive with their changes', async () => {
    const other = await world.replica();
    await connected(other.hub);
    const heard = listen(other.hub);
    await clockIn(world, world.people.ada);
    const sequence = await currentSequence(world.db);
    await heard.until(
      (news) => sequenceIn(news) === sequence && changesIn(news).some(({ family }) => family === 'clock'),
    );
    expect(changesIn(heard.all).filter(({ family }) => family === 'clock')).toHaveLength(1);
  });

  it('are caught up when the connection was cut', async () => {
    const other = await world.replica();
    await connected(other.hub);
    const heard = listen(other.hub);
    const cut = () =>
      world.db.all(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND (query LIKE 'LISTEN%' OR query LIKE '%pg_notify%')",
      );
    await cut();
    await clockIn(world, world.people.ada);
    const sequence = await currentSequence(world.db);
    await heard.until((news) => sequenceIn(news) === sequence);
    // What changed meanwhile is not known.
    await heard.until((news) => news.some(({ changes }) => changes === undefined));
    await connected(other.hub);
  });
});
