/**
 * After a month is closed, no sequence of calls through any entry point changes its report, its CSV, a person's own
 * month or a stored figure, except re-opening it. A model keeps what was closed and which month is next.
 */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { runs } from '@clockproof/platform/testing/runs';
import { parseInstant } from '@clockproof/platform/time/instant';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addSuperAdmin, type Browser } from '../browser.js';
import { createWorld, type World } from '../world.js';

const months = ['2026-08', '2026-09', '2026-10', '2026-11', '2026-12'] as const;
const firstMonth = '2026-09';

interface Model {
  /** The contents of each closed month, in order. */
  readonly closedMonths: Map<string, unknown>;
}
interface Scene {
  readonly world: World;
  readonly root: Browser;
  readonly people: readonly number[];
}

const day = fc
  .integer({ min: 0, max: 130 })
  .map((days) => new Date(Date.UTC(2026, 7, 20 + days)).toISOString().slice(0, 10));
const anyIndex = fc.integer({ min: 0, max: 2 });
const admin = (path: string) => `/app/admin/people/{person}${path}`;
const week = { monday: 300, tuesday: 300, wednesday: 300, thursday: 300, friday: 0, saturday: 0, sunday: 0 };

interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly personIndex: number;
  readonly key?: true;
}
const step = (method: string, path: string, body: fc.Arbitrary<object> = fc.constant({}), fields: object = {}) =>
  fc
    .record({ personIndex: anyIndex, body })
    .map(({ personIndex, body }): Step => ({ method, path, personIndex, body, ...fields }));
const bareStep = (method: string, path: string) => anyIndex.map((personIndex): Step => ({ method, path, personIndex }));

const change = fc.oneof(
  step(
    'PATCH',
    admin(''),
    day.map((date) => ({ employment_end: date })),
  ),
  step(
    'PATCH',
    admin(''),
    day.map((date) => ({ employment_start: date })),
  ),
  step('PATCH', admin(''), fc.constant({ employment_end: null })),
  step('PATCH', admin(''), fc.constant({ department_id: null })),
  step(
    'POST',
    admin('/deactivation'),
    day.map((date) => ({ employment_end: date })),
  ),
  step('POST', admin('/employment-end-preview'), fc.record({ employment_end: day, deactivate: fc.boolean() })),
  bareStep('POST', admin('/reactivation')),
  step('PUT', admin('/opening-balance'), fc.record({ date: day, balance_minutes: fc.integer({ min: -60, max: 60 }) })),
  step(
    'POST',
    admin('/schedules'),
    day.map((date) => ({ valid_from: date, minutes: week })),
  ),
  bareStep('DELETE', admin('/schedules/{schedule}')),
  step(
    'POST',
    '/app/admin/companies/{company}/schedules',
    day.map((date) => ({ valid_from: date, minutes: week })),
  ),
  bareStep('DELETE', '/app/admin/companies/{company}/schedules/{company_schedule}'),
  step('PUT', admin('/entitlements/2026'), fc.constant({ days: 12, carried_over_days: 1 })),
  step(
    'POST',
    '/app/people/{person}/absences',
    day.map((date) => ({ type: 'sickness', start_date: date, end_date: date })),
  ),
  step(
    'POST',
    '/api/v1/absences',
    day.map((date) => ({ type: 'vacation', start_date: date, end_date: date })),
    { key: true },
  ),
  bareStep('DELETE', '/api/v1/absences/{absence}'),
  step(
    'POST',
    '/app/people/{person}/corrections',
    day.map((date) => ({ start: `${date}T08:00:00Z`, end: `${date}T12:00:00Z`, breaks: [], reason: 'Forgot' })),
  ),
  step('POST', '/app/people/{person}/corrections', fc.constant({ entry_id: 0, remove: true, reason: 'Twice' })),
  step(
    'PATCH',
    '/app/admin/companies/{company}',
    fc.constantFrom('DE-BY', 'DE-HH', 'DE-SN').map((region) => ({ region })),
  ),
  step(
    'PATCH',
    '/app/admin/companies/{company}',
    fc.constantFrom('Europe/Berlin', 'Pacific/Kiritimati', 'Pacific/Pago_Pago').map((time_zone) => ({ time_zone })),
  ),
  step(
    'PATCH',
    '/app/admin/companies/{company}',
    fc.boolean().map((deduct_breaks) => ({ deduct_breaks })),
  ),
  step(
    'PATCH',
    '/app/admin/companies/{company}/absence-types/vacation',
    fc.boolean().map((active) => ({ active })),
  ),
  step('POST', '/api/v1/clock/in', fc.constant({}), { key: true }),
  step('POST', '/api/v1/clock/out', fc.constant({}), { key: true }),
  step(
    'POST',
    '/app/admin/people',
    day.map((date) => ({ first_name: 'New', last_name: 'Comer', employment_start: date })),
  ),
  fc.constantFrom(...months).map(
    (month): Step => ({
      method: 'POST',
      path: `/app/admin/companies/{company}/months/${month}/close`,
      personIndex: 0,
    }),
  ),
  fc.constantFrom(...months).map(
    (month): Step => ({
      method: 'POST',
      path: `/app/admin/companies/{company}/months/${month}/reopen`,
      personIndex: 0,
      body: { reason: 'Late' },
    }),
  ),
);

