/**
 * Random histories of entries, corrections and absences. After every step the log vouches for every record, whether the
 * step was done or refused; and one value changed behind its back is found, wherever it stands.
 */
import type { Transaction } from '@clockproof/platform/database/database';
import { dialects } from '@clockproof/platform/testing/databases';
import { runs } from '@clockproof/platform/testing/runs';
import { minute } from '@clockproof/platform/time/instant';
import { addDays } from '@clockproof/platform/time/local-date';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { withdrawOrCancelAbsence } from '../../src/absences/change-absence.js';
import { decideAbsence } from '../../src/absences/decide-absence.js';
import { draftOf } from '../../src/absences/draft.js';
import { requestAbsence } from '../../src/absences/request-absence.js';
import { correctWithNotice, decideCorrection, submitCorrection } from '../../src/clock/corrections.js';
import { stamp } from '../../src/clock/stamp.js';
import { runVerify } from '../../src/commands/verify.js';
import { findPerson, type PersonRow } from '../../src/people/rows.js';
import { type RecordTableName, recordTables } from '../../src/store/audit/record-formats.js';
import { recordTableNames } from '../../src/store/audit/records.js';
import { allCompanies } from '../../src/store/every-company.js';
import { Refusal } from '../../src/store/refusal.js';
import { noteSigning } from '../../src/store/seal.js';
import type { Write } from '../../src/store/write.js';
import { createWorld, type World } from '../world.js';

const verbs = ['stamp', 'correct', 'strike', 'ask', 'agree', 'request', 'approve', 'take back'] as const;

interface Step {
  readonly verb: (typeof verbs)[number];
  readonly personIndex: number;
  /** Which of the records there are, and which kind of stamp. */
  readonly pick: number;
  readonly minutes: number;
}

const history = fc.array<Step>(
  fc.record({
    verb: fc.constantFrom(...verbs),
    personIndex: fc.nat(1),
    pick: fc.nat(1_000),
    minutes: fc.integer({ min: 1, max: 400 }),
  }),
  { minLength: 12, maxLength: 16 },
);

