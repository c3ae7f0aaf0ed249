/** The list of records and their formats: complete, documented, and open for columns of later versions. */
import { readFileSync } from 'node:fs';
import { type DialectName, dialects } from '@clockproof/platform/testing/databases';
import { readTables } from '@clockproof/platform/tools/read-tables';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type RecordTable,
  type RecordTableName,
  reasons,
  recordTables,
  tablesWithoutRecords,
} from '../../src/store/audit/record-formats.js';
import {
  keyValues,
  type RecordHashes,
  recordKey,
  recordTableNames,
  tableOfKey,
} from '../../src/store/audit/records.js';
import { verifyAll } from '../../src/store/audit/verify.js';
import { updateWhere } from '../../src/store/tables.js';
import { createStore } from '../../src/store/write.js';
import { createWorld, monday, type World } from '../world.js';
import { everyRecord } from './every-record.js';

const manual = readFileSync(new URL('../../../docs/operations/audit-log.md', import.meta.url), 'utf8');

/** Every table with a column more, as a migration of a later version adds it. */
const grownTables: Record<RecordTableName, RecordTable> = { ...recordTables };
for (const name of recordTableNames)
  grownTables[name] = { ...grownTables[name], later: [...(grownTables[name].later ?? []), { grown: 'none' }] };

async function grownWorld(dialect: DialectName): Promise<World> {
  const world = await createWorld(dialect, { prepared: everyRecord });
  await world.db.write(async (tx) => {
    for (const table of recordTableNames)
      await tx.run(`ALTER TABLE ${table} ADD COLUMN grown TEXT NOT NULL DEFAULT 'none'`);
  });
  return world;
}

const changeEvents: Partial<Record<RecordTableName, string>> = {
  absences: 'leave.changed',
  people: 'user.changed',
  time_entries: 'time_entry.changed',
};

describe.each(dialects)('formats of records on %s', (dialect) => {
  let world: World;
  beforeAll(async () => {
    world = await grownWorld(dialect);
  });
  afterAll(() => world.close());
  const findFaults = async () => {
    const { sign } = world.service.store;
    const { logFaults, recordFaults } = await verifyAll(world.db, { sign, tables: grownTables });
    expect(logFaults).toEqual([]);
    return recordFaults.map(({ record, why }) => `${record} ${why}`);
  };
  /** Sets columns of a record by hand, verifies, and sets them back. */
  const tamper = async (record: string, column: string) => {
    const table = tableOfKey(record)!;
    const keys = keyValues(table, record);
    const where = Object.keys(keys).map((name) => `${name} = :${name}`);
    const [row] = await world.db.all(`SELECT * FROM ${table} WHERE ${where.join(' AND ')}`, keys);
    const set = (value: unknown) =>
      world.db.write((tx) =>
        tx.run(`UPDATE ${table} SET ${column} = :value WHERE ${where.join(' AND ')}`, { ...keys, value } as never),
      );
    await set(`${String(row![column])}~`);
    const faults = await findFaults();
    await set(row![column]);
    return faults;
  };

  it('the formats list every table of the schema once: with records, or with a reason', async () => {
    const schema = (await readTables(world.db)).map(({ name }) => name);
    expect([...Object.keys(recordTables), ...Object.keys(tablesWithoutRecords)].sort()).toEqual([...schema].sort());
  });

  it('the formats verify rows from before a column, and detect one with a changed new column', async () => {
    expect(await findFaults()).toEqual([]);
    for (const table of recordTableNames) {
      const rows = await world.db.all(`SELECT * FROM ${table}`);
      const record = recordKey(table, rows.at(-1)!);
      expect(await tamper(record, 'grown')).toEqual([`${record} altered`]);
    }
    expect(await findFaults()).toEqual([]);
  });

  it('the formats hash an added column from the next write on', async () => {
    const store = createStore(world.db, { sign: world.service.store.sign, tables: grownTables });
    for (const table of recordTableNames) {
      const [row] = await world.db.all(`SELECT * FROM ${table}`);
      const keys = keyValues(table, recordKey(table, row!));
      const condition = Object.keys(keys).map((name) => `${name} = :${name}`);
      await store.write({ actor: { kind: 'system' }, at: monday }, async (write) => {
        await updateWhere(write, table, { grown: 'set' } as never, condition.join(' AND '), keys);
        const type = changeEvents[table];
        if (type !== undefined) await write.event({ type, companyId: world.nord, data: { id: row!['id'] } } as never);
        await write.audit({ action: 'profile.changed', details: { changed: [] } });
      });
      const entry = await world.db.get<{ records: string }>(
        'SELECT records FROM audit_entries ORDER BY sequence DESC LIMIT 1',
      );
      const record = recordKey(table, row!);
      const { [record]: hash } = JSON.parse(entry!.records) as RecordHashes;
      expect(hash).toMatch(new RegExp(`^${grownTables[table].later!.length + 1}:`));
      expect(await tamper(record, 'grown')).toEqual([`${record} altered`]);
    }
    expect(await findFaults()).toEqual([]);
    // They name a row and show nothing of it, which the document does not allow.
    await world.db.write((tx) => tx.run('DELETE FROM events'));
  });
});

describe('the manual of the audit log', () => {
  it('the manual of the audit log lists every table with records, and says why the others have none', () => {
    for (const table of recordTableNames) expect(manual).toContain(`\`${table}\``);
    for (const reason of Object.values(reasons)) expect(manual).toContain(`- ${reason}\n`);
  });
});
