/** HR and approvers correct the time of others where they see it, by roles and labels. */
import { expect, it } from '@jest/globals';
import { setEvaluation } from '../../src/working-time/evaluations.js';
import { createBrowser, signIn } from '../browser.js';
import { recordWork } from '../builders.js';
import { describeInBrowser, faultsOf, settle, useChromium } from './chromium.js';
import { addUser, giveFactors } from './people.js';

describeInBrowser('corrections by others, in a browser', () => {
  let tom: number;
  let lea: number;
  const stage = useChromium(async (world) => {
    world.set(Date.parse('2026-12-02T09:00:00Z'));
    tom = await addUser(world, 'Tom', { role: 'company_admin' });
    lea = await addUser(world, 'Lea', { role: 'approver' });
    await giveFactors(world, [world.people.ada]);
  });

  const work = (day: string, from: string, to?: string) =>
    recordWork(stage.world, {
      person_id: stage.world.people.ada,
      start_at: Date.parse(`${day}T${from}:00Z`),
      end_at: to === undefined ? null : Date.parse(`${day}T${to}:00Z`),
    });
  const entries = async () =>
    (
      await stage.world.db.all<{ status: string; start_at: number; end_at: number | null }>(
        'SELECT status, start_at, end_at FROM time_entries ORDER BY id',
      )
    ).map(({ status, start_at, end_at }) =>
      [status, ...[start_at, end_at].map((at) => at && new Date(at).toISOString().slice(11, 16))].join(' '),
    );
  const bars = 'svg.day-bar .work';

  it('the checklist adds a missing clock-out to a month, where presence is switched off', async () => {
    const { world } = stage;
    await work('2026-11-24', '07:00');
    await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
      setEvaluation(write, { companyId: world.nord, evaluation: 'presence', enabled: false, by: tom }),
    );
    const person = await stage.person({ signedIn: tom });
    const { page } = person;
    await person.go('/company/months?month=2026-11');
    await page.getByRole('button', { name: 'Correct Ada Lang, Tue 24 Nov' }).click();
    const form = page.getByRole('form', { name: 'Correct Tue 24 Nov' });
    await page.getByText('Version 1').waitFor();
    expect(await faultsOf(person, 'months-correct')).toEqual([]);
    await form.getByLabel('Out', { exact: true }).fill('1600');
    await form.getByLabel('Reason, visible to the person').fill('Left at four');
    await form.getByRole('button', { name: 'Correct' }).click();
    await page.getByText('Corrected. The person gets a notice.').waitFor();
    await page.getByText('Every entry has its clock-out').waitFor();
    expect(await entries()).toEqual(['approved 07:00 15:00']);
  });

  it('the checklist leads to the correction of several entries', async () => {
    await work('2026-11-24', '07:00');
    const person = await stage.person({ signedIn: tom });
    await person.go('/company/months?month=2026-11');
    await person.page.getByRole('main').getByRole('link', { name: 'Correct several' }).click();
    await person.page.getByRole('row', { name: 'Ada Lang' }).waitFor();
  });

  it('an approver makes corrections on the page of a person, and takes them back', async () => {
    await work('2026-12-01', '07:00', '15:00');
    const person = await stage.person({ signedIn: lea });
    const { page } = person;
    await person.go('/team/people');
    await page.getByRole('link', { name: 'Lang, Ada' }).click();
    await page.getByRole('heading', { name: 'Ada Lang' }).waitFor();
    await page.getByRole('button', { name: 'Details of Tue 1 Dec' }).click();
    const form = page.getByRole('form', { name: 'Correct Tue 1 Dec' });
    await form.getByLabel('Out', { exact: true }).fill('17:30');
    await form.getByLabel('Reason, visible to the person').fill('Stayed longer');
    await form.getByRole('button', { name: 'Correct' }).click();
    await page.getByText('Corrected. The person gets a notice.').waitFor();
    await page.getByText('Version 2').waitFor();
    await page.getByText('Corrected: Lea Test, “Stayed longer”').waitFor({ state: 'attached' });
    expect(await faultsOf(person, 'team-person')).toEqual([]);
    expect(await entries()).toEqual(['approved 07:00 16:30']);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The entries are as they were before.').waitFor();
    expect(await entries()).toEqual(['recorded 07:00 15:00']);
  });

  it("an approver splits, adds and strikes out entries on a person's page, and the person sees it", async () => {
    await work('2026-12-01', '07:00', '15:00');
    const person = await stage.person({ signedIn: tom });
    const { page } = person;
    await person.go(`/company/people/${stage.world.people.ada}?tab=time&day=2026-12-01`);
    const forms = page.getByRole('form', { name: 'Correct Tue 1 Dec' });
    await forms.getByRole('button', { name: 'Split' }).click();
    await forms.getByLabel('Not worked from', { exact: true }).fill('12:00');
    await forms.getByLabel('Not worked to', { exact: true }).fill('17:00');
    await forms.getByLabel('Reason, visible to the person').fill('Dentist');
    await forms.getByRole('button', { name: 'Correct' }).click();
    await forms.getByText('The time not worked lies between In and Out and touches no break.').waitFor();
    await forms.getByLabel('Not worked to', { exact: true }).fill('13:30');
    expect(await faultsOf(person, 'person-time-split')).toEqual([]);
    await forms.getByRole('button', { name: 'Correct' }).click();
    await page.getByText('Corrected. The person gets a notice.').waitFor();
    expect(await entries()).toEqual(['approved 07:00 11:00', 'approved 12:30 15:00']);

    await page.getByRole('button', { name: 'Add more time' }).click();
    const addForm = page.getByRole('form', { name: 'Add time on Tue 1 Dec' });
    await addForm.getByLabel('In', { exact: true }).fill('17');
    await addForm.getByLabel('Out', { exact: true }).fill('18');
    await addForm.getByLabel('Reason, visible to the person').fill('Call');
    await addForm.getByRole('button', { name: 'Add', exact: true }).click();
    await forms.nth(2).waitFor();
    expect(await page.locator(bars).count()).toBe(3);

    await forms.nth(2).getByLabel('Reason, visible to the person').fill('Was no work');
    await forms.nth(2).getByRole('button', { name: 'Strike out' }).click();
    // The struck-out entry keeps its record, and has neither a form nor a bar.
    await page.getByText('Struck out: Tom Test, “Was no work”').waitFor({ state: 'attached' });
    await settle(page);
    expect(await forms.count()).toBe(2);
    expect(await page.locator(bars).count()).toBe(2);
    expect(await entries()).toEqual(['approved 07:00 11:00', 'approved 12:30 15:00', 'rejected 16:00 17:00']);

    const ada = await stage.person({ signedIn: stage.world.people.ada });
    await ada.go('/notices');
    await ada.page.getByText('Tom Test has corrected your time: Tue 1 Dec.').first().waitFor();
    expect(await faultsOf(ada, 'notices-corrected')).toEqual([]);
    await ada.page.getByRole('link', { name: 'Month' }).nth(1).click();
    await ada.page.getByText('Struck out: Tom Test, “Was no work”').waitFor({ state: 'attached' });
    expect(await ada.page.locator(bars).count()).toBe(2);
    expect(await ada.page.getByRole('form', { name: 'Correct Tue 1 Dec' }).count()).toBe(2);
    expect(await faultsOf(ada, 'month-changed')).toEqual([]);
  });

  it('the page of a person shows a pending correction and no form beside it', async () => {
    await work('2026-12-01', '07:00', '15:00');
    const ada = await signIn(stage.world, stage.world.people.ada, createBrowser(stage.world.url));
    const [entry] = await stage.world.db.all<{ id: number }>('SELECT id FROM time_entries');
    const times = { start: '2026-12-01T07:00:00Z', end: '2026-12-01T16:00:00Z' };
    const body = { entry_id: entry!.id, ...times, reason: 'Stayed longer' };
    expect((await ada.call('POST', '/app/me/corrections', { body })).status).toBe(201);
    const person = await stage.person({ signedIn: lea });
    const { page } = person;
    await person.go(`/team/people/${stage.world.people.ada}?day=2026-12-01`);
    await page.getByText('Stayed longer').waitFor();
    expect(await page.getByRole('form', { name: 'Correct Tue 1 Dec' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Decide' }).click();
    await page.getByRole('button', { name: 'Approve' }).first().waitFor();
  });
});
