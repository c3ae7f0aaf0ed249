/** Correcting several people at once: preview, one reason, one undo, by the rules of a single correction. */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { changeRoles } from '../../src/people/roles.js';
import { setEvaluation } from '../../src/working-time/evaluations.js';
import type { Browser } from '../browser.js';
import { closeMonth, hire, recordWork, sendStamp } from '../builders.js';
import { createWorld, type World } from '../world.js';

const at = (text: string) => parseInstant(text)!;

describe.each(oneDialect)('corrections of several people on %s', (dialect) => {
  let world: World;
  let admin: number;
  /** Approves for the office: for Ada, not for Ben. */
  let olga: number;
  let browser: Browser;
  beforeEach(async () => {
    world = await createWorld(dialect);
    world.set(at('2026-11-26T17:00:00Z'));
    [admin, olga] = await world.write(async (write) => {
      const admin = await hire(write, {
        companyId: world.nord,
        firstName: 'Adam',
        email: 'adam@clockproof.example',
        role: 'company_admin',
      });
      const olga = await hire(write, { companyId: world.nord, firstName: 'Olga', email: 'olga@clockproof.example' });
      await changeRoles(write, olga, world.nord, [
        { role: 'approver', companyId: world.nord, departmentIds: [world.office] },
      ]);
      return [admin, olga] as const;
    });
    browser = await world.as(admin);
  });
  afterEach(() => world.close());

  const addEntry = (personId: number, start: string, end: string | null, fields: object = {}) =>
    recordWork(world, {
      company_id: personId === world.people.zoe ? world.sued : world.nord,
      person_id: personId,
      start_at: at(start),
      end_at: end === null ? null : at(end),
      ...fields,
    });
  const post = (path: string, body: object, caller = browser) =>
    caller.call('POST', `/app/corrections${path}`, { body });
  const list = async (query: string, caller = browser) =>
    (await caller.call('GET', `/app/team/entries?from=2026-11-01&to=2026-11-30${query}`)).body as {
      data: { person: { name: string }; entry: { id: number } }[];
      next_cursor: string | null;
    };
  const ids = async (query: string, caller = browser) => (await list(query, caller)).data.map((row) => row.entry.id);
  const rows = () =>
    world.db.all<{ id: number; status: string; start_at: number; end_at: number | null }>(
      'SELECT id, status, start_at, end_at FROM time_entries ORDER BY id',
    );
  const auditEntries = async () =>
    (
      await world.db.all<{ action: string; subject: string }>(
        "SELECT action, subject FROM audit_entries WHERE action LIKE 'entry.%' ORDER BY sequence",
      )
    ).map(({ action, subject }) => `${action} ${subject}`);

  it('the list of corrections has entries the caller corrects, by day, or only those without a clock-out', async () => {
    const { ada, ben, zoe } = world.people;
    const completeEntry = await addEntry(ada, '2026-11-24T07:00:00Z', '2026-11-24T15:00:00Z');
    const entryWithoutEnd = await addEntry(ben, '2026-11-23T07:00:00Z', null);
    const oldOpenEntry = await addEntry(ada, '2026-11-25T23:00:00Z', null, { status: 'open' });
    const currentEntry = await addEntry(ben, '2026-11-26T08:00:00Z', null, { status: 'open' });
    await addEntry(ada, '2026-11-20T07:00:00Z', '2026-11-20T15:00:00Z', { status: 'rejected' });
    await addEntry(zoe, '2026-11-24T07:00:00Z', null);
    await addEntry(admin, '2026-11-24T07:00:00Z', null);
    expect(await ids('')).toEqual([entryWithoutEnd.id, completeEntry.id, oldOpenEntry.id, currentEntry.id]);
    expect(await ids('&without_end=true')).toEqual([entryWithoutEnd.id, oldOpenEntry.id]);
    const firstPage = await list('&limit=1');
    expect(firstPage.data.map((row) => row.person.name)).toEqual(['Ben Kurz']);
    expect(await ids(`&limit=1&cursor=${firstPage.next_cursor}`)).toEqual([completeEntry.id]);
    expect(await ids('', await world.as(olga))).toEqual([completeEntry.id, oldOpenEntry.id]);
    await world.write((write) =>
      setEvaluation(write, { companyId: world.nord, evaluation: 'presence', enabled: false, by: admin }),
    );
    expect(await ids('')).toEqual([entryWithoutEnd.id, completeEntry.id]);
    expect(
      (await browser.call('GET', `/app/team/entries?from=2026-11-01&to=2026-11-30&company_id=${world.sued}`)).status,
    ).toBe(404);
  });

  it('the preview shows each correction and changes nothing', async () => {
    const { ada, ben, zoe } = world.people;
    const lateEntry = await addEntry(ada, '2026-11-24T09:02:00Z', '2026-11-24T15:00:00Z');
    await addEntry(ben, '2026-11-24T07:00:00Z', '2026-11-24T15:00:00Z');
    const rowsBefore = await rows();
    const times = { start: '2026-11-24T07:00:00Z', end: '2026-11-24T15:00:00Z' };
    const { status, body } = await post('/preview', {
      corrections: [
        { user_id: ada, entry_id: lateEntry.id, ...times },
        { user_id: ada, entry_id: lateEntry.id, remove: true },
        { user_id: ben, ...times },
        { user_id: ben, start: '2026-11-26T16:00:00Z', end: '2026-11-26T18:00:00Z' },
        { user_id: zoe, ...times },
        { user_id: admin, ...times },
      ],
    });
    expect(status).toBe(200);
    expect(body['data']).toMatchObject([
      { user_id: ada, entry: { id: lateEntry.id, start: '2026-11-24T09:02:00Z' }, worked_minutes: 480 },
      { user_id: ada, worked_minutes: 0 },
      { user_id: ben, refusal: 'entry_overlap' },
      { user_id: ben, refusal: 'invalid_request' },
      { user_id: zoe, refusal: 'not_found' },
      { user_id: admin, refusal: 'own_request' },
    ]);
    expect(await rows()).toEqual(rowsBefore);
  });

  it('a bulk correction has one reason and an audit entry each, and one undo', async () => {
    const { ada, ben } = world.people;
    const lateEntry = await addEntry(ada, '2026-11-24T09:02:00Z', '2026-11-24T15:00:00Z');
    const mistake = await addEntry(ada, '2026-11-24T08:00:00Z', '2026-11-24T08:00:20Z');
    await sendStamp(world, 'in', ben);
    world.advance(24 * 3_600_000);
    browser = await world.as(admin);
    const rowsBefore = await rows();
    const benEntry = rowsBefore.find(({ status }) => status === 'open')!;
    const answer = await post('', {
      reason: 'Terminal down',
      corrections: [
        {
          user_id: ada,
          entry_id: lateEntry.id,
          start: '2026-11-24T07:00:00Z',
          end: '2026-11-24T15:00:00Z',
          breaks: [],
        },
        { user_id: ben, entry_id: benEntry.id, start: '2026-11-26T17:00:00Z', end: '2026-11-26T20:00:00Z' },
        { user_id: ben, start: '2026-11-25T07:00:00Z', end: '2026-11-25T09:00:00Z' },
      ],
    });
    expect(answer.status).toBe(201);
    expect((await rows()).map(({ status }) => status)).toEqual(['approved', 'rejected', 'approved', 'approved']);
    expect(await auditEntries()).toEqual([
      `entry.struck_out person ${ada}`,
      `entry.corrected person ${ada}`,
      `entry.corrected person ${ben}`,
      `entry.corrected person ${ben}`,
    ]);
    const correctionIds = (answer.body['data'] as { id: string }[]).map(({ id }) => id);
    const stranger = await world.as(olga);
    // Ada is in Olga's scope: what somebody else corrected stays theirs to undo.
    expect((await post('/undo', { correction_ids: correctionIds.slice(0, 1) }, stranger)).status).toBe(404);
    world.advance(60_000);
    expect((await post('/undo', { correction_ids: correctionIds })).status).toBe(200);
    expect(await rows()).toMatchObject([
      rowsBefore[0]!,
      rowsBefore[1]!,
      { id: benEntry.id, status: 'clock_out_missing', start_at: benEntry.start_at, end_at: null },
      { status: 'rejected' },
    ]);
    expect(rowsBefore[1]!.id).toBe(mistake.id);
    const history = await browser.call('GET', `/app/entries/${lateEntry.id}/history`);
    expect(history.body['data']).toMatchObject([
      { change: 'recorded' },
      { change: 'corrected', reason: 'Terminal down' },
      { change: 'corrected', reason: 'Undone: Terminal down' },
    ]);
    expect((await auditEntries()).length).toBe(8);
    expect((await post('/undo', { correction_ids: correctionIds })).body).toMatchObject({ code: 'entry_changed' });
  });

  it('a bulk correction with one refusal changes nothing, and names it', async () => {
    const { ada, ben } = world.people;
    await addEntry(ben, '2026-11-24T07:00:00Z', '2026-11-24T15:00:00Z');
    const rowsBefore = await rows();
    const times = { start: '2026-11-24T07:00:00Z', end: '2026-11-24T15:00:00Z' };
    const request = {
      reason: 'Terminal down',
      corrections: [
        { user_id: ada, ...times },
        { user_id: ben, ...times },
      ],
    };
    const refusal = await post('', request);
    expect(refusal.status).toBe(409);
    expect(refusal.body).toMatchObject({ code: 'entry_overlap', details: [{ field: 'corrections[1]' }] });
    const invalidAnswer = await post('', { ...request, corrections: [{ user_id: ada, start: times.start }] });
    expect(invalidAnswer.body).toMatchObject({ code: 'invalid_request', details: [{ field: 'corrections[0].end' }] });
    expect(await rows()).toEqual(rowsBefore);
  });

  it('a bulk correction cannot be undone over other work or in a closed month', async () => {
    const { ada } = world.people;
    const firstEntry = await addEntry(ada, '2026-11-24T07:00:00Z', '2026-11-24T15:00:00Z');
    const answer = await post('', {
      reason: 'Was shorter',
      corrections: [
        { user_id: ada, entry_id: firstEntry.id, start: '2026-11-24T07:00:00Z', end: '2026-11-24T12:00:00Z' },
      ],
    });
    const correction = { correction_ids: [(answer.body['data'] as { id: string }[])[0]!.id] };
    const secondEntry = await addEntry(ada, '2026-11-24T13:00:00Z', '2026-11-24T14:00:00Z');
    world.advance(60_000);
    expect((await post('/undo', correction)).body).toMatchObject({ code: 'entry_overlap' });
    expect((await rows())[0]).toMatchObject({ end_at: at('2026-11-24T12:00:00Z') });
    const removal = { user_id: ada, entry_id: secondEntry.id, remove: true };
    expect((await post('', { reason: 'No work', corrections: [removal] })).status).toBe(201);
    world.set(at('2026-12-01T08:00:00Z'));
    browser = await world.as(admin);
    await closeMonth(world, { personId: admin });
    expect((await post('/undo', correction)).body).toMatchObject({ code: 'month_closed' });
  });
});
