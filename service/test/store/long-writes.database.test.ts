/** Writes that delay the readers of feeds are visible to the operator. */
import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { secondsOfOldestWrite } from '@clockproof/platform/database/server';
import { createMetrics } from '@clockproof/platform/metrics';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { second } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { serviceGauges } from '../../src/commands/gauges.js';
import { recordCompany, saveCompanyChange } from '../../src/people/people.js';
import { verifyAll } from '../../src/store/audit/verify.js';
import { migrations } from '../../src/store/migrations/migrations.js';
import { sealAll } from '../../src/store/seal.js';
import { createStore, type Write } from '../../src/store/write.js';
import { monday } from '../world.js';
import { berlin } from '../zones.js';

const cause = { actor: { kind: 'system' }, at: monday } as const;
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(dialects)('a long write on %s', (dialect) => {
  let home: TestDatabase;
  let db: Database;
  beforeEach(async () => {
    home = await createTestDatabase(dialect, migrations);
    db = await openDatabase(home.settings);
  });
  afterEach(async () => {
    await db.close();
    await home.drop();
  });
  const ping = async (write: Write) => {
    await write.event({ type: 'ping', data: { extension: { id: 'ext_1', name: 'Planner' } } });
    await write.audit({ action: 'extension.pinged', details: { event: 'evt_1' } });
  };

  it('a long write is logged if it keeps its place for more than a second', async () => {
    const warnings: object[] = [];
    const store = createStore(db, { log: { warn: (facts: object) => void warnings.push(facts) } as never });
    await store.write(cause, ping);
    expect(warnings).toEqual([]);
    await store.write(cause, async (write) => {
      await ping(write);
      await wait(1_100);
    });
    expect(warnings).toEqual([{ milliseconds: expect.any(Number), families: ['extension'] }]);
  });

  it('a long write shows its age in the metrics', async () => {
    const store = createStore(db);
    expect(await secondsOfOldestWrite(db)).toBe(0);
    let seconds = 0;
    await store.write(cause, async (write) => {
      await ping(write);
      await wait(100);
      seconds = await secondsOfOldestWrite(db);
    });
    if (dialect === 'sqlite') expect(seconds).toBe(0);
    else expect(seconds).toBeGreaterThanOrEqual(0.1);
    expect(await secondsOfOldestWrite(db)).toBe(0);
  });

  // On SQLite nobody else writes meanwhile.
  if (dialect === 'postgres')
    it('a long write does not make a later record look altered', async () => {
      const store = createStore(db);
      const company = await store.write(cause, (write) =>
        recordCompany(write, { name: 'Nord', timeZone: berlin, country: 'DE' }),
      );
      let [begin, end] = [() => {}, () => {}];
      const beginning = new Promise<void>((resolve) => (begin = resolve));
      const ending = new Promise<void>((resolve) => (end = resolve));
      const longWrite = store.write(cause, async (write) => {
        await ping(write);
        begin();
        await ending;
      });
      await beginning;
      await store.write(cause, (write) => saveCompanyChange(write, company, { name: 'Nord & Co' }));
      expect((await verifyAll(db)).recordFaults).toEqual([]);
      await db.write((tx) => tx.run("UPDATE companies SET country = 'AT'"));
      expect((await verifyAll(db)).recordFaults).toMatchObject([{ record: `companies ${company}`, why: 'altered' }]);
      end();
      await longWrite;
    });

  it('the metrics show how long entries wait to be sealed', async () => {
    const store = createStore(db);
    const metrics = createMetrics('test');
    const refresh = serviceGauges(
      metrics,
      db,
      () => monday + 5 * second,
      () => 0,
    );
    const readGauges = async () => {
      await refresh();
      return (await metrics.registry.metrics()).split('\n').filter((line) => /^test_audit_[a-z_]+ /.test(line));
    };
    await store.write(cause, ping);
    expect(await readGauges()).toEqual(['test_audit_entries 0', 'test_audit_oldest_unsealed_seconds 5']);
    await sealAll(store, () => monday);
    expect(await readGauges()).toEqual(['test_audit_entries 1', 'test_audit_oldest_unsealed_seconds 0']);
  });
});
