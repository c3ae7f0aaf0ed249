import { createHash } from 'node:crypto';
import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import {
  createTestDatabase,
  type DialectName,
  dialects,
  oneDialect,
  type TestDatabase,
} from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { appendAudit, canonicalOf } from '../src/audit/audit.js';
import type { EntryRow } from '../src/audit/rows.js';
import { verifyAudit } from '../src/audit/verify.js';
import { migrations } from '../src/migrations/migrations.js';
import { createStore } from '../src/write/write.js';

const entries = 1_000;
/** How far apart the entries stand that are tampered with. What is read is reported alike on every database. */
const strides = (dialect: DialectName) => (oneDialect.includes(dialect) ? [7, 37] : [70, 185]) as [number, number];

describe.each(dialects)('the audit log on %s', (dialect) => {
  const [stride, longStride] = strides(dialect);
  let home: TestDatabase;
  let db: Database;
  let head: { sequence: number; hash: string };
  beforeAll(async () => {
    home = await createTestDatabase(dialect, migrations);
    db = await openDatabase(home.settings);
    await db.write(async (tx) => {
      for (let index = 1; index <= entries; index++)
        await appendAudit(tx, {
          at: 1_795_000_000_000 + index,
          companyId: index % 3,
          actor: { kind: 'person', id: String(index % 7) },
          action: 'clock.in',
          subject: `person ${index % 7}`,
          details: { index },
        });
    });
    const found = await verifyAudit(db);
    if (!found.intact) throw new Error('not intact');
    head = found.head;
  });
  afterAll(async () => {
    await db.close();
    await home.drop();
  });

  it('does not take an entry that is appended during the walk for a missing one', async () => {
    const other = await createTestDatabase(dialect, migrations);
    const log = await openDatabase(other.settings);
    const append = () =>
      createStore(log).write({ actor: { kind: 'system' }, at: 1_796_000_000_000 }, (write) =>
        write.audit({ action: 'clock.in' }),
      );
    await append();
    let appended = false;
    const busy: Parameters<typeof verifyAudit>[0] = {
      dialect: log.dialect,
      get: log.get,
      all: async (sql, parameters) => {
        if (!appended) await append();
        appended = true;
        return log.all(sql, parameters);
      },
    };
    expect(await verifyAudit(busy)).toMatchObject({ intact: true, entries: 1, head: { sequence: 1 } });
    expect(await verifyAudit(log)).toMatchObject({ intact: true, entries: 2 });
    await log.close();
    await other.drop();
  });

  /** What somebody with the database in their hands can do. */
  async function tamper(statements: readonly string[]): Promise<Awaited<ReturnType<typeof verifyAudit>>> {
    let result: Awaited<ReturnType<typeof verifyAudit>> | undefined;
    const undo = new Error('undo');
    await db
      .write(async (tx) => {
        const guards =
          dialect === 'sqlite'
            ? ['DROP TRIGGER audit_entries_no_update', 'DROP TRIGGER audit_entries_no_delete']
            : ['ALTER TABLE audit_entries DISABLE TRIGGER ALL'];
        for (const statement of [...guards, ...statements]) await tx.run(statement);
        result = await verifyAudit(tx, head);
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
    return result!;
  }

  it('refuses to change or lose an entry', async () => {
    for (const statement of [
      'UPDATE audit_entries SET at = at + 1 WHERE sequence = 5',
      'DELETE FROM audit_entries WHERE sequence = 5',
      'DELETE FROM audit_entries',
    ])
      await expect(db.write((tx) => tx.run(statement))).rejects.toThrow('append-only');
    expect(await verifyAudit(db, head)).toEqual({ intact: true, entries, head });
  });

  it('names the first entry that was altered, wherever and in whatever member', async () => {
    const alterations = [
      'at = at + 1',
      "actor_id = '9'",
      "actor_kind = 'terminal'",
      "action = 'clock.out'",
      "subject = 'person 99'",
      'details = \'{"index":0}\'',
      'company_id = 42',
      `hash = '${'0'.repeat(64)}'`,
      "actor_name = 'x'",
    ];
    for (let sequence = 1; sequence <= entries; sequence += stride) {
      expect(
        await tamper([
          `UPDATE audit_entries SET ${alterations[sequence % alterations.length]!} WHERE sequence = ${sequence}`,
        ]),
      ).toEqual({ intact: false, firstBad: sequence, why: 'altered' });
    }
  });

  it('names the first entry that is gone, moved or cut off', async () => {
    for (let sequence = 1; sequence < entries; sequence += longStride) {
      expect(await tamper([`DELETE FROM audit_entries WHERE sequence = ${sequence}`])).toEqual({
        intact: false,
        firstBad: sequence,
        why: 'missing',
      });
      expect(
        await tamper([
          `UPDATE audit_entries SET sequence = -1 WHERE sequence = ${sequence}`,
          `UPDATE audit_entries SET sequence = ${sequence} WHERE sequence = ${sequence + 1}`,
          `UPDATE audit_entries SET sequence = ${sequence + 1} WHERE sequence = -1`,
        ]),
      ).toEqual({ intact: false, firstBad: sequence, why: 'altered' });
      const cut = `DELETE FROM audit_entries WHERE sequence > ${sequence}`;
      expect(await tamper([cut])).toEqual({ intact: false, firstBad: sequence + 1, why: 'cut' });
      // The head moved back with it: only one who noted the head elsewhere can see this.
      expect(
        await tamper([
          cut,
          `UPDATE audit_head SET sequence = ${sequence}, hash = (SELECT hash FROM audit_entries WHERE sequence = ${sequence}) WHERE one = 1`,
        ]),
      ).toEqual({ intact: false, firstBad: sequence + 1, why: 'cut' });
    }
  });

  it('names the entry after one whose own hash was made to fit', async () => {
    const { hash: before } = (await db.get<{ hash: string }>('SELECT hash FROM audit_entries WHERE sequence = 4'))!;
    const row = (await db.get<EntryRow>('SELECT * FROM audit_entries WHERE sequence = 5'))!;
    const forged = { ...row, action: 'clock.out' };
    const hash = createHash('sha256').update(Buffer.from(before, 'hex')).update(canonicalOf(forged)).digest('hex');
    const statement = `UPDATE audit_entries SET action = 'clock.out', hash = '${hash}' WHERE sequence = 5`;
    expect(await tamper([statement])).toEqual({ intact: false, firstBad: 6, why: 'altered' });
  });

  it('names the noted entry whose hash is another one now', async () => {
    const noted = { ...head, hash: '0'.repeat(64) };
    expect(await verifyAudit(db, noted)).toEqual({ intact: false, firstBad: head.sequence, why: 'altered' });
  });

  it('keeps a text with line breaks one entry, and goes on after it', async () => {
    const comment = 'sick\r\n2026-11-23T08:00:00Z {"action":"link.granted"}\u2028';
    const other = await createTestDatabase(dialect, migrations);
    const log = await openDatabase(other.settings);
    const append = (details: Readonly<Record<string, unknown>>) =>
      createStore(log).write({ actor: { kind: 'person', id: '1' }, at: 1_795_000_100_000 }, (write) =>
        write.audit({ action: 'absence.requested', details }),
      );
    await append({});
    const before = await verifyAudit(log);
    if (!before.intact) throw new Error('not intact');
    await append({ comment });
    expect(await log.get('SELECT sequence, details FROM audit_entries ORDER BY sequence DESC LIMIT 1')).toEqual({
      sequence: 2,
      details: JSON.stringify({ comment }),
    });
    expect(await verifyAudit(log, before.head)).toMatchObject({ intact: true, entries: 2 });
    await log.close();
    await other.drop();
  });
});
