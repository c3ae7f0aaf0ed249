/** The audit search finds an entry by each person it concerns and by the extension that wrote it. */

import { dialects } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { partiesOf } from '../../src/store/audit/records.js';
import { readHead } from '../../src/store/audit/rows.js';
import { verifyAudit } from '../../src/store/audit/verify.js';
import { sealAll } from '../../src/store/seal.js';
import { addSuperAdmin } from '../browser.js';
import { sendAbsence } from '../builders.js';
import { addApp, link, renew } from '../linking.js';
import { createWorld, type World } from '../world.js';

interface Entry {
  readonly sequence: number;
  readonly place: number | null;
  readonly action: string;
  readonly actor: { readonly kind: string; readonly id?: string };
  readonly subject?: { readonly kind: string; readonly id: string; readonly name?: string };
  readonly changes?: readonly { readonly member: string; readonly new?: string }[];
}

describe.each(dialects)('the search of the audit log on %s', (dialect) => {
  let world: World;
  let rootId: number;
  beforeEach(async () => {
    world = await createWorld(dialect);
    rootId = await addSuperAdmin(world, { companyId: world.nord, lastName: 'Chef' });
  });
  afterEach(() => world.close());
  const find = async (query: string) => {
    const browser = await world.as(rootId);
    return (await browser.call('GET', `/app/admin/audit?from=2026-11-01&to=2026-12-31&limit=500&${query}`)).body[
      'data'
    ] as Entry[];
  };

  const requestVacation = (person: number, date: string) => sendAbsence(world, { user_id: person, start_date: date });

  it('the search by user_id finds a person’s own absences and ended link only', async () => {
    const { ada, ben } = world.people;
    for (const [person, date] of [
      [ada, '2027-02-01'],
      [ben, '2027-02-02'],
    ] as const)
      await requestVacation(person, date);
    const app = await addApp(world, 'Stolen');
    const ownLink = await link(world, app, ada, ['write:clock']);
    expect((await renew(world, app, ownLink.refresh_token)).status).toBe(200);
    expect((await renew(world, app, ownLink.refresh_token)).status).toBe(400);
    const actionsOfAda = (await find(`user_id=${ada}`)).map((entry) => entry.action);
    expect(actionsOfAda).toEqual(
      expect.arrayContaining([
        'absence.requested',
        'link.opened',
        'link.consented',
        'link.ended',
        'sign_in.completed',
        'person.added',
      ]),
    );
    expect(actionsOfAda.filter((action) => action === 'absence.requested')).toHaveLength(1);
    expect((await find(`user_id=${ben}`)).map((entry) => entry.action)).toEqual(['absence.requested', 'person.added']);
  });

  it('the search by actor_id finds entries of a key and of links, each link entry with its extension', async () => {
    await requestVacation(world.people.ben, '2027-02-02');
    const app = await addApp(world, 'Both', { companyId: world.nord });
    const otherApp = await addApp(world, 'Other');
    const ownLink = await link(world, app, world.people.ada, ['write:clock', 'write:absences']);
    await link(world, otherApp, world.people.ada, ['write:clock']);
    expect((await world.call('POST', '/api/v1/clock/in', { key: ownLink.access_token, body: {} })).status).toBe(200);
    expect(
      (
        await world.call('POST', '/api/v1/absences', {
          key: ownLink.access_token,
          body: { type: 'vacation', start_date: '2027-03-01', end_date: '2027-03-01' },
        })
      ).status,
    ).toBe(201);
    const linkEntries = await find(`actor_id=${app.id}`);
    expect(linkEntries.map((entry) => [entry.action, entry.actor.kind])).toEqual([
      ['absence.requested', 'personal_link'],
      ['clock.in', 'personal_link'],
      ['link.opened', 'personal_link'],
    ]);
    for (const entry of linkEntries) expect(entry.changes).toContainEqual({ member: 'extension', new: app.id });
    // The log may have been sealed in between, which assigns places.
    const sequences = (entries: readonly Entry[]) => entries.map(({ sequence }) => sequence);
    expect(sequences(await find(`actor_id=${linkEntries[0]!.actor.id}`))).toEqual(sequences(linkEntries));
    expect((await find(`actor_id=${world.planner.id}`)).map((entry) => [entry.action, entry.actor.kind])).toEqual([
      ['absence.requested', 'extension'],
    ]);
    expect(await find(`actor_id=${app.id}&user_id=${world.people.ben}`)).toEqual([]);
  });

  it('the search of the audit log pages through entries of the same instant without gap or repetition', async () => {
    for (const date of ['2027-02-01', '2027-02-02', '2027-02-03']) await requestVacation(world.people.ben, date);
    const browser = await world.as(rootId);
    const period = 'from=2026-11-01&to=2026-12-31';
    const pagedEntries: Entry[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await browser.call('GET', `/app/admin/audit?${period}&limit=2${cursor}`);
      pagedEntries.push(...(body['data'] as Entry[]));
      if (body['has_more'] === false) break;
      cursor = `&cursor=${body['next_cursor'] as string}`;
    }
    const sequences = pagedEntries.map(({ sequence }) => sequence);
    expect(new Set(sequences).size).toBe(sequences.length);
    const allEntries = (await browser.call('GET', `/app/admin/audit?${period}&limit=500`)).body['data'] as Entry[];
    expect(sequences).toEqual(allEntries.map(({ sequence }) => sequence));
  });

  it('the search shows the place of an audit entry once it is sealed', async () => {
    await requestVacation(world.people.ada, '2027-02-01');
    await sealAll(world.service.store, world.now);
    const { size } = await readHead(world.db);
    const entries = await find('');
    expect(entries.find(({ action }) => action === 'absence.requested')?.place).toBe(size);
    expect(entries.map(({ place }) => place).filter((place) => place !== null && place <= size)).toEqual(
      Array.from({ length: size }, (_, index) => size - index),
    );
  });

  it('the search returns the subject of an audit entry and the person it belongs to', async () => {
    const absence = await requestVacation(world.people.ada, '2027-02-01');
    const app = await addApp(world, 'Stolen');
    const subjectsOf = async (query: string) =>
      (await find(query)).map(({ action, subject }) => [action, subject]) as unknown[];
    expect(await subjectsOf('action=absence.')).toEqual([
      [
        'absence.requested',
        { kind: 'absence', id: String(absence['id']), name: 'Ada Lang', person_id: world.people.ada },
      ],
    ]);
    expect(await subjectsOf('action=extension.added')).toContainEqual([
      'extension.added',
      { kind: 'extension', id: app.id, name: 'Stolen' },
    ]);
  });

  it('verifyAudit detects parties that differ from their audit entry', async () => {
    await requestVacation(world.people.ada, '2027-02-01');
    expect(await verifyAudit(world.db)).toMatchObject({ intact: true });
    const { sequence } = (await world.db.get<{ sequence: number }>(
      "SELECT sequence FROM audit_entries WHERE action = 'absence.requested' ORDER BY sequence LIMIT 1",
    ))!;
    const guards =
      dialect === 'sqlite'
        ? ['DROP TRIGGER audit_parties_no_update', 'DROP TRIGGER audit_parties_no_delete']
        : ['ALTER TABLE audit_parties DISABLE TRIGGER ALL'];
    const tamperings = [
      `DELETE FROM audit_parties WHERE sequence = ${sequence} AND party LIKE 'person %'`,
      `UPDATE audit_parties SET party = 'person 424242' WHERE sequence = ${sequence} AND party LIKE 'person %'`,
      `INSERT INTO audit_parties (party, at, sequence) VALUES ('person 424242', 1, ${sequence})`,
      `DELETE FROM audit_parties WHERE sequence = ${sequence} AND party LIKE 'extension %'`,
      `UPDATE audit_parties SET at = 1 WHERE sequence = ${sequence}`,
      `UPDATE audit_parties SET sequence = sequence + 1 WHERE sequence = ${sequence}`,
    ];
    for (const tampering of tamperings) {
      const undo = new Error('undo');
      let verdict: Awaited<ReturnType<typeof verifyAudit>> | undefined;
      await world.db
        .write(async (tx) => {
          for (const statement of [...guards, tampering]) await tx.run(statement);
          verdict = await verifyAudit(tx);
          throw undo;
        })
        .catch((error: unknown) => {
          if (error !== undo) throw error;
        });
      expect([tampering, verdict]).toEqual([tampering, { intact: false, firstBad: sequence, why: 'altered' }]);
    }
    for (const statement of ["UPDATE audit_parties SET party = 'person 1'", 'DELETE FROM audit_parties'])
      await expect(world.db.write((tx) => tx.run(statement))).rejects.toThrow('append-only');
  });
});

