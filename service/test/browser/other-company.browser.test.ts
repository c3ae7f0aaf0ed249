/** A super admin corrects time in a company far away: its clock counts, and what nobody edits stays as it was. */
import { expect, it } from '@jest/globals';
import { recordCompany } from '../../src/people/people.js';
import { createBrowser, signIn } from '../browser.js';
import { hire, recordWork } from '../builders.js';
import { zone } from '../zones.js';
import { describeInBrowser, faultsOf, useChromium } from './chromium.js';
import { addUser, giveFactors } from './people.js';

describeInBrowser('times of another company, in a browser', () => {
  let root: number;
  let york: number;
  let yui: number;
  const stage = useChromium(async (world) => {
    world.set(Date.parse('2026-12-02T09:00:00Z'));
    root = await addUser(world, 'Root', { role: 'super_admin' });
    [york, yui] = await world.write(async (write) => {
      const company = await recordCompany(write, { name: 'York', timeZone: zone('America/New_York'), country: 'US' });
      const person = { companyId: company, firstName: 'Yui', lastName: 'Hudson', employmentStart: '2026-01-01' };
      return [company, await hire(write, person)] as const;
    });
    await giveFactors(world, [world.people.ada]);
  });
  const work = (company: number, person: number, date: string, start: string, end: string | undefined) =>
    recordWork(stage.world, {
      company_id: company,
      person_id: person,
      date: date as never,
      start_at: Date.parse(start),
      end_at: end === undefined ? null : Date.parse(end),
    });
  const entries = async () =>
    (
      await stage.world.db.all<{ status: string; start_at: number; end_at: number }>(
        'SELECT status, start_at, end_at FROM time_entries ORDER BY id',
      )
    ).map(({ status, ...times }) => [
      status,
      ...[times.start_at, times.end_at].map((at) => new Date(at).toISOString()),
    ]);

  it('times of another company follow its clock, and stay the same where only a reason is typed', async () => {
    const [start, end] = ['2026-11-19T23:00:10.250Z', '2026-11-20T03:00:20.500Z'];
    await work(york, yui, '2026-11-19', start, end);
    const person = await stage.person({ signedIn: root });
    const { page } = person;
    await person.go(`/company/people/${yui}?company=${york}&tab=time&day=2026-11-19`);
    await page.getByText('Times in America/New_York').waitFor();
    const form = page.getByRole('form', { name: 'Correct Thu 19 Nov, 18:00' });
    expect(await form.getByLabel('Out', { exact: true }).inputValue()).toBe('22:00');
    expect(await faultsOf(person, 'other-company')).toEqual([]);
    await form.getByLabel('Reason, visible to the person').fill('Checked with the plan');
    await form.getByRole('button', { name: 'Correct' }).click();
    await page.getByText('Version 2').waitFor();
    expect(await entries()).toEqual([['approved', start, end]]);
    // The page of the team, which needs no company in its address, follows the same clock.
    await person.go(`/team/people/${yui}?day=2026-11-19`);
    await page.getByRole('form', { name: 'Correct Thu 19 Nov, 18:00' }).waitFor();
    await person.go(`/time/sheet?month=2026-11&person=${yui}`);
    await page.getByText('18:00 – 22:00').waitFor();
  });

  it('a person chooses the hour that occurs twice, and the day after', async () => {
    // 20:00 to 02:30 in the second of the two hours: 7:30 later.
    await work(york, yui, '2026-10-31', '2026-11-01T00:00:00Z', '2026-11-01T07:30:00Z');
    const person = await stage.person({ signedIn: root });
    const { page } = person;
    await person.go(`/company/people/${yui}?company=${york}&tab=time&day=2026-10-31`);
    const form = page.getByRole('form', { name: 'Correct Sat 31 Oct' });
    await form.getByLabel('Out', { exact: true }).fill('01:30');
    const day = form.getByLabel('Out: day');
    expect(await day.locator('option').allTextContents()).toEqual([
      '01:30 (first, summer time), next day',
      '01:30 (second), next day',
      '2 days later',
    ]);
    await day.selectOption('01:30 (first, summer time), next day');
    await form.getByText('5:30').waitFor();
    await day.selectOption('01:30 (second), next day');
    await form.getByText('6:30').waitFor();
    expect(await faultsOf(person, 'repeated-hour')).toEqual([]);
    await day.selectOption('2 days later');
    await form.getByLabel('Reason, visible to the person').fill('Night');
    await form.getByRole('button', { name: 'Correct' }).click();
    await form.getByText('Confirm the length, or correct the times.').waitFor();
    expect(await faultsOf(person, 'long-entry')).toEqual([]);
    expect((await entries())[0]![0]).toBe('recorded');
    await day.selectOption('01:30 (second), next day');
    await form.getByRole('button', { name: 'Correct' }).click();
    await page.getByText('Version 2').waitFor();
    expect(await entries()).toEqual([['approved', '2026-11-01T00:00:00.000Z', '2026-11-01T06:30:00.000Z']]);
  });

  it('the page asks a person whose end is before the start whether it was the next day', async () => {
    const { world } = stage;
    await work(world.nord, world.people.ada, '2026-12-01', '2026-12-01T06:30:00Z', undefined);
    const person = await stage.person({ signedIn: world.people.ada });
    const { page } = person;
    await person.go('/');
    await page.getByLabel('When you left on Tue 1 Dec', { exact: true }).fill('7');
    await page.getByText('This lasts 23:30 hours, until Wed 2 Dec, 07:00. That is right.').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Confirm the length, or correct the times.').waitFor();
    expect(await faultsOf(person, 'missing-clock-out')).toEqual([]);
    await page.getByLabel('When you left on Tue 1 Dec', { exact: true }).fill('1612');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('Your correction of Tue 1 Dec is waiting for approval.').waitFor();
    const [row] = await world.db.all('SELECT start_at, end_at FROM corrections');
    expect(row).toEqual({ start_at: Date.parse('2026-12-01T06:30:00Z'), end_at: Date.parse('2026-12-01T15:12:00Z') });
  });

  it('the page shows the old time beside the new one after a decision about a correction', async () => {
    const { world } = stage;
    const { ada } = world.people;
    await work(world.nord, ada, '2026-12-01', '2026-12-01T05:05:00Z', '2026-12-01T13:40:00Z');
    const employee = await stage.person({ signedIn: ada });
    await employee.go('/time?day=2026-12-01');
    const form = employee.page.getByRole('form', { name: 'Correct Tue 1 Dec' });
    await form.getByLabel('Out', { exact: true }).fill('18:30');
    await form.getByLabel('Reason, visible to the approver').fill('Stayed longer');
    await form.getByRole('button', { name: 'Send for approval' }).click();
    await employee.page.getByText('Your correction was sent.').waitFor();
    const lead = await signIn(world, root, createBrowser(world.url));
    const [request] = (await lead.call('GET', '/app/approvals')).body['data'] as { id: string }[];
    await lead.call('POST', `/app/approvals/${request!.id}/approve`, { body: {} });
    await employee.go('/time/corrections');
    await employee.page.getByText('06:05 – 14:40').waitFor();
    await employee.page.getByText('06:05 – 18:30').waitFor();
    expect(await faultsOf(employee, 'corrections-decided')).toEqual([]);
    const approver = await stage.person({ signedIn: root });
    const { page } = approver;
    await approver.go('/team/approvals?state=decided');
    await page.getByText('+3:50').waitFor();
    await page.getByText('Ada Lang').first().click();
    await page.getByRole('row', { name: 'End 14:40 18:30' }).waitFor();
    expect(await faultsOf(approver, 'approvals-decided')).toEqual([]);
  });
});
