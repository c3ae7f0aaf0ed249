/** A closed month is committed to in the transaction that closes it, and everybody can lead their own to its root. */
import type { Transaction } from '@clockproof/platform/database/database';
import { dialects } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { erasePerson } from '../../src/hr/erasure.js';
import { addTimeBooking } from '../../src/months/accounts/time-bookings.js';
import { findPerson } from '../../src/people/rows.js';
import { closeCompanyMonth } from '../../src/proofs/close-month.js';
import { leafOf, partHash, rootFrom, slotOf } from '../../src/proofs/month-proof.js';
import { presentProofs } from '../../src/proofs/present-proofs.js';
import { type ProofFile, readProofFile } from '../../src/proofs/proof-file.js';
import { tellProofsToKeep } from '../../src/proofs/proofs-to-keep.js';
import { recordTables, tablesWithoutRecords } from '../../src/store/audit/record-formats.js';
import { allCompanies } from '../../src/store/every-company.js';
import type { Write } from '../../src/store/write.js';
import { closeMonth, recordWork, reopenMonth } from '../builders.js';
import { createWorld, type World } from '../world.js';

const hex = (text: string) => Buffer.from(text, 'hex');

/** The root that a file leads to; undefined if its slot is not the person's. */
function rootOfFile({ parts, slot, path }: ProofFile): string | undefined {
  const hashes = parts.map((part) =>
    part.text === undefined ? hex(part.hash!) : partHash({ name: part.name, text: part.text }, hex(part.salt!)),
  );
  const head = parts[0]!;
  const { company_token, period, revision, attempt, person_token } = JSON.parse(head.text!);
  const place = { companyToken: company_token, period, revision, attempt, personToken: person_token };
  if (slotOf(place) !== slot) return undefined;
  return rootFrom({ slot, hash: leafOf(hashes) }, path.map(hex)).toString('hex');
}

/** The write, each call of which is a step; after so many the next one throws. */
function failAfter(write: Write, steps: number, error: Error): Write {
  let remainingSteps = steps;
  return new Proxy(write, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        if (remainingSteps-- === 0) throw error;
        return member.apply(target, args) as unknown;
      };
    },
  });
}

const proofs: string[] = [];

