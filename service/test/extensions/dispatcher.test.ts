/** What happens to deliveries between two steps of the dispatcher: the test decides when a read and a request go on. */
import { createLog } from '@clockproof/platform/log';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createDispatcher, type Dispatcher } from '../../src/extensions/webhooks/dispatcher.js';
import { nextAttempt } from '../../src/extensions/webhooks/retry-schedule.js';
import type { Attempt, SendWebhook } from '../../src/extensions/webhooks/send.js';
import type { Store } from '../../src/store/write.js';
import { addSuperAdmin } from '../browser.js';
import { sendStamp } from '../builders.js';
import { createWorld, type World } from '../world.js';

const delivered: Attempt = { outcome: 'delivered', status: 204, answer: '', milliseconds: 3 };

/** A place where work waits while it is shut. */
function createGate() {
  let open: (() => void) | undefined;
  let opened = Promise.resolve();
  let waiting = 0;
  return {
    shut: () => (opened = new Promise((resolve) => (open = resolve))),
    open: () => open?.(),
    waiting: () => waiting,
    async pass() {
      waiting++;
      await opened;
      waiting--;
    },
  };
}

const eventually = async (isTrue: () => boolean) => {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
};

describe('the dispatcher', () => {
  let world: World;
  let dispatcher: Dispatcher;
  const sent: string[] = [];
  // Its own: services of other tests write to the shared one.
  const log = createLog('error', 'service');
  const logged = jest.spyOn(log, 'error').mockReturnValue(undefined);
  const reads = createGate();
  const requests = createGate();
  let recordFails = false;
  beforeEach(async () => {
    world = await createWorld('sqlite', { env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
    recordFails = false;
    sent.length = 0;
    logged.mockClear();
    const { store, sealingKeys } = world.service;
    const db: Store = {
      ...store,
      async all(sql, parameters) {
        // The read of what is due.
        if (sql.includes('webhook_deliveries earlier')) await reads.pass();
        return store.all(sql, parameters);
      },
      write: (...effect) => (recordFails ? Promise.reject(new Error('the disk is full')) : store.write(...effect)),
    };
    const send: SendWebhook = async ({ id }) => {
      sent.push(id);
      await requests.pass();
      return delivered;
    };
    dispatcher = createDispatcher({
      db,
      send,
      keys: sealingKeys,
      clock: world.now,
      random: () => 0.5,
      holder: 'p_dispatcher',
      log,
      schedule: nextAttempt,
    });
    const root = await world.as(await addSuperAdmin(world));
    await root.call('POST', '/app/admin/extensions', {
      body: {
        name: 'Hooks',
        mode: 'webhooks',
        acting: 'everyone',
        company_id: world.nord,
        scopes: ['read:clock_states', 'read:time_entries'],
        webhook_url: 'http://127.0.0.1:9/hook',
      },
    });
    for (const verb of ['in', 'out']) await sendStamp(world, verb);
  });
  afterEach(async () => {
    reads.open();
    requests.open();
    await dispatcher.stop();
    await world.close();
  });

  /** The first request is under way, and the endpoint reads what it could send beside it. */
  const readBesideRequest = async () => {
    requests.shut();
    const pass = dispatcher.pass();
    await eventually(() => sent.length === 1);
    reads.shut();
    const again = dispatcher.pass();
    await eventually(() => reads.waiting() > 0);
    return { done: Promise.all([pass, again]) };
  };

  it('the dispatcher sends the next event of a person whose request ended during a look-up', async () => {
    const { done } = await readBesideRequest();
    requests.open();
    await eventually(() => requests.waiting() === 0);
    await untilRecorded();
    reads.open();
    await done;
    expect(sent).toHaveLength(2);
  });

  it('the dispatcher survives a record that fails while the next events are read, and resends that event', async () => {
    const { done } = await readBesideRequest();
    recordFails = true;
    requests.open();
    await eventually(() => requests.waiting() === 0);
    // An unhandled rejection is told after the microtasks of a turn.
    await new Promise((resolve) => setTimeout(resolve, 5));
    reads.open();
    await done;
    expect(logged.mock.calls).toMatchObject([[{ err: new Error('the disk is full') }, 'delivering webhooks failed']]);
    recordFails = false;
    await dispatcher.pass();
    expect(sent).toHaveLength(3);
    expect(sent[1]).toBe(sent[0]);
  });

  it('the dispatcher begins no request when it was stopped after reading', async () => {
    reads.shut();
    const pass = dispatcher.pass();
    await eventually(() => reads.waiting() > 0);
    const stopped = dispatcher.stop();
    reads.open();
    await Promise.all([pass, stopped]);
    expect(sent).toEqual([]);
  });

  const untilRecorded = async () => {
    while ((await world.db.all("SELECT 1 AS one FROM webhook_deliveries WHERE state = 'delivered'")).length === 0);
  };
});
