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

const successfulAttempt: Attempt = { outcome: 'delivered', status: 204, answer: '', milliseconds: 3 };

/** A place where work waits while it is shut. */
function createGate() {
  let open: (() => void) | undefined;
  let opening = Promise.resolve();
  let waitingCount = 0;
  return {
    shut: () => (opening = new Promise((resolve) => (open = resolve))),
    open: () => open?.(),
    waitingCount: () => waitingCount,
    async pass() {
      waitingCount++;
      await opening;
      waitingCount--;
    },
  };
}

const waitUntil = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
};

describe('the dispatcher', () => {
  let world: World;
  let dispatcher: Dispatcher;
  const sentIds: string[] = [];
  // Its own: services of other tests write to the shared one.
  const log = createLog('error', 'service');
  const logError = jest.spyOn(log, 'error').mockReturnValue(undefined);
  const reads = createGate();
  const requests = createGate();
  let isDiskFull = false;
  beforeEach(async () => {
    world = await createWorld('sqlite', { env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
    isDiskFull = false;
    sentIds.length = 0;
    logError.mockClear();
    const { store, sealingKeys } = world.service;
    const db: Store = {
      ...store,
      async all(sql, parameters) {
        // The read of what is due.
        if (sql.includes('webhook_deliveries earlier')) await reads.pass();
        return store.all(sql, parameters);
      },
      write: (...effect) => (isDiskFull ? Promise.reject(new Error('the disk is full')) : store.write(...effect)),
    };
    const send: SendWebhook = async ({ id }) => {
      sentIds.push(id);
      await requests.pass();
      return successfulAttempt;
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
    const firstPass = dispatcher.pass();
    await waitUntil(() => sentIds.length === 1);
    reads.shut();
    const secondPass = dispatcher.pass();
    await waitUntil(() => reads.waitingCount() > 0);
    return { passes: Promise.all([firstPass, secondPass]) };
  };

  it('the dispatcher sends the next event of a person whose request ended during a look-up', async () => {
    const { passes } = await readBesideRequest();
    requests.open();
    await waitUntil(() => requests.waitingCount() === 0);
    await waitForRecord();
    reads.open();
    await passes;
    expect(sentIds).toHaveLength(2);
  });

  it('the dispatcher survives a record that fails while the next events are read, and resends that event', async () => {
    const { passes } = await readBesideRequest();
    isDiskFull = true;
    requests.open();
    await waitUntil(() => requests.waitingCount() === 0);
    // An unhandled rejection is told after the microtasks of a turn.
    await new Promise((resolve) => setTimeout(resolve, 5));
    reads.open();
    await passes;
    expect(logError.mock.calls).toMatchObject([[{ err: new Error('the disk is full') }, 'delivering webhooks failed']]);
    isDiskFull = false;
    await dispatcher.pass();
    expect(sentIds).toHaveLength(3);
    expect(sentIds[1]).toBe(sentIds[0]);
  });

  it('the dispatcher begins no request when it was stopped after reading', async () => {
    reads.shut();
    const pass = dispatcher.pass();
    await waitUntil(() => reads.waitingCount() > 0);
    const stop = dispatcher.stop();
    reads.open();
    await Promise.all([pass, stop]);
    expect(sentIds).toEqual([]);
  });

  const waitForRecord = async () => {
    while ((await world.db.all("SELECT 1 AS one FROM webhook_deliveries WHERE state = 'delivered'")).length === 0);
  };
});