describe.each(dialects)('a closed month on %s', (dialect) => {
  let world: World;
  const month = '2026-11';
  const write = <Result>(effect: (write: Write) => Promise<Result>) =>
    world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, effect);
  const close = () => closeMonth(world, { month });
  const fileOf = (personId: number, more: object = {}) => readProofFile(world.db, { personId, period: month, ...more });
  /** Every row of every table. */
  const readAllRows = async () => {
    const names = Object.keys({ ...recordTables, ...tablesWithoutRecords });
    return Promise.all(names.map((name) => world.db.all(`SELECT * FROM ${name}`)));
  };
  beforeEach(async () => {
    world = await createWorld(dialect);
    await recordWork(world, {
      person_id: world.people.ada,
      start_at: parseInstant('2026-11-24T07:00:12.250Z')!,
      end_at: parseInstant('2026-11-24T15:30:00Z')!,
    });
    world.set(parseInstant('2026-12-02T07:00:00Z')!);
    await close();
  });
  afterEach(() => world.close());

  it('a closed month leads each person from their parts to its one root', async () => {
    const files = await Promise.all([fileOf(world.people.ada), fileOf(world.people.ben)]);
    expect(new Set(files.map(({ root }) => root)).size).toBe(1);
    for (const file of files) expect(rootOfFile(file)).toBe(file.root);
    expect(files[0]!.parts.map(({ name }) => name)).toEqual([
      ...['head', 'person', 'figures', 'bookings', 'sign_offs', 'steps'],
      ...Array.from({ length: 30 }, (_, index) => `2026-11-${String(index + 1).padStart(2, '0')}`),
    ]);
    const contents = Object.fromEntries(files[0]!.parts.map((part) => [part.name, JSON.parse(part.text!)]));
    expect(contents['2026-11-24']).toMatchObject({ worked: 509, entries: [{ start: '2026-11-24T07:00:12.250Z' }] });
    expect(contents['steps']).toEqual([{ step: 'closed', at: '2026-12-02T07:00:00Z', reason: null }]);
  });

  it('a closed month leads to the same root for any hidden parts', async () => {
    const hidden = new Set(['head', 'person', '2026-11-24']);
    const file = await fileOf(world.people.ada, { hidden });
    expect(rootOfFile(file)).toBe(file.root);
    expect(JSON.stringify(file)).not.toContain('Ada');
    expect(file.parts.filter((part) => part.hash !== undefined).map(({ name }) => name)).toEqual([
      'person',
      '2026-11-24',
    ]);
  });

  it('a month that is closed again has another revision, which names the previous root', async () => {
    const first = await fileOf(world.people.ada);
    await reopenMonth(world, { month });
    await close();
    const second = await fileOf(world.people.ada);
    expect(second.root).not.toBe(first.root);
    // A seed used twice would show which places are empty.
    const seeds = await world.db.all<{ seed: string }>("SELECT seed FROM commitments WHERE kind = 'month'");
    expect(new Set(seeds.map(({ seed }) => seed)).size).toBe(2);
    expect(second.revisions.map(({ root }) => root)).toEqual([first.root, second.root]);
    const head = second.parts[0]!;
    expect(JSON.parse(head.text!)).toMatchObject({ revision: 2, previous_root: first.root });
    expect(rootOfFile(second)).toBe(second.root);
    expect(await fileOf(world.people.ada, { revision: 1 })).toMatchObject({ root: first.root });
  });

  it('each person sees what re-opening a month changed for them, as it was committed to', async () => {
    const { ada, ben } = world.people;
    const revisionsOf = async (personId: number) =>
      (await presentProofs(world.db, personId, world.now())).data.map(({ revision, reopened, changes }) => ({
        revision,
        reopened: reopened?.reason,
        changes,
      }));
    expect(await revisionsOf(ada)).toEqual([{ revision: 1 }]);
    await reopenMonth(world, { month, reason: 'Ada came late' });
    expect(await revisionsOf(ada)).toEqual([{ revision: 1, reopened: 'Ada came late' }]);
    const startAt = parseInstant('2026-11-24T08:00:12.250Z')!;
    await world.db.write((tx) =>
      tx.run('UPDATE time_entries SET start_at = :startAt WHERE person_id = :ada', { startAt, ada }),
    );
    await close();
    // What is recorded later does not change what was committed to.
    await world.db.write((tx) =>
      tx.run('UPDATE time_entries SET start_at = :startAt WHERE person_id = :ada', { startAt: startAt + 60_000, ada }),
    );
    const days = [{ date: '2026-11-24', worked_before: 509, worked_now: 449 }];
    expect(await revisionsOf(ada)).toEqual([
      { revision: 2, changes: { days, parts: ['figures'] } },
      { revision: 1, reopened: 'Ada came late' },
    ]);
    expect(await revisionsOf(ben)).toMatchObject([{ revision: 2, changes: { days: [], parts: [] } }, { revision: 1 }]);
  });

  it('a closed month says how many people with times have a proof, so that an omission shows', async () => {
    const { ada } = world.people;
    const provenMonths = async () =>
      (await (await world.as(ada)).call('GET', '/app/evaluations')).body['proven_months'];
    expect(await provenMonths()).toEqual([{ month, with_times: 1, with_proof: 1 }]);
    await world.db.write((tx) =>
      tx.run('UPDATE commitment_leaves SET person_id = NULL WHERE person_id = :ada', { ada }),
    );
    expect(await provenMonths()).toEqual([{ month, with_times: 1, with_proof: 0 }]);
  });

  it('the person of a closed month gets one notice to keep it, two weeks before the last day', async () => {
    const { ada } = world.people;
    const noticeCounts: Record<string, number> = {};
    const setLastDay = (day: string) =>
      world.db.write((tx) => tx.run('UPDATE people SET employment_end = :day WHERE id = :ada', { day, ada }));
    const tellAt = async (text: string) => {
      world.set(parseInstant(text)!);
      await tellProofsToKeep(world.service.store, world.now());
      const rows = await world.db.all("SELECT person_id FROM notices WHERE kind = 'proofs_to_keep'");
      expect(rows).toEqual(rows.map(() => ({ person_id: ada })));
      noticeCounts[text] = rows.length;
    };
    await setLastDay('2026-12-31');
    await tellAt('2026-12-16T12:00:00Z');
    await tellAt('2026-12-17T04:59:00Z');
    await tellAt('2026-12-17T05:00:00Z');
    await tellAt('2026-12-18T12:00:00Z');
    await setLastDay('2026-12-17');
    await tellAt('2026-12-18T12:00:01Z');
    await setLastDay('2026-12-18');
    await tellAt('2026-12-18T12:00:02Z');
    expect(Object.values(noticeCounts)).toEqual([0, 0, 1, 1, 1, 2]);
  });

  it('two processes at the same time close a month once, with one commitment', async () => {
    await reopenMonth(world, { month });
    const replica = await world.replica();
    const closings = [world.service.store, replica.store].map((store) =>
      store.write({ actor: { kind: 'system' }, at: world.now() }, (tx) =>
        closeCompanyMonth(tx, { companyId: world.nord, month }),
      ),
    );
    const outcomes = (await Promise.allSettled(closings)).map(({ status }) => status).sort();
    await world.stop(replica);
    expect(outcomes).toEqual(['fulfilled', 'rejected']);
    expect((await fileOf(world.people.ada)).revisions.map(({ revision }) => revision)).toEqual([1, 2]);
  });

  it('a closing that dies at any step leaves the month open, without a commitment', async () => {
    await reopenMonth(world, { month });
    const tables = ['closed_months', 'month_balances', 'month_steps', 'commitments', 'commitment_leaves'];
    const readRows = () =>
      Promise.all([...tables, 'events', 'audit_entries'].map((name) => world.db.all(`SELECT * FROM ${name}`)));
    const rowsBefore = await readRows();
    const closeFor = async (steps: number) => {
      const death = new Error('the process died');
      const closing = write((tx) => closeCompanyMonth(failAfter(tx, steps, death), { companyId: world.nord, month }));
      return await closing.then(
        () => true,
        (error: unknown) => {
          if (error !== death) throw error;
          return false;
        },
      );
    };
    let steps = 0;
    while (!(await closeFor(steps))) {
      expect(await readRows()).toEqual(rowsBefore);
      steps += 1;
    }
    expect(steps).toBeGreaterThan(20);
    expect((await fileOf(world.people.ada)).revisions.map(({ revision }) => revision)).toEqual([1, 2]);
  });

  it('the proof of a closed month is the same on every database', async () => {
    const { parts, slot } = await fileOf(world.people.ada);
    // The head names that of the log, whose numbers differ.
    proofs.push(JSON.stringify([parts.filter(({ name }) => name !== 'head'), slot]));
    expect(new Set(proofs).size).toBe(1);
  });

  it('a person sees which of their months are over and not closed yet', async () => {
    const openMonths = async () =>
      (await (await world.as(world.people.ada)).call('GET', '/app/me/proofs')).body['not_closed'];
    expect(await openMonths()).toBeUndefined();
    world.set(parseInstant('2027-02-01T07:00:00Z')!);
    expect(await openMonths()).toEqual({ from: '2026-12', to: '2027-01' });
    await world.db.write((tx) => tx.run("UPDATE people SET employment_end = '2026-12-15'"));
    expect(await openMonths()).toEqual({ from: '2026-12', to: '2026-12' });
    await reopenMonth(world, { month });
    expect(await openMonths()).toEqual({ from: '2026-11', to: '2026-12' });
    await world.db.write((tx) => tx.run("UPDATE people SET employment_end = '2026-10-31'"));
    // Work that stayed when the last day was set is in the proof of its month.
    expect(await openMonths()).toEqual({ from: '2026-11', to: '2026-11' });
    const { ada, ben } = world.people;
    const payout = { kind: 'payout', minutes: -90, date: '2027-01-04', reason: 'Paid out', by: ben } as const;
    await world.write(async (write) => addTimeBooking(write, (await findPerson(write, ada, allCompanies))!, payout));
    expect(await openMonths()).toEqual({ from: '2026-11', to: '2027-01' });
  });

  it('two people of a company have no token in common', async () => {
    const { ada, ben } = world.people;
    const copy = (tx: Transaction) =>
      tx.run('UPDATE people SET proof_token = (SELECT proof_token FROM people WHERE id = :ada) WHERE id = :ben', {
        ada,
        ben,
      });
    await expect(world.db.write(copy)).rejects.toThrow(/unique/i);
  });

  it('the proofs of other people keep leading to the root after an erasure, without its bytes', async () => {
    const { ada, ben } = world.people;
    const bensFile = await fileOf(ben);
    const { token, salt, parts } = (await world.db.get<{ token: string; salt: string; parts: string }>(
      `SELECT p.proof_token AS token, p.record_salt AS salt, l.parts
       FROM people p JOIN commitment_leaves l ON l.person_id = p.id WHERE p.id = :ben`,
      { ben },
    ))!;
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :ben', { ben }));
    await write((tx) => erasePerson(tx, { personId: ben, scope: allCompanies, reason: 'asked for it' }));
    const file = await fileOf(ada);
    expect(rootOfFile(file)).toBe(file.root);
    await expect(fileOf(ben)).rejects.toThrow('not_found');
    const erasedLeaves = await world.db.all('SELECT person_id, parts FROM commitment_leaves WHERE person_id IS NULL');
    expect(erasedLeaves).toEqual([{ person_id: null, parts: null }]);
    const database = JSON.stringify(await readAllRows());
    for (const { name, salt } of bensFile.parts) expect([name, database.includes(salt!)]).toEqual([name, false]);
    for (const text of [token, salt, parts]) expect(database).not.toContain(text);
  });
});
