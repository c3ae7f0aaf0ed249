import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyAudit } from '../src/audit/audit.js';
import { migrations } from '../src/migrations/migrations.js';
import { onceForNonce } from '../src/terminals/request-signature.js';
import type { TerminalRow } from '../src/terminals/rows.js';
import { createStore, type Store, UnauditedWrite } from '../src/write/write.js';
import { monday } from './world.js';

const cause = { actor: { kind: 'person', id: '12' }, at: monday } as const;

describe.each(dialects)('a unit of work on %s', (dialect) => {
  let home: TestDatabase;
  let db: Database;
  let store: Store;
  beforeAll(async () => {
    home = await createTestDatabase(dialect);
    db = await openDatabase(home.settings);
    await db.migrate(migrations);
    store = createStore(db);
  });
  afterAll(async () => {
    await db.close();
    await home.drop();
  });
  const remember = "INSERT INTO idempotency_keys (caller, key, fingerprint, at) VALUES ('ext_1', :key, 'x', 1)";
  const remembered = async (key: string) =>
    (await db.get('SELECT 1 AS one FROM idempotency_keys WHERE key = :key', { key })) !== undefined;

  it('does not commit a change without an entry in the audit log', async () => {
    await expect(store.write(cause, (write) => write.run(remember, { key: 'silent' }))).rejects.toThrow(UnauditedWrite);
    expect(await remembered('silent')).toBe(false);
  });

  it('does not commit a change made by a query either', async () => {
    const changing = store.write(cause, (write) => write.get(`${remember} RETURNING key`, { key: 'returning' }));
    await expect(changing).rejects.toThrow(UnauditedWrite);
    const several = store.write(cause, (write) => write.all(`${remember} RETURNING key`, { key: 'returning' }));
    await expect(several).rejects.toThrow(UnauditedWrite);
    expect(await remembered('returning')).toBe(false);
  });

  it('does not write a batch without an entry in the audit log', async () => {
    const head = { name: 'head', table: 'event_head', where: 'one = 1', parameters: {}, read: [] };
    const row = { caller: 'ext_1', key: 'batch', fingerprint: 'x', at: 1 };
    const steps = [{ name: 'silent', insert: 'idempotency_keys', row }];
    await expect(store.batch({ locks: [head], steps })).rejects.toThrow(UnauditedWrite);
    expect(await remembered('batch')).toBe(false);
  });

  it('commits a change whose entry names who did it and when', async () => {
    await store.write(cause, async (write) => {
      await write.run(remember, { key: 'told' });
      await write.audit({ action: 'profile.changed', subject: 'person 12' });
    });
    expect(await remembered('told')).toBe(true);
    expect(
      await db.get('SELECT at, actor_kind, actor_id, action FROM audit_entries ORDER BY sequence DESC LIMIT 1'),
    ).toEqual({ at: monday, actor_kind: 'person', actor_id: '12', action: 'profile.changed' });
    expect(await verifyAudit(db)).toMatchObject({ intact: true });
  });

  it('commits a change that says why it has no entry', async () => {
    await store.write(cause, async (write) => {
      write.unaudited('repeated');
      await write.run(remember, { key: 'reasoned' });
    });
    expect(await remembered('reasoned')).toBe(true);
  });

  it('needs an entry or a reason from a signed request too, which changes its nonce at least', async () => {
    const caller = (nonce: string) =>
      ({ kind: 'terminal', terminal: { id: 'trm_1', name: 'Door' } as TerminalRow, nonce }) as const;
    const issued = onceForNonce(store, caller('nonce-of-issuing-1'), monday, (write) =>
      write.run(remember, { key: 'issued' }),
    );
    await expect(issued).rejects.toThrow(UnauditedWrite);
    expect(await remembered('issued')).toBe(false);
    await expect(onceForNonce(store, caller('nonce-of-status-01'), monday, async () => 1)).rejects.toThrow(
      UnauditedWrite,
    );
    await onceForNonce(store, caller('nonce-of-status-02'), monday, async (write) => write.unaudited('nonce'));
  });

  it('needs no entry where nothing changed', async () => {
    const none = "UPDATE idempotency_keys SET fingerprint = 'y' WHERE key = 'nobody has it'";
    await expect(store.write(cause, (write) => write.run(none))).resolves.toBe(0);
    await expect(store.write(cause, (write) => write.get('SELECT 1 AS one'))).resolves.toEqual({ one: 1 });
  });
});
