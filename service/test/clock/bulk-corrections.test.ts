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
const system = { kind: 'system' } as const;

describe.each(oneDialect)('corrections of several people on %s', (dialect) => {
  let world: World;
  let admin: number;
  /** Approves for the office: for Ada, not for Ben. */
  let olga: number;
  let browser: Browser;
  beforeEach(async () => {
    world = await createWorld(dialect);
    world.set(at('2026-11-26T17:00:00Z'));
    [admin, olga] = await world.service.store.write({ actor: system, at: world.now() }, async (write) => {
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

  const entry = (who: number, start: string, end: string | null, more: object = {}) =>
    recordWork(world, {
      company_id: who === world.people.zoe ? world.sued : world.nord,
      person_id: who,
      start_at: at(start),
      end_at: end === null ? null : at(end),
      ...more,
    });
  const post = (path: string, body: object, by = browser) => by.call('POST', `/app/corrections${path}`, { body });
  const list = async (query: string, by = browser) =>
    (await by.call('GET', `/app/team/entries?from=2026-11-01&to=2026-11-30${query}`)).body as {
      data: { person: { name: string }; entry: { id: number } }[];
      next_cursor: string | null;
    };
  const ids = async (query: string, by = browser) => (await list(query, by)).data.map((one) => one.entry.id);
  const rows = () =>
    world.db.all<{ id: number; status: string; start_at: number; end_at: number | null }>(
      'SELECT id, status, start_at, end_at FROM time_entries ORDER BY id',
    );
  const audited = async () =>
    (
      await world.db.all<{ action: string; subject: string }>(
        "SELECT action, subject FROM audit_entries WHERE action LIKE 'entry.%' ORDER BY sequence",
      )
    ).map(({ action, subject }) => `${action} ${subject}`);

  it('the list of corrections has entries the caller corrects, by day, or only those without a clock-out', async () => {
    const { ada, ben, zoe } = world.people;
    const worked = await entry(ada, '2026-11-24T07:00:00Z', '2026-11-24T15:00:00Z');
    const forgotten = await entry(ben, '2026-11-23T07:00:00Z', null);
    const old = await entry(ada, '2026-11-25T23:00:00Z', null, { status: 'open' });
    const now = await entry(ben, '2026-11-26T08:00:00Z', null, { status: 'open' });
    await entry(ada, '2026-11-20T07:00:00Z', '2026-11-20T15:00:00Z', { status: 'rejected' });
    await entry(zoe, '2026-11-24T07:00:00Z', null);
    await entry(admin, '2026-11-24T07:00:00Z', null);
    expect(await ids('')).toEqual([forgotten.id, worked.id, old.id, now.id]);
    expect(await ids('&without_end=true')).toEqual([forgotten.id, old.id]);
    const first = await list('&limit=1');
    expect(first.data.map((one) => one.person.name)).toEqual(['Ben Kurz']);
    expect(await ids(`&limit=1&cursor=${first.next_cursor}`)).toEqual([worked.id]);
    expect(await ids('', await world.as(olga))).toEqual([worked.id, old.id]);
    await world.service.store.write({ actor: system, at: world.now() }, (write) =>
      setEvaluation(write, { companyId: world.nord, evaluation: 'presence', enabled: false, by: admin }),
    );
    expect(await ids('')).toEqual([forgotten.id, worked.id]);
    expect(
      (await browser.call('GET', `/app/team/entries?from=2026-11-01&to=2026-11-30&company_id=${world.sued}`)).status,
    ).toBe(404);
  });

  it('the preview shows each correction and changes nothing', async () => {
    const { ada, ben, zoe } = world.people;
    const late = await entry(ada, '2026-11-24T09:02:00Z', '2026-11-24T15:00:00Z');
    await entry(ben, '2026-11-24T07:00:00Z', '2026-11-24T15:00:00Z');
    const before = await rows();
    const times = { start: '2026-11-24T07:00:00Z', end: '2026-11-24T15:00:00Z' };
    const { status, body } = await post('/preview', {
      corrections: [
        { user_id: ada, entry_id: late.id, ...times },
        { user_id: ada, entry_id: late.id, remove: true },
        { user_id: ben, ...times },
        { user_id: ben, start: '2026-11-26T16:00:00Z', end: '2026-11-26T18:00:00Z' },
        { user_id: zoe, ...times },
        { user_id: admin, ...times },
      ],
    });
    expect(status).toBe(200);
    expect(body['data']).toMatchObject([
      { user_id: ada, entry: { id: late.id, start: '2026-11-24T09:02:00Z' }, worked_minutes: 480 },
      { user_id: ada, worked_minutes: 0 },
      { user_id: ben, refusal: 'entry_overlap' },
      { user_id: ben, refusal: 'invalid_request' },
      { user_id: zoe, refusal: 'not_found' },
      { user_id: admin, refusal: 'own_request' },
    ]);
    expect(await rows()).toEqual(before);
  });

  it('a bulk correction has one reason and an audit entry each, and one undo', async () => {
    const { ada, ben } = world.people;
    const late = await entry(ada, '2026-11-24T09:02:00Z', '2026-11-24T15:00:00Z');
    const mistake = await entry(ada, '2026-11-24T08:00:00Z', '2026-11-24T08:00:20Z');
    await sendStamp(world, 'in', ben);
    world.advance(24 * 3_600_000);
    browser = await world.as(admin);
    const before = await rows();
    const benEntry = before.find(({ status }) => status === 'open')!;
    const made = await post('', {
      reason: 'Terminal down',
      corrections: [
        { user_id: ada, entry_id: late.id, start: '2026-11-24T07:00:00Z', end: '2026-11-24T15:00:00Z', breaks: [] },
        { user_id: ben, entry_id: benEntry.id, start: '2026-11-26T17:00:00Z', end: '2026-11-26T20:00:00Z' },
        { user_id: ben, start: '2026-11-25T07:00:00Z', end: '2026-11-25T09:00:00Z' },
      ],
    });
    expect(made.status).toBe(201);
    expect((await rows()).map(({ status }) => status)).toEqual(['approved', 'rejected', 'approved', 'approved']);
    expect(await audited()).toEqual([
      `entry.struck_out person ${ada}`,
      `entry.corrected person ${ada}`,
      `entry.corrected person ${ben}`,
      `entry.corrected person ${ben}`,
    ]);
    const correctionIds = (made.body['data'] as { id: string }[]).map(({ id }) => id);
    const stranger = await world.as(olga);
    // Ada is in Olga's scope: what somebody else corrected stays theirs to undo.
    expect((await post('/undo', { correction_ids: correctionIds.slice(0, 1) }, stranger)).status).toBe(404);
    world.advance(60_000);
    expect((await post('/undo', { correction_ids: correctionIds })).status).toBe(200);
    expect(await rows()).toMatchObject([
      before[0]!,
      before[1]!,
      { id: benEntry.id, status: 'clock_out_missing', start_at: benEntry.start_at, end_at: null },
      { status: 'rejected' },
    ]);
    expect(before[1]!.id).toBe(mistake.id);
    const history = await browser.call('GET', `/app/entries/${late.id}/history`);
    expect(history.body['data']).toMatchObject([
      { change: 'recorded' },
      { change: 'corrected', reason: 'Terminal down' },
      { change: 'corrected', reason: 'Undone: Terminal down' },
    ]);
    expect((await audited()).length).toBe(8);
    expect((await post('/undo', { correction_ids: correctionIds })).body).toMatchObject({ code: 'entry_changed' });
  });

  it('a bulk correction with one refusal changes nothing, and names it', async () => {
    const { ada, ben } = world.people;
    await entry(ben, '2026-11-24T07:00:00Z', '2026-11-24T15:00:00Z');
    const before = await rows();
    const times = { start: '2026-11-24T07:00:00Z', end: '2026-11-24T15:00:00Z' };
    const both = {
      reason: 'Terminal down',
      corrections: [
        { user_id: ada, ...times },
        { user_id: ben, ...times },
      ],
    };
    const refused = await post('', both);
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'entry_overlap', details: [{ field: 'corrections[1]' }] });
    const unreadable = await post('', { ...both, corrections: [{ user_id: ada, start: times.start }] });
    expect(unreadable.body).toMatchObject({ code: 'invalid_request', details: [{ field: 'corrections[0].end' }] });
    expect(await rows()).toEqual(before);
  });

  it('a bulk correction cannot be undone over other work or in a closed month', async () => {
    const { ada } = world.people;
    const worked = await entry(ada, '2026-11-24T07:00:00Z', '2026-11-24T15:00:00Z');
    const made = await post('', {
      reason: 'Was shorter',
      corrections: [{ user_id: ada, entry_id: worked.id, start: '2026-11-24T07:00:00Z', end: '2026-11-24T12:00:00Z' }],
    });
    const correction = { correction_ids: [(made.body['data'] as { id: string }[])[0]!.id] };
    const other = await entry(ada, '2026-11-24T13:00:00Z', '2026-11-24T14:00:00Z');
    world.advance(60_000);
    expect((await post('/undo', correction)).body).toMatchObject({ code: 'entry_overlap' });
    expect((await rows())[0]).toMatchObject({ end_at: at('2026-11-24T12:00:00Z') });
    const removed = { user_id: ada, entry_id: other.id, remove: true };
    expect((await post('', { reason: 'No work', corrections: [removed] })).status).toBe(201);
    world.set(at('2026-12-01T08:00:00Z'));
    browser = await world.as(admin);
    await closeMonth(world, { personId: admin });
    expect((await post('/undo', correction)).body).toMatchObject({ code: 'month_closed' });
  });
});
