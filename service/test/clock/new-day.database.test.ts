/** Somebody who forgot to clock out comes back: a new day begins with `in`, and the old entry waits for its end. */
import { dialects } from '@clockproof/platform/testing/databases';
import { minute, parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Browser } from '../browser.js';
import { type HeldCard, issueBadge, openDoor } from '../door.js';
import { type Answer, createWorld, type World } from '../world.js';

const at = (text: string) => parseInstant(text)!;

describe.each(dialects)('a new day after a forgotten clock-out on %s', (dialect) => {
  let world: World;
  let ada: number;
  let admin: number;
  let browser: Browser;
  beforeEach(async () => {
    world = await createWorld(dialect);
    ({ ada } = world.people);
    admin = await world.hire({ firstName: 'Tom', email: 'tom@clockproof.example', role: 'company_admin' });
  });
  afterEach(() => world.close());

  /** Sessions end after half an hour without use. */
  const signInAt = async (text: string, personId = ada) => {
    world.set(at(text) - 5 * minute);
    browser = await world.as(personId);
    world.set(at(text));
  };
  const call = (method: string, path: string, body?: unknown) =>
    browser.call(method, `/app/${path}`, body === undefined ? {} : { body });
  const stamp = async (verb: string, text: string) => {
    await signInAt(text);
    return call('POST', `me/clock/${verb}`);
  };
  const overview = async () => (await call('GET', 'me/overview')).body;
  const callAsApp = (method: string, path: string, body?: unknown) =>
    world.call(method, `/api/v1/${path}`, { key: world.planner.key, ...(body === undefined ? {} : { body }) });
  const rows = (answer: Answer) => answer.body['data'] as Record<string, unknown>[];
  const setLimit = async (hours: number | null, text: string) => {
    await signInAt(text, admin);
    expect(await call('PATCH', `admin/companies/${world.nord}`, { new_day_after_hours: hours })).toMatchObject({
      status: 200,
      body: { new_day_after_hours: hours },
    });
  };

  it('a forgotten clock-out is shown as probably left after the limit of the company', async () => {
    await stamp('in', '2026-11-23T07:30:00Z');
    const readProbablyLeft = async (text: string) => {
      await signInAt(text, admin);
      return rows(await call('GET', 'team/clock-states')).find((row) => row['user_id'] === ada)!['probably_left'];
    };
    expect(await readProbablyLeft('2026-11-23T21:30:00Z')).toBe(false);
    expect(await readProbablyLeft('2026-11-23T21:31:00Z')).toBe(true);
    await stamp('out', '2026-11-23T21:32:00Z');
    expect(await readProbablyLeft('2026-11-23T21:33:00Z')).toBe(false);
  });

  it('a clock-in after a forgotten clock-out leaves the old entry without an end', async () => {
    await stamp('in', '2026-11-23T07:30:00Z');
    await signInAt('2026-11-24T07:00:00Z');
    const { balance_minutes: balanceBefore } = (await overview())['month'] as { balance_minutes: number };
    const days = (await call('GET', 'me/days?from=2026-11-23&to=2026-11-23')).body['data'];
    expect(days).toMatchObject([{ worked_minutes: 0, target_minutes: 480, difference_minutes: 0 }]);
    expect(await overview()).toMatchObject({
      actions: ['in', 'out'],
      missing_clock_outs: [{ time_entry: { date: '2026-11-23', status: 'open' }, correction_waits: false }],
    });
    expect(await call('POST', 'me/clock/in')).toMatchObject({
      status: 200,
      body: {
        clock_state: { state: 'in', since: '2026-11-24T07:00:00Z' },
        warnings: [{ code: 'clock_out_missing', message: expect.stringContaining('is missing') }],
      },
    });
    expect(await call('POST', 'me/clock/in')).toMatchObject({ status: 409, body: { code: 'already_clocked_in' } });
    const overviewAfter = await overview();
    expect(overviewAfter).toMatchObject({
      actions: ['out', 'break_start'],
      missing_clock_outs: [{ time_entry: { status: 'clock_out_missing' } }],
      // The day is in no balance, neither its target nor any work: nor was it before, while the entry was open.
      month: { balance_minutes: balanceBefore },
    });
    const [oldEntry, newEntry] = rows(
      await callAsApp('GET', `time/entries?from=2026-11-23&to=2026-11-24&user_id=${ada}`),
    );
    expect(oldEntry).toMatchObject({ date: '2026-11-23', status: 'clock_out_missing' });
    expect(oldEntry).not.toHaveProperty('end');
    expect(oldEntry).not.toHaveProperty('worked_minutes');
    expect(newEntry).toMatchObject({ date: '2026-11-24', status: 'open', start: '2026-11-24T07:00:00Z' });
    const events = rows(await world.call('GET', '/api/v1/events?limit=100', { key: world.planner.key }));
    expect(events.slice(-2)).toMatchObject([
      { type: 'clock.out', data: { clock_state: { state: 'out' }, time_entry: { status: 'clock_out_missing' } } },
      { type: 'clock.in', data: { clock_state: { state: 'in' }, time_entry: { date: '2026-11-24' } } },
    ]);
  });

  it('an app begins a new day explicitly, and leaves no entry of the present day', async () => {
    await stamp('in', '2026-11-23T07:30:00Z');
    world.set(at('2026-11-24T07:00:00Z'));
    const clockIn = (fields: object = {}) => callAsApp('POST', 'clock/in', { user_id: ada, ...fields });
    expect(await clockIn()).toMatchObject({ status: 409, body: { code: 'already_clocked_in' } });
    expect(await clockIn({ new_day: true })).toMatchObject({
      status: 200,
      body: { clock_state: { state: 'in', since: '2026-11-24T07:00:00Z' }, warnings: [{ code: 'clock_out_missing' }] },
    });
    expect(rows(await callAsApp('GET', `time/entries?from=2026-11-23&to=2026-11-24&user_id=${ada}`))).toMatchObject([
      { date: '2026-11-23', status: 'clock_out_missing' },
      { date: '2026-11-24', status: 'open' },
    ]);
    expect(await clockIn({ new_day: true })).toMatchObject({ status: 409, body: { code: 'already_clocked_in' } });
  });

  it('a forgotten day counts once its end is corrected, without a change of the new day', async () => {
    await stamp('in', '2026-11-23T07:30:00Z');
    await stamp('in', '2026-11-24T07:00:00Z');
    const [missingClockOut] = (await overview())['missing_clock_outs'] as {
      time_entry: { id: number; start: string };
    }[];
    const { id, start } = missingClockOut!.time_entry;
    const correction = { entry_id: id, start, end: '2026-11-23T15:30:00Z', breaks: [], reason: 'Forgot to clock out' };
    const answer = await call('POST', 'me/corrections', correction);
    expect(answer.status).toBe(201);
    expect(await overview()).toMatchObject({
      missing_clock_outs: [{ time_entry: { id }, correction_waits: true }],
      clock_state: { state: 'in' },
    });
    await signInAt('2026-11-24T09:00:00Z', admin);
    const [request] = rows(await call('GET', 'approvals'));
    expect((await call('POST', `approvals/${request!['id'] as string}/approve`, {})).status).toBe(200);
    await signInAt('2026-11-24T09:30:00Z');
    expect(await overview()).toMatchObject({ missing_clock_outs: [], clock_state: { state: 'in' } });
    expect(rows(await call('GET', 'me/entries?from=2026-11-23&to=2026-11-23'))).toMatchObject([
      { status: 'approved', worked_minutes: 480 },
    ]);
    expect(rows(await call('GET', 'me/days?from=2026-11-23&to=2026-11-23'))).toMatchObject([
      { worked_minutes: 480, difference_minutes: 0 },
    ]);
  });

  it('a forgotten clock-out blocks closing the month and signing its sheet until the end is known', async () => {
    await stamp('in', '2026-11-30T07:30:00Z');
    await stamp('in', '2026-12-01T07:00:00Z');
    await signInAt('2026-12-02T07:00:00Z', admin);
    expect(await call('POST', `admin/companies/${world.nord}/months/2026-11/close`)).toMatchObject({
      status: 409,
      body: { code: 'month_not_closable' },
    });
    expect(rows(await call('GET', `reports/findings?from=2026-11-30&to=2026-11-30&company_id=${world.nord}`))).toEqual([
      expect.objectContaining({ warning: { code: 'clock_out_missing', message: expect.any(String) } }),
    ]);
  });

  it('a new day waits for the limit of the company, and does not begin without a limit', async () => {
    await stamp('in', '2026-11-23T07:30:00Z');
    expect((await stamp('in', '2026-11-23T21:30:00Z')).status).toBe(409);
    await setLimit(12, '2026-11-23T21:40:00Z');
    await signInAt('2026-11-23T21:50:00Z');
    expect(await overview()).toMatchObject({ actions: ['in', 'out'] });
    await setLimit(null, '2026-11-25T06:00:00Z');
    await signInAt('2026-11-25T07:00:00Z');
    expect(await overview()).toMatchObject({ actions: ['out', 'break_start'], missing_clock_outs: [] });
    expect(await call('POST', 'me/clock/in')).toMatchObject({ status: 409, body: { code: 'already_clocked_in' } });
  });

  it('an evening entry is forgotten once its working day began 24 hours ago', async () => {
    await stamp('in', '2026-11-23T07:00:00Z');
    await stamp('out', '2026-11-23T15:00:00Z');
    await stamp('in', '2026-11-23T17:00:00Z');
    await signInAt('2026-11-24T06:59:00Z');
    expect(await overview()).toMatchObject({ actions: ['out', 'break_start'] });
    await signInAt('2026-11-24T07:00:00Z');
    expect(await overview()).toMatchObject({ actions: ['in', 'out'] });
  });

  it('a new day is refused to apps, as documented', async () => {
    await stamp('in', '2026-11-23T07:30:00Z');
    await signInAt('2026-11-24T07:00:00Z');
    expect(await callAsApp('POST', 'clock/in', { user_id: ada })).toMatchObject({
      status: 409,
      body: { code: 'already_clocked_in' },
    });
  });

  it('a new day begins at the door, as the first action at a terminal without a screen', async () => {
    const door = await openDoor(world, 'new day');
    const card: HeldCard = await issueBadge(world, door, ada, '04a1a2a3a4a5a6');
    const tap = async (fields: object = {}) => {
      let answer = await door.send('POST', '/api/v1/terminal/card', { uid: card.uidHex, ...fields });
      while (answer.body['apdu'] !== undefined) {
        const apdu = Buffer.from(answer.body['apdu'] as string, 'hex');
        const response = Buffer.from(card.apdu(apdu)).toString('hex');
        answer = await door.send('POST', '/api/v1/terminal/card/step', { session: answer.body['session'], response });
      }
      card.reset();
      return answer.body;
    };
    world.set(at('2026-11-23T07:30:00Z'));
    expect(await tap({ action: 'next' })).toMatchObject({ stamp: { action: 'in' } });
    world.set(at('2026-11-23T21:00:00Z'));
    expect(await tap()).not.toHaveProperty('clock_out_missing');
    world.set(at('2026-11-24T07:00:00Z'));
    expect(await tap()).toMatchObject({ state: 'in', clock_out_missing: true, actions: ['in', 'out'] });
    expect(await tap({ action: 'next' })).toMatchObject({
      stamp: { action: 'in', state: 'in', since: '2026-11-24T07:00:00Z', warnings: [{ code: 'clock_out_missing' }] },
    });
    world.advance(20 * minute);
    expect(await tap()).toMatchObject({ state: 'in', actions: ['out', 'break_start'] });
  });

  it('a new day begins once under parallel requests', async () => {
    await stamp('in', '2026-11-23T07:30:00Z');
    await signInAt('2026-11-24T07:00:00Z');
    const answers = await Promise.all(Array.from({ length: 8 }, () => call('POST', 'me/clock/in')));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)]);
    expect(rows(await call('GET', 'me/entries?from=2026-11-23&to=2026-11-24'))).toHaveLength(2);
  });
});