describe.each(dialects)('histories of records on %s', (dialect) => {
  let world: World;
  let people: readonly PersonRow[];
  let boss: PersonRow;
  const person = async (id: number) => (await findPerson(world.db, id, allCompanies))!;
  beforeEach(async () => {
    world = await createWorld(dialect);
    // The log is signed from here on.
    await noteSigning(world.service.store, world.now());
    const id = await world.hire({
      firstName: 'Olga',
      lastName: 'Boss',
      role: 'company_admin',
      employmentStart: '2020-01-01',
    });
    boss = await person(id);
    people = [await person(world.people.ada), await person(world.people.ben)];
  });
  afterEach(() => world.close());

  const verify = () => runVerify(world.db, { sign: world.service.store.sign });
  const write = (effect: (write: Write) => Promise<unknown>) => world.write(effect);
  const pickId = async <Id>(sql: string, pick: number): Promise<Id | undefined> => {
    const rows = await world.db.all<{ id: Id }>(sql);
    return rows[pick % Math.max(1, rows.length)]?.id;
  };

  async function take({ verb, personIndex, pick, minutes }: Step): Promise<unknown> {
    const employee = people[personIndex]!;
    const at = world.now();
    const start = at - (at % minute) - (minutes + 500) * minute;
    const times = { start, end: start + minutes * minute, breaks: [] };
    const entryId = await pickId<number>('SELECT id FROM time_entries ORDER BY id', pick);
    const findOwner = async () =>
      person(
        (await world.db.get<{ person_id: number }>('SELECT person_id FROM time_entries WHERE id = :entryId', {
          entryId: entryId!,
        }))!.person_id,
      );
    switch (verb) {
      case 'stamp': {
        const kind = (['in', 'break_start', 'break_end', 'out'] as const)[pick % 4]!;
        const source = { kind: 'web' } as const;
        return write((tx) => stamp(tx, { personId: employee.id, companyId: employee.company_id, kind, source }));
      }
      case 'correct':
        return write((tx) => correctWithNotice(tx, { person: employee, by: boss, draft: { times }, reason: 'Forgot' }));
      case 'strike':
        if (entryId === undefined) return;
        return write(async (tx) =>
          correctWithNotice(tx, {
            person: await findOwner(),
            by: boss,
            draft: { entryId, remove: true },
            reason: 'By mistake',
          }),
        );
      case 'ask':
        return write((tx) =>
          submitCorrection(tx, { person: employee, by: employee, draft: { times }, reason: 'Forgot' }),
        );
      case 'agree': {
        const id = await pickId<number>('SELECT id FROM corrections ORDER BY id', pick);
        const decision = minutes % 2 === 0 ? 'approved' : 'rejected';
        return id === undefined ? undefined : write((tx) => decideCorrection(tx, { id, by: boss, decision }));
      }
      case 'request': {
        const start_date = addDays('2026-12-01', pick % 20);
        const draft = draftOf({ type: 'vacation', start_date, end_date: addDays(start_date, minutes % 4) });
        const author = { kind: 'person', personId: employee.id } as const;
        return write((tx) =>
          requestAbsence(tx, { personId: employee.id, companyId: employee.company_id, draft, author }),
        );
      }
      case 'approve': {
        const id = await pickId<number>('SELECT id FROM absences ORDER BY id', pick);
        const decision = minutes % 2 === 0 ? 'approve' : 'reject';
        return id === undefined ? undefined : write((tx) => decideAbsence(tx, { id, decision, decider: boss }));
      }
      case 'take back': {
        const row = await world.db.get<{ id: number; person_id: number }>(
          'SELECT id, person_id FROM absences ORDER BY id DESC LIMIT 1',
        );
        if (row === undefined) return;
        return write((tx) =>
          withdrawOrCancelAbsence(tx, { id: row.id, access: { by: 'person', personId: row.person_id } }),
        );
      }
    }
  }

  /** Changes one value, verifies, and takes it back. @returns the text; undefined if the schema refuses the value */
  async function tamper(change: (tx: Transaction) => Promise<unknown>): Promise<string | undefined> {
    let text: string | undefined;
    const undo = new Error('undo');
    await world.db
      .write(async (tx) => {
        await change(tx);
        ({ text } = await runVerify(tx, { sign: world.service.store.sign }));
        throw undo;
      })
      .catch((error: Error) => {
        if (error !== undo && !/constraint|violates/i.test(error.message)) throw error;
      });
    return text;
  }

  it('the log vouches for histories of records at every step, and a change behind it is detected', async () => {
    let doneSteps = 0;
    let detectedChanges = 0;
    await fc.assert(
      fc.asyncProperty(history, fc.array(fc.nat(1_000_000), { minLength: 6, maxLength: 6 }), async (steps, picks) => {
        for (const step of steps) {
          world.advance(step.minutes * minute);
          try {
            if ((await take(step)) !== undefined) doneSteps++;
          } catch (error) {
            if (!(error instanceof Refusal)) throw error;
          }
          expect(await verify()).toMatchObject({ exitCode: 0 });
        }
        for (const pick of picks) {
          const tables: RecordTableName[] = [];
          for (const table of recordTableNames)
            if ((await world.db.get(`SELECT 1 AS one FROM ${table} LIMIT 1`)) !== undefined) tables.push(table);
          const table = tables[pick % tables.length]!;
          const { key, columns } = recordTables[table];
          const rows = await world.db.all(`SELECT * FROM ${table}`);
          const row = rows[pick % rows.length]!;
          const column = columns[pick % columns.length]!;
          const value = row[column];
          const changedValue =
            value === null ? '7' : typeof value === 'number' ? value + 1 + (pick % 1_000) : `${String(value)}~`;
          const where = key.map((name) => `${name} = :key_${name}`).join(' AND ');
          const keys = Object.fromEntries(key.map((name) => [`key_${name}`, row[name] as number | string]));
          const text = await tamper((tx) =>
            tx.run(`UPDATE ${table} SET ${column} = :changedValue WHERE ${where}`, { ...keys, changedValue }),
          );
          if (text === undefined) continue;
          detectedChanges++;
          expect([table, column, text]).toEqual([table, column, expect.stringContaining('NOT intact')]);
        }
        expect(await verify()).toMatchObject({ exitCode: 0 });
      }),
      { numRuns: runs(2), seed: 2_026, endOnFailure: true },
    );
    expect(doneSteps).toBeGreaterThan(10);
    expect(detectedChanges).toBeGreaterThan(5);
  });
});
