/**
 * Two companies on both sides of the date line, a day apart. A super admin of one sees of the other what its own admin
 * sees: its days, its today, its rows. A key of the installation reads what a key of the company reads.
 */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { minute, parseInstant } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { recordExtension } from '../src/extensions/extensions.js';
import { type AppOperationId, appOperations } from '../src/generated/contract.js';
import { recordCompany } from '../src/people/people.js';
import type { Browser } from './browser.js';
import { hire, sendAbsence, sendStamp } from './builders.js';
import { allScopes, createWorld, type World } from './world.js';
import { zone } from './zones.js';

/** Reads that name nobody's days: the reason stands beside. */
const exceptions: Partial<Record<AppOperationId, string>> = {
  listMySubstitutes: "the session's own",
  listSubstituteCandidates: "the session's own",
  listPeople: 'says who changes the record of the signed-in admin',
  listAllCompanies: 'a super admin reads every company',
  showCompanySignIn: 'says what only a super admin changes',
  showTerminal: 'no terminal here',
  showIssuing: 'no terminal here',
  listEntryHistory: 'by the id of an entry: below',
};
const month = '2026-11';
const days = 'from=2026-11-01&to=2026-12-01';
const queries: Partial<Record<AppOperationId, string>> = {
  listTeamEntries: days,
  listEntriesOfPerson: days,
  listDaysOfPerson: days,
  listMonthsOfPerson: 'year=2026',
  showVacationOfPerson: 'year=2026',
  listAbsencesOfPerson: days,
  listMonthReport: `month=${month}`,
  exportMonthReport: `month=${month}`,
  exportPayroll: `month=${month}&include_open=true`,
  listFindings: days,
  listAuditEntries: `${days}&action=clock.in`,
  exportAuditLog: `${days}&action=clock.in`,
  listHolidays: 'year=2026',
  listMonths: 'year=2026',
  showVacationStatement: 'year=2026',
};
const reads = (Object.entries(appOperations) as [AppOperationId, { method: string; path: string; role: string }][])
  .filter(
    ([id, { method, role }]) => method === 'get' && ['approver', 'company_admin'].includes(role) && !(id in exceptions),
  )
  .map(([id, { path }]) => ({ id, path }));

interface Company {
  readonly id: number;
  readonly employee: number;
  /** A company admin of it, and a super admin of the other one. */
  readonly admin: Browser;
  readonly foreignRoot: Browser;
  readonly key: string;
}

describe.each(oneDialect)('two companies a day apart on %s', (dialect) => {
  let world: World;
  const companies: Company[] = [];
  let admins: readonly (number | undefined)[];

  beforeAll(async () => {
    world = await createWorld(dialect);
    // Half past ten at night on 30 November in Honolulu, and on 1 December on Kiritimati.
    world.set(parseInstant('2026-12-01T08:30:00Z')!);
    const cast = await world.service.store.write(
      { actor: { kind: 'system' }, at: parseInstant('2026-11-01T00:00:00Z')! },
      async (write) => {
        const add = async (name: string, timeZone: string) => {
          const id = await recordCompany(write, { name, timeZone: zone(timeZone), country: 'DE', region: 'DE-BY' });
          const person = (firstName: string, role: 'employee' | 'company_admin' | 'super_admin') =>
            hire(write, {
              ...{ companyId: id, firstName, role, employmentStart: '2026-11-01' },
              email: `${firstName}.${id}@clockproof.example`.toLowerCase(),
            });
          const extension = { name, mode: 'api', acting: 'everyone', scopes: allScopes, companyId: id } as const;
          return {
            id,
            employee: await person('Emma', 'employee'),
            admin: await person('Ada', 'company_admin'),
            root: await person('Rhea', 'super_admin'),
            key: (await recordExtension(write, extension, world.randomBytes)).key,
          };
        };
        return [await add('Honolulu', 'Pacific/Honolulu'), await add('Kiritimati', 'Pacific/Kiritimati')] as const;
      },
    );
    admins = cast.map(({ admin }) => admin);
    for (const [company, otherCompany] of [cast, [...cast].reverse()] as const) {
      const stamp = (verb: string) => sendStamp(world, verb, company!.employee, company!);
      await stamp('in');
      world.advance(10 * minute);
      await stamp('out');
      await stamp('in');
      const absence = {
        user_id: company!.employee,
        type: 'sickness',
        start_date: '2026-11-30',
        end_date: '2026-12-01',
      };
      await sendAbsence(world, absence, company!);
      companies.push({
        ...{ id: company!.id, employee: company!.employee, key: company!.key },
        admin: await world.as(company!.admin),
        foreignRoot: await world.as(otherCompany!.root),
      });
    }
  });
  afterAll(() => world.close());

  const read = async (browser: Browser, path: string) => {
    const { status, body } = await browser.call('GET', path);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
    // Lists of the people that an approver decides for leave out that approver.
    const { data } = body as { data?: readonly { user_id?: number }[] };
    return data === undefined ? body : { ...body, data: data.filter(({ user_id: id }) => !admins.includes(id)) };
  };

  it.each(reads)('$id shows a super admin what it shows the admin of the company', async ({ id, path }) => {
    for (const company of companies) {
      const filledPath = path.replace('{id}', String(path.includes('/people/') ? company.employee : company.id));
      const query = [path.includes('{id}') ? '' : `company_id=${company.id}`, queries[id] ?? ''].filter(Boolean);
      const address = `${filledPath}?${query.join('&')}`;
      expect(await read(company.foreignRoot, address)).toEqual(await read(company.admin, address));
    }
  });

  it('a key of the installation reads the rows that keys of the companies read', async () => {
    const paths = ['users?', 'companies?', 'clock/states?', 'time/balances?date=2026-11-22&'];
    for (const path of [...paths, `time/entries?${days}&`, `time/leaves?${days}&`]) {
      const rows = async (key: string) => {
        const { body } = await world.call('GET', `/api/v1/${path}limit=200`, { key });
        return (body['data'] as object[]).map((row) => JSON.stringify(row));
      };
      const all = await rows(world.auditor.key);
      for (const { key } of companies)
        expect([path, (await rows(key)).length > 0, all]).toEqual([
          path,
          true,
          expect.arrayContaining(await rows(key)),
        ]);
    }
  });

  it('each company has its own today', async () => {
    const dates = await Promise.all(
      companies.map(async ({ foreignRoot, employee }) => {
        const { data } = (await read(foreignRoot, `/app/people/${employee}/entries?${days}`)) as {
          data: { date: string }[];
        };
        return data.map(({ date }) => date);
      }),
    );
    expect(dates).toEqual([
      ['2026-11-30', '2026-11-30'],
      ['2026-12-01', '2026-12-01'],
    ]);
  });
});
