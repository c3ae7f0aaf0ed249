import { oneDialect } from '@clockproof/platform/testing/databases';
import { formatInstant, parseInstant } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { balancePermitOf } from '../../src/terminals/terminal-info.js';
import { evaluations, permitOf, setEvaluation } from '../../src/working-time/evaluations.js';
import type { Browser } from '../browser.js';
import { createWorld, type World } from '../world.js';

describe.each(oneDialect)('evaluations on %s', (dialect) => {
  let world: World;
  let tomId: number;
  let tom: Browser;
  let root: Browser;
  let ada: Browser;
  beforeAll(async () => {
    world = await createWorld(dialect);
    const add = (firstName: string, role: 'company_admin' | 'super_admin') =>
      world.hire({
        companyId: role === 'super_admin' ? world.sued : world.nord,
        firstName,
        lastName: 'Krüger',
        email: `${firstName.toLowerCase()}@clockproof.example`,
        role,
        language: 'de',
      });
    tomId = await add('Tom', 'company_admin');
    const rootId = await add('Ruth', 'super_admin');
    world.set(parseInstant('2026-12-01T08:00:00Z')!);
    [tom, root, ada] = [await world.as(tomId), await world.as(rootId), await world.as(world.people.ada)];
  });
  afterAll(() => world.close());

  const ways: readonly (readonly [(typeof evaluations)[number], () => string])[] = [
    ['presence', () => `/app/team/clock-states?company_id=${world.nord}`],
    ['month_reports', () => `/app/reports/months?company_id=${world.nord}&month=2026-11`],
    ['month_reports', () => `/app/reports/months/export?company_id=${world.nord}&month=2026-11`],
    ['findings', () => `/app/reports/findings?company_id=${world.nord}&from=2026-11-01&to=2026-11-30`],
    ['sheet_exports', () => `/app/people/${world.people.ada}/sheets/2026-11/table`],
    ['sheet_exports', () => `/app/people/${world.people.ada}/sheets/2026-11/document`],
    ['payroll_export', () => `/app/reports/payroll/export?company_id=${world.nord}&month=2026-11&include_open=true`],
  ];
  const turn = (evaluation: string, enabled: boolean, browser = tom) =>
    browser.call('PUT', `/app/admin/companies/${world.nord}/evaluations/${evaluation}`, { body: { enabled } });

  it.each(ways)('%s is refused to everyone while it is off, super admins included', async (evaluation, path) => {
    expect((await tom.call('GET', path())).status).toBe(200);
    expect((await turn(evaluation, false)).body).toMatchObject({ evaluation, enabled: false });
    for (const browser of [tom, root]) {
      const { status, body } = await browser.call('GET', path());
      expect([status, body['code']]).toEqual([403, 'evaluation_off']);
    }
    expect((await turn(evaluation, true)).body).toMatchObject({ enabled: true });
    expect((await tom.call('GET', path())).status).toBe(200);
  });

  it('switched-off presence leaves the people of that company out of a list of all companies', async () => {
    const people = async () => {
      const { data } = (await root.call('GET', '/app/team/clock-states?limit=500')).body as {
        data: { company_id: number }[];
      };
      return data.filter((row) => row.company_id === world.nord).length;
    };
    expect(await people()).toBeGreaterThan(0);
    await turn('presence', false);
    expect(await people()).toBe(0);
    await turn('presence', true);
  });

  it('switched-off evaluations leave people the files of their own time', async () => {
    await turn('sheet_exports', false);
    expect((await ada.call('GET', `/app/people/${world.people.ada}/sheets/2026-11/table`)).status).toBe(200);
    await turn('sheet_exports', true);
  });

  it('a switched-off balance is not on the screen at the door', async () => {
    const terminal = { show_info: 1, company_id: world.nord } as const;
    expect(await balancePermitOf(world.db, terminal)).toBeDefined();
    await turn('balance_at_the_door', false);
    expect(await balancePermitOf(world.db, terminal)).toBeUndefined();
    expect(await permitOf(world.db, world.sued, 'balance_at_the_door')).toBeDefined();
    await turn('balance_at_the_door', true);
  });

  it('evaluations are known to everyone, and switched by admins of the company', async () => {
    expect((await turn('findings', false, ada)).body['code']).toBe('forbidden');
    await world.write((write) =>
      setEvaluation(write, { companyId: world.nord, evaluation: 'findings', enabled: false, by: tomId }),
    );
    const { body } = await ada.call('GET', '/app/evaluations');
    expect(body['evaluations']).toHaveLength(evaluations.length);
    expect(body['evaluations']).toContainEqual({
      evaluation: 'findings',
      enabled: false,
      changed_at: formatInstant(world.now()),
    });
    expect(body['readers']).toMatchObject({ company_admins: 1, super_admins: 0 });
    await turn('findings', true);
  });
});