async function createScene(): Promise<Scene> {
  const world = await createWorld('sqlite');
  world.set(parseInstant('2026-12-10T08:00:00Z')!);
  const boss = await addSuperAdmin(world);
  await world.db.write((tx) => tx.run('UPDATE people SET tracking_start = :from', { from: `${firstMonth}-01` }));
  const root = await world.as(boss);
  const { ada, ben, cem } = world.people;
  for (const [person, date] of [
    [ada, '2026-09-15'],
    [ben, '2026-10-06'],
    [cem, '2026-10-30'],
    [ada, '2026-11-17'],
  ] as const) {
    const body = { start: `${date}T07:00:00Z`, end: `${date}T14:00:00Z`, breaks: [], reason: 'Forgot' };
    expect((await root.call('POST', `/app/people/${person}/corrections`, { body })).status).toBe(201);
  }
  return { world, root, people: [ada, ben, cem] };
}

/** Everything that shows a month. */
async function readMonth({ world, root, people }: Scene, month: string): Promise<unknown> {
  const report = await root.call('GET', `/app/reports/months?company_id=${world.nord}&month=${month}`);
  const csv = await root.call('GET', `/app/reports/months/export?company_id=${world.nord}&month=${month}`);
  expect([report.status, csv.status]).toEqual([200, 200]);
  const lines = (report.body['data'] as { department?: string }[]).map(({ department, ...line }) => line);
  const personMonths: unknown[] = [];
  for (const person of people) {
    const { body } = await root.call('GET', `/app/people/${person}/months?year=2026`);
    personMonths.push((body['data'] as { month: string }[]).find((row) => row.month === month));
  }
  const balances = await world.db.all(
    'SELECT * FROM month_balances WHERE company_id = :nord AND month = :month ORDER BY person_id',
    { nord: world.nord, month },
  );
  return { lines, csv: csv.body['text'], personMonths, balances };
}

async function take(
  scene: Scene,
  { method, path, body, personIndex, key }: Step,
): Promise<{ status: number; code: unknown }> {
  const { world, root, people } = scene;
  const person = people[personIndex]!;
  const newest = async (table: 'schedules' | 'absences' | 'time_entries') =>
    (await world.db.get<{ id: number }>(`SELECT MAX(id) AS id FROM ${table} WHERE person_id = :person`, { person }))
      ?.id ?? 1;
  const ofCompany = await world.db.get<{ id: number }>(
    'SELECT MAX(id) AS id FROM schedules WHERE company_id = :nord AND person_id IS NULL',
    { nord: world.nord },
  );
  const filledPath = path
    .replace('{company_schedule}', `sch_${ofCompany?.id ?? 1}`)
    .replace('{person}', String(person))
    .replace('{company}', String(world.nord))
    .replace('{schedule}', `sch_${await newest('schedules')}`)
    .replace('{absence}', String(await newest('absences')));
  const payload: Record<string, unknown> | undefined = body && { ...body };
  if (payload !== undefined && path === '/app/admin/people') payload['company_id'] = world.nord;
  if (payload !== undefined && 'entry_id' in payload) payload['entry_id'] = await newest('time_entries');
  if (payload !== undefined && key === true) payload['user_id'] = person;
  const options = payload === undefined ? {} : { body: payload };
  const answer = path.startsWith('/api')
    ? await world.call(method, filledPath, { key: world.planner.key, ...options })
    : await root.call(method, filledPath, options);
  return { status: answer.status, code: answer.body['code'] };
}

const nextOf = (month: string) => months[months.indexOf(month as (typeof months)[number]) + 1]!;

async function run(steps: readonly Step[]): Promise<void> {
  const scene = await createScene();
  try {
    const model: Model = { closedMonths: new Map() };
    const nextMonth = () =>
      [...model.closedMonths.keys()].length === 0 ? firstMonth : nextOf([...model.closedMonths.keys()].at(-1)!);
    for (const call of [
      { method: 'POST', path: `/app/admin/companies/{company}/months/${firstMonth}/close`, personIndex: 0 },
      ...steps,
    ]) {
      const dueMonth = nextMonth();
      const { status, code } = await take(scene, call);
      expect([call, status, status < 500]).toEqual([call, status, true]);
      const [, month, verb] = /months\/(.{7})\/(close|reopen)/.exec(call.path) ?? [];
      if (verb === 'close') {
        if (status === 200) {
          expect([call.path, month]).toEqual([call.path, dueMonth]);
          model.closedMonths.set(month!, await readMonth(scene, month!));
        } else if (model.closedMonths.has(month!)) expect(code).toBe('month_closed');
        else if (month! > dueMonth && month! < '2026-12') expect(code).toBe('earlier_month_open');
        else expect(code).toBe('month_not_closable');
      }
      if (verb === 'reopen' && status === 200) {
        expect(month).toBe([...model.closedMonths.keys()].at(-1));
        model.closedMonths.delete(month!);
      }
      for (const [closedMonth, contents] of model.closedMonths)
        expect([call, await readMonth(scene, closedMonth)]).toEqual([call, contents]);
    }
  } finally {
    await scene.world.close();
  }
}

const onSqlite = oneDialect.includes('sqlite') ? describe : describe.skip;

onSqlite('closed months on sqlite', () => {
  it('closed months never change under any call, until they are re-opened', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 12, maxLength: 24 }), (steps) => run(steps)),
      { numRuns: runs(2), seed: 2_026, endOnFailure: true },
    );
  });
});
