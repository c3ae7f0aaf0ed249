/** One person, one time entry, one absence by id: who may read the list may read its record, and nobody else. */
import { dialects } from '@clockproof/platform/testing/databases';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Scope } from '../src/generated/contract.js';
import { erasePerson } from '../src/hr/erasure.js';
import { changeDepartmentName } from '../src/people/people.js';
import { allCompanies } from '../src/store/every-company.js';
import { factorKeysOf, giveCredentials } from './browser.js';
import { installExtension, sendAbsence, sendStamp } from './builders.js';
import { addApp, link } from './linking.js';
import { type Answer, createWorld, dataKey, type World } from './world.js';

/** Ada's, recorded by the planner. */
async function recordOne(world: World): Promise<void> {
  for (const verb of ['in', 'out']) await sendStamp(world, verb);
  await sendAbsence(world, { start_date: '2026-12-21', end_date: '2026-12-23', external_id: 'HR-1' });
}

describe.each(dialects)('one record on %s', (dialect) => {
  let world: World;
  let paths: { readonly person: string; readonly entry: string; readonly absence: string };
  beforeEach(async () => {
    world = await createWorld(dialect, { prepared: { name: 'single_records', run: recordOne } });
    const idIn = async (table: 'time_entries' | 'absences') =>
      (await world.db.get<{ id: number }>(`SELECT id FROM ${table}`))!.id;
    paths = {
      person: `users/${world.people.ada}`,
      entry: `time/entries/${await idIn('time_entries')}`,
      absence: `absences/${await idIn('absences')}`,
    };
  });
  afterEach(() => world.close());

  const lists = {
    person: 'users?updated_since=1970-01-01',
    entry: 'time/entries?updated_since=1970-01-01',
    absence: 'time/leaves?updated_since=1970-01-01',
  } as const;
  const kinds = ['person', 'entry', 'absence'] as const;
  const ask = (path: string, key: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    world.call(method, `/api/v1/${path}`, { key, headers });
  const keyWith = async (scopes: readonly Scope[], more: object = {}) =>
    (await installExtension(world, { name: scopes.join(), acting: 'everyone', companyId: world.nord, scopes, ...more }))
      .key;
  const outcomeOf = ({ status, body }: Answer) => `${status} ${String(body['code'] ?? '')}`.trim();

  it.each(kinds)('a single record equals the record of the list: %s', async (kind) => {
    for (const { key } of [world.planner, world.auditor]) {
      const { body } = await ask(lists[kind], key);
      const id = Number(paths[kind].split('/').at(-1));
      const record = (body['data'] as { readonly id: number }[]).find((row) => row.id === id);
      expect(record).toBeDefined();
      expect((await ask(paths[kind], key)).body).toEqual(record);
    }
  });

  it.each([
    ['person', 'read:users'],
    ['entry', 'read:time_entries'],
    ['absence', 'read:leave_entries'],
  ] as const)('a single record needs the permission of the list: %s, %s', async (kind, scope) => {
    const otherScopes = (
      ['read:users', 'read:time_entries', 'read:leave_entries', 'read:clock_states'] as const
    ).filter((candidate) => candidate !== scope);
    expect(outcomeOf(await ask(paths[kind], await keyWith([scope])))).toBe('200');
    expect(outcomeOf(await ask(paths[kind], await keyWith(otherScopes)))).toBe('403 insufficient_scope');
  });

  it('a single record is not found in another company, without a link, and if there is none', async () => {
    const app = await addApp(world, 'Nobody yet', { companyId: world.nord });
    for (const kind of kinds) {
      for (const { key } of [world.souther, app]) expect(outcomeOf(await ask(paths[kind], key))).toBe('404 not_found');
      const unknownPath = paths[kind].replace(/\d+$/, '424242');
      expect(outcomeOf(await ask(unknownPath, world.planner.key))).toBe('404 not_found');
    }
  });

  it('a single record is found with a granting link of its person, by the app and its key', async () => {
    await giveCredentials(world, [world.people.ada, world.people.ben], await factorKeysOf(world, dataKey));
    const app = await addApp(world, 'Linked', { companyId: world.nord });
    const ben = await link(world, app, world.people.ben, ['read:time_entries', 'read:leave_entries']);
    for (const kind of ['entry', 'absence'] as const)
      expect(outcomeOf(await ask(paths[kind], ben.access_token))).toBe('404 not_found');
    const { access_token: token } = await link(world, app, world.people.ada, ['read:time_entries']);
    expect(outcomeOf(await ask(paths.entry, token))).toBe('200');
    expect(outcomeOf(await ask(paths.entry, app.key))).toBe('200');
    expect(outcomeOf(await ask(paths.person, app.key))).toBe('200');
    expect(outcomeOf(await ask(paths.absence, token))).toBe('403 insufficient_scope');
    expect(outcomeOf(await ask(paths.absence, app.key))).toBe('404 not_found');
    expect(outcomeOf(await ask(paths.person, token))).toBe('403 wrong_credential_kind');
  });

  it('a single absence is read by the extension that created it, with write:absences alone', async () => {
    const writerKey = await keyWith(['write:absences']);
    expect(outcomeOf(await ask(paths.absence, writerKey))).toBe('404 not_found');
    const body = { user_id: world.people.ben, type: 'vacation', start_date: '2026-12-21', end_date: '2026-12-21' };
    const creation = await world.call('POST', '/api/v1/absences', { key: writerKey, body });
    const path = `absences/${String(creation.body['id'])}`;
    const answer = await ask(path, writerKey);
    expect([outcomeOf(answer), answer.headers.get('etag')]).toEqual(['200', creation.headers.get('etag')]);
    const linkKey = await keyWith(['write:absences'], { acting: 'personal_link', companyId: undefined });
    expect(outcomeOf(await ask(path, linkKey))).toBe('403 company_mismatch');
    // It reads nothing, apart from what it created.
    const blindKey = await keyWith(['read:leave_entries', 'write:absences'], { keyReads: 'nothing' });
    const secondBody = { ...body, start_date: '2026-12-22', end_date: '2026-12-22' };
    const secondCreation = await world.call('POST', '/api/v1/absences', { key: blindKey, body: secondBody });
    const secondPath = `absences/${String(secondCreation.body['id'])}`;
    expect(outcomeOf(await ask(secondPath, blindKey))).toBe('200');
    expect(outcomeOf(await ask(path, blindKey))).toBe('404 not_found');
    // The identifier stays between the extension and the service.
    expect((await ask(paths.absence, world.planner.key)).body['external_id']).toBe('HR-1');
    expect((await ask(paths.absence, world.auditor.key)).body).not.toHaveProperty('external_id');
    await world.db.write((tx) => tx.run('UPDATE people_access SET people_writes = 0'));
    expect(outcomeOf(await ask(path, writerKey))).toBe('403 feature_disabled');
    expect(outcomeOf(await ask(secondPath, blindKey))).toBe('404 not_found');
    expect(outcomeOf(await ask(paths.absence, world.planner.key))).toBe('200');
  });

  it('a single record is deleted with the data of its person', async () => {
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :ada', { ada: world.people.ada }));
    for (const kind of kinds) expect(outcomeOf(await ask(paths[kind], world.planner.key))).toBe('200');
    await world.write((write) =>
      erasePerson(write, { personId: world.people.ada, scope: allCompanies, reason: 'asked' }),
    );
    for (const kind of kinds) expect(outcomeOf(await ask(paths[kind], world.planner.key))).toBe('404 not_found');
  });

  it.each(kinds)('a single record is sent again only if it changed: %s', async (kind) => {
    const { key } = world.planner;
    const first = await ask(paths[kind], key);
    const etag = first.headers.get('etag')!;
    expect(etag).toMatch(/^"[A-Za-z0-9_-]{20,64}"$/);
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, `W/"other",${etag}`, '*'])
      for (const method of ['GET', 'HEAD']) {
        const secondAnswer = await ask(paths[kind], key, { 'if-none-match': condition }, method);
        expect([
          condition,
          secondAnswer.status,
          secondAnswer.body,
          secondAnswer.headers.get('etag'),
          secondAnswer.headers.get('content-length'),
        ]).toEqual([condition, 304, {}, etag, null]);
      }
    for (const condition of ['"other"', etag.slice(1, -1), `"${etag.slice(1, -2)}"`])
      expect([condition, (await ask(paths[kind], key, { 'if-none-match': condition })).status]).toEqual([
        condition,
        200,
      ]);
    const head = await ask(paths[kind], key, {}, 'HEAD');
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
    // Who may not read it is not told that a copy is current.
    for (const strangerKey of [world.souther.key, await keyWith(['read:clock_states'])])
      expect((await ask(paths[kind], strangerKey, { 'if-none-match': etag })).status).toBeGreaterThan(400);
  });

  it('a single record has another tag once anything in it differs, also in another record', async () => {
    const tag = async (path: string) => (await ask(path, world.planner.key)).headers.get('etag');
    const tagsBefore = [await tag(paths.person), await tag(paths.entry), await tag(paths.absence)];
    await world.write((write) => changeDepartmentName(write, world.nord, world.office, 'Head office'));
    expect(await tag(paths.person)).not.toBe(tagsBefore[0]);
    await world.db.write((tx) => tx.run("UPDATE time_entries SET comment = 'late'"));
    expect(await tag(paths.entry)).not.toBe(tagsBefore[1]);
    // The absence is the same version for If-Match, and another answer.
    await world.db.write((tx) =>
      tx.run("UPDATE people SET language = 'de' WHERE id = :ada", { ada: world.people.ada }),
    );
    const absenceAnswer = await ask(paths.absence, world.planner.key, { 'if-none-match': tagsBefore[2]! });
    expect([
      absenceAnswer.status,
      absenceAnswer.body['type_label'],
      absenceAnswer.headers.get('etag') === tagsBefore[2],
    ]).toEqual([200, 'Urlaub', false]);
    const change = await world.call('PATCH', `/api/v1/${paths.absence}`, {
      key: world.planner.key,
      headers: { 'if-match': tagsBefore[2]! },
      body: { comment: 'still the version that was read' },
    });
    expect(change.status).toBe(200);
    expect(change.headers.get('etag')).toBe(await tag(paths.absence));
    const lateRequest = {
      key: world.planner.key,
      headers: { 'if-match': tagsBefore[2]! },
      body: { comment: 'too late' },
    };
    expect(outcomeOf(await world.call('PATCH', `/api/v1/${paths.absence}`, lateRequest))).toBe(
      '412 precondition_failed',
    );
  });
});
