/** `audit verify` names what differs between a closed month and what the service committed to. */
import type { Transaction } from '@clockproof/platform/database/database';
import { dialects } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { builtInTypes, saveAbsenceType } from '../../src/absences/types.js';
import { runVerify } from '../../src/commands/verify.js';
import { erasePerson } from '../../src/hr/erasure.js';
import { verifyMonths } from '../../src/proofs/verify-months.js';
import { allCompanies } from '../../src/store/every-company.js';
import type { Write } from '../../src/store/write.js';
import { closeMonth, recordWork, reopenMonth, sendAbsence } from '../builders.js';
import { createWorld, type World } from '../world.js';

const month = '2026-11';

describe.each(dialects)('the self-check on %s', (dialect) => {
  let world: World;
  const write = <Result>(effect: (write: Write) => Promise<Result>) =>
    world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, effect);
  const close = () => closeMonth(world, { month });

  async function closeTwice(): Promise<void> {
    world = await createWorld(dialect);
    await recordWork(world, {
      person_id: world.people.ada,
      start_at: parseInstant('2026-11-24T07:00:12.250Z')!,
      end_at: parseInstant('2026-11-24T15:30:00Z')!,
    });
    const vacation = builtInTypes.find(({ key }) => key === 'vacation')!;
    await write((tx) => saveAbsenceType(tx, world.nord, { ...vacation, requiresApproval: false }));
    await sendAbsence(world, { start_date: '2026-11-26' });
    world.set(parseInstant('2026-12-02T07:00:00Z')!);
    await close();
    world.advance(1_000);
    await reopenMonth(world, { month });
    await close();
  }
  beforeAll(closeTwice);
  afterAll(() => world.close());

  /** Runs statements, looks, and takes everything back. */
  async function inspectAfter<Result>(
    change: (tx: Transaction) => Promise<unknown>,
    look: (tx: Transaction) => Promise<Result>,
  ): Promise<Result> {
    let result: Result | undefined;
    const undo = new Error('undo');
    await world.db
      .write(async (tx) => {
        await change(tx);
        result = await look(tx);
        throw undo;
      })
      .catch((error: unknown) => {
        if (error !== undo) throw error;
      });
    return result!;
  }
  const run = (statement: string) => async (tx: Transaction) =>
    expect(
      await tx.run(statement.replaceAll('$newest', "(SELECT max(id) FROM commitments WHERE kind = 'month')")),
    ).toBeGreaterThan(0);

  it('the self-check finds nothing in the stored data of the service', async () => {
    const { exitCode, text } = await runVerify(world.db, {});
    expect([exitCode, text]).toEqual([0, expect.stringContaining('closed months intact: 2 commitments checked')]);
  });

  it.each([
    ['a minute of an entry', 'UPDATE time_entries SET start_at = start_at - 60000', '2026-11-24 of person 1: is not'],
    ['an entry', "UPDATE time_entries SET status = 'rejected'", '2026-11-24 of person 1: is not'],
    [
      'the stored days',
      `UPDATE month_balances SET days = replace(days, '"workedMinutes":509', '"workedMinutes":500') WHERE person_id = 1`,
      '2026-11-24 of person 1: is not',
    ],
    [
      'a sum',
      'UPDATE month_balances SET difference_minutes = difference_minutes - 60 WHERE person_id = 2',
      'figures of person 2: is not',
    ],
    [
      'a name',
      "UPDATE closed_month_people SET last_name = 'Meyer' WHERE person_id = 2",
      'person of person 2: is not as it was when the month was closed',
    ],
    ['a reason', "UPDATE month_steps SET reason = 'none' WHERE reason IS NOT NULL", 'steps of person 1: is not'],
    ['a row of a person', 'DELETE FROM month_balances WHERE person_id = 2', `${month} of person 2: was there`],
    [
      'the commitment of a person',
      'UPDATE commitment_leaves SET person_id = NULL, parts = NULL WHERE person_id = 2 AND commitment_id = $newest',
      `${month} of person 2: the bytes that were committed to are gone`,
    ],
    [
      'an earlier commitment of a person, as if they had been erased',
      'UPDATE commitment_leaves SET person_id = NULL, parts = NULL WHERE person_id = 2 AND commitment_id <> $newest',
      `${month} of person 2: the bytes that were committed to are gone`,
    ],
    [
      'the bytes, for none',
      'UPDATE commitment_leaves SET parts = NULL WHERE person_id = 2 AND commitment_id <> $newest',
      `${month} of person 2: the bytes that were committed to are gone`,
    ],
    [
      'whose bytes they are',
      'UPDATE commitment_leaves SET person_id = NULL WHERE person_id = 2 AND commitment_id <> $newest',
      `${month} of person 2: the bytes that were committed to were altered`,
    ],
    [
      'the commitment',
      `UPDATE commitments SET made_at = made_at + 1 WHERE id = $newest`,
      `company 1, ${month}: was closed without a commitment`,
    ],
    [
      'the bytes',
      'UPDATE commitment_leaves SET parts = (SELECT parts FROM commitment_leaves WHERE person_id = 1 AND commitment_id = $newest) WHERE person_id = 2 AND commitment_id = $newest',
      `${month} of person 2: the bytes`,
    ],
    [
      'the bytes, for rubbish',
      "UPDATE commitment_leaves SET parts = 'eA==' WHERE person_id = 2",
      'person 2: is damaged',
    ],
    ['a leaf', `UPDATE commitment_leaves SET leaf = '${'0'.repeat(64)}' WHERE person_id = 2`, `${month}: the root`],
    ['a slot', 'UPDATE commitment_leaves SET slot = slot + 1 WHERE person_id = 2', `${month} of person 2: the bytes`],
    ['the seed', `UPDATE commitments SET seed = '${'0'.repeat(64)}' WHERE id = $newest`, `${month}: the root`],
    ['the root', `UPDATE commitments SET root = '${'0'.repeat(64)}' WHERE revision = 1`, `${month}: its revisions`],
    ['the root before', 'UPDATE commitments SET previous_root = root WHERE revision = 2', `${month}: its revisions`],
  ])('the self-check names where a person changed %s', async (_, statement, fault) => {
    const text = await inspectAfter(run(statement), async (tx) => (await runVerify(tx, {})).text);
    expect(text).toContain('closed month NOT intact: company 1, ');
    expect(text).toContain(fault);
  });

  it.each([
    ["the company's name", "UPDATE companies SET name = 'West', time_zone = 'Asia/Tokyo'"],
    ["a person's name", "UPDATE people SET last_name = 'Meyer'"],
    ['what counts as vacation', 'UPDATE absence_types SET counts_as_vacation = 0'],
    ['opening balances', 'UPDATE people SET opening_minutes = 600'],
    [
      'sign-offs',
      `INSERT INTO month_sign_offs (company_id, person_id, month, role, signed_by, at, digest, content)
       VALUES (1, 1, '${month}', 'person', 1, 1796194800000, '', '[]')`,
    ],
  ])('the self-check finds no fault after a later change of %s', async (_, statement) => {
    expect((await inspectAfter(run(statement), verifyMonths)).faults).toEqual([]);
  });

  it('the self-check finds no fault in a re-opened month, nor after an erasure', async () => {
    const { ben } = world.people;
    world.advance(1_000);
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :ben', { ben }));
    await write((tx) => erasePerson(tx, { personId: ben, scope: allCompanies, reason: 'asked for it' }));
    expect(await verifyMonths(world.db)).toEqual({ commitments: 2, faults: [] });
    await reopenMonth(world, { month, reason: 'Once more' });
    expect(await verifyMonths(world.db)).toEqual({ commitments: 2, faults: [] });
    await world.close();
    await closeTwice();
  });
});
