/**
 * A closed month answers from what was closed: nothing that is shown of it changes by a byte when region, zone, names,
 * departments, personnel numbers, kinds of absence, rules and wage types change later.
 */
import { oneDialect } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { addTimeBooking } from '../../src/months/accounts/time-bookings.js';
import { findPerson } from '../../src/people/rows.js';
import { allCompanies } from '../../src/store/every-company.js';
import type { Write } from '../../src/store/write.js';
import { addSuperAdmin, type Browser } from '../browser.js';
import { closeMonth, correctTime, reopenMonth } from '../builders.js';
import { createWorld, type World } from '../world.js';

const at = (text: string) => parseInstant(text)!;
const month = '2027-01';

/** On Epiphany, a holiday in Bavaria, through a night; with a rest of seven hours after it; on a Sunday. */
const work = [
  ['2027-01-05T08:00:00Z', '2027-01-05T19:30:00Z'],
  ['2027-01-06T20:00:00Z', '2027-01-07T03:00:00Z'],
  ['2027-01-07T10:00:00Z', '2027-01-07T16:00:00Z'],
  ['2027-01-10T09:00:00Z', '2027-01-10T12:00:00Z'],
] as const;

describe.each(oneDialect)('a closed month on %s', (dialect) => {
  let world: World;
  let people: { readonly zoe: number; readonly tom: number; readonly root: number };
  let zoe: Browser;
  let tom: Browser;
  let root: Browser;
  const write = <Result>(effect: (write: Write) => Promise<Result>) =>
    world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, effect);
  const find = async (tx: Write, id: number) => (await findPerson(tx, id, allCompanies))!;
  const company = () => `/app/admin/companies/${world.sued}`;

  beforeEach(async () => {
    world = await createWorld(dialect);
    const tomId = await world.hire({
      companyId: world.sued,
      firstName: 'Tom',
      lastName: 'Berg',
      email: 'tom@clockproof.example',
      role: 'company_admin',
      language: 'de',
      employmentStart: '2020-01-01',
    });
    people = { zoe: world.people.zoe, tom: tomId, root: await addSuperAdmin(world, { companyId: world.nord }) };
    await world.db.write((tx) =>
      tx.run("UPDATE people SET tracking_start = '2027-01-01' WHERE company_id = :sued", { sued: world.sued }),
    );
    world.set(at('2027-02-01T08:00:00Z'));
    await signAllIn();
    const department = await root.call('POST', `${company()}/departments`, { body: { name: 'Kitchen' } });
    await change('PATCH', `/app/admin/people/${people.zoe}`, {
      personnel_number: 'N-17',
      department_id: department.body['id'],
    });
    await change('POST', `${company()}/holidays`, {
      date: '2027-01-08',
      kind: 'half_day',
      yearly: true,
      name_en: 'Foundation Day',
    });
    await change('POST', `/app/admin/people/${people.zoe}/special-rules`, {
      kind: 'expectant_or_nursing',
      valid_from: '2027-01-07',
    });
    for (const [start, end] of work)
      await correctTime(world, { person: people.zoe, by: people.tom, start: at(start), end: at(end) });
    await write(async (tx) =>
      addTimeBooking(tx, await find(tx, people.zoe), {
        kind: 'payout',
        minutes: -30,
        date: '2027-01-20',
        reason: 'Paid',
        by: people.tom,
      }),
    );
    await change('POST', `/app/people/${people.zoe}/absences`, {
      type: 'sickness',
      start_date: '2027-01-12',
      end_date: '2027-01-12',
      half_day: 'morning',
    });
    await signOff(zoe);
  });
  afterEach(() => world.close());

  async function signAllIn(): Promise<void> {
    [zoe, tom, root] = [await world.as(people.zoe), await world.as(people.tom), await world.as(people.root)];
  }

  async function change(method: string, path: string, body?: object): Promise<void> {
    const answer = await root.call(method, path, body === undefined ? {} : { body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }

  const sheet = () => `/app/people/${people.zoe}/sheets/${month}`;
  async function signOff(browser: Browser): Promise<void> {
    const { digest } = (await browser.call('GET', sheet())).body;
    expect(await browser.call('POST', `${sheet()}/sign-offs`, { body: { digest } })).toMatchObject({ status: 200 });
  }

  const payroll = ['', '&by=day'];
  /** Everything that shows the month, to everyone who may see it. */
  async function readMonth(exports = payroll): Promise<Record<string, unknown>> {
    const account = `/app/people/${people.zoe}/time-account`;
    const query = `company_id=${world.sued}`;
    const ways: [Browser, string][] = [
      ...[zoe, tom].flatMap((browser): [Browser, string][] => [
        [browser, sheet()],
        [browser, `${sheet()}/table`],
        [browser, `${sheet()}/document`],
      ]),
      [zoe, '/app/me/days?from=2027-01-01&to=2027-01-31'],
      [zoe, '/app/me/months?year=2027'],
      [tom, `/app/people/${people.zoe}/days?from=2027-01-01&to=2027-01-31`],
      [tom, `/app/people/${people.zoe}/months?year=2027`],
      [tom, `${account}?from=2027-01-01&to=2027-01-31`],
      [tom, `${account}?from=2027-01-06&to=2027-01-13`],
      [tom, `${account}/table?from=2027-01-01&to=2027-01-31`],
      [tom, `/app/reports/months?${query}&month=${month}`],
      [tom, `/app/reports/months/export?${query}&month=${month}`],
      [tom, `/app/reports/findings?${query}&from=2027-01-01&to=2027-01-31`],
      ...exports.map((grouping): [Browser, string] => [
        tom,
        `/app/reports/payroll/export?${query}&month=${month}${grouping}`,
      ]),
    ];
    const answers: Record<string, unknown> = {};
    for (const [browser, path] of ways) {
      const { status, body } = await browser.call('GET', path);
      expect([path, status]).toEqual([path, 200]);
      answers[`${browser === zoe ? 'Zoe' : 'Tom'} ${path}`] = body;
    }
    for (const date of ['2027-01-06', '2027-01-31']) {
      const path = `/api/v1/time/balances?user_id=${people.zoe}&date=${date}`;
      const { status, body } = await world.call('GET', path, { key: world.souther.key });
      expect([path, status]).toEqual([path, 200]);
      // Who the person is, the API says as of now.
      const [{ user_name: _, company_name: __, ...figures }] = body['data'] as [Record<string, unknown>];
      answers[path] = figures;
    }
    return answers;
  }

  /** Whatever decides how a month is calculated or named, changed by those who may. */
  async function changeSettings(): Promise<void> {
    await change('PATCH', company(), {
      name: 'Another AG',
      region: 'DE-HH',
      time_zone: 'America/New_York',
      short_rest_branch: 'hospitality',
      record_duty: true,
    });
    for (const [index, id] of [people.zoe, people.tom, people.root].entries())
      await change('PATCH', `/app/admin/people/${id}`, {
        first_name: 'Other',
        last_name: 'Name',
        personnel_number: `X-${index}`,
        department_id: null,
      });
    const holidays = (await root.call('GET', `${company()}/holidays?year=2027`)).body['data'] as {
      readonly company_holiday?: { readonly id: string };
    }[];
    for (const { company_holiday: holiday } of holidays)
      if (holiday !== undefined) await change('DELETE', `${company()}/holidays/${holiday.id}`);
    await change('PATCH', `${company()}/absence-types/sickness`, { label: 'Anders' });
    await change('PUT', `${company()}/payroll`, {
      wage_types: [{ code: '1', name: 'All', counts: 'work' }],
      columns: ['user_id', 'quantity'],
      decimal_mark: 'point',
    });
  }

  const close = () => closeMonth(world, { companyId: world.sued, month, personId: people.tom });

  it('a closed month shows after closing what it showed before', async () => {
    const before = await readMonth([]);
    await close();
    const after = await readMonth([]);
    /** Without the root, which a month has once it is closed, and the document that prints it. */
    const stripRoot = (answers: Record<string, unknown>) =>
      JSON.parse(
        JSON.stringify(answers, (key, value: { readonly root?: string } | null) =>
          key.endsWith('/document') || value?.root !== undefined ? undefined : value,
        ).replaceAll('"closed":true', '"closed":false'),
      );
    expect(stripRoot(after)).toEqual(stripRoot(before));
  });

  it('a closed month is byte-identical after settings change', async () => {
    await close();
    // A month may be signed off after it was closed, by somebody whom nothing in it names yet.
    await signOff(root);
    const answers = await readMonth();
    expect(JSON.stringify(answers)).toMatch(/Heilige Drei Könige.*Foundation Day.*MuSchG.*Kitchen.*HOLIDAY/s);
    await changeSettings();
    await signAllIn();
    expect(await readMonth()).toEqual(answers);
  });

  it('work after midnight of the last day adds what it lacks in breaks, and no minute of the closed day again', async () => {
    await world.db.write((tx) =>
      tx.run("UPDATE companies SET deducts_breaks_from = '2027-01-01' WHERE id = :sued", { sued: world.sued }),
    );
    const correct = (start: string, end: string) =>
      correctTime(world, { person: people.zoe, by: people.tom, start: at(start), end: at(end) });
    await correct('2027-01-31T14:55:00Z', '2027-01-31T22:55:00Z');
    const deductedMinutes = async () => {
      const { body } = await zoe.call('GET', '/app/me/days?from=2027-01-31&to=2027-02-01');
      return (body['data'] as { deducted_break_minutes?: number }[]).map((day) => day.deducted_break_minutes ?? 0);
    };
    expect(await deductedMinutes()).toEqual([30, 0]);
    await close();
    // Ten hours with a pause that is too short to count: 45 minutes in all.
    await correct('2027-01-31T23:05:00Z', '2027-02-01T01:05:00Z');
    expect(await deductedMinutes()).toEqual([30, 15]);
  });

  it('a closed month is recalculated once it is re-opened and closed again', async () => {
    await close();
    await changeSettings();
    await reopenMonth(world, { companyId: world.sued, month, personId: people.tom, reason: 'The region was wrong' });
    await close();
    await signAllIn();
    const text = JSON.stringify(await readMonth());
    expect(text).not.toMatch(/Drei Könige|Epiphany|Kitchen|HOLIDAY/);
    expect(text).toMatch(/Another AG.*Other Name/s);
  });
});