describe('partiesOf', () => {
  it.each([
    { kind: 'person', actor: '7', subject: 'person 7', details: null, expected: ['person 7'] },
    {
      kind: 'person',
      actor: '7',
      subject: 'person 8',
      details: '{"changed":["name"]}',
      expected: ['person 7', 'person 8'],
    },
    {
      kind: 'extension',
      actor: 'ext_A',
      subject: 'absence 2',
      details: '{"person":9,"status":"waiting"}',
      expected: ['extension ext_A', 'person 9'],
    },
    // JSON inside a text is not a member, and a text may contain characters a database cannot store.
    {
      kind: 'system',
      actor: null,
      subject: 'month 2026-10',
      details: JSON.stringify({ reason: 'x {"person":5} \u0000 \ud800', person: 6 }),
      expected: ['person 6'],
    },
    { kind: 'system', actor: null, subject: 'company 1', details: null, expected: [] },
    {
      kind: 'personal_link',
      actor: 'lnk_A',
      subject: 'person 1',
      details: '{"extension":"ext_A","entry":3}',
      expected: ['extension ext_A', 'person 1'],
    },
  ] as const)('lists $expected for an audit entry about $subject', ({ kind, actor, subject, details, expected }) => {
    expect(partiesOf({ actor_kind: kind, actor_id: actor, subject, details })).toEqual(expected);
  });
});
