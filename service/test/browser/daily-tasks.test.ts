/** The five daily tasks, an employee's on a phone: whoever changes a page learns of a broken one before a commit. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { ViewportSize } from 'playwright-core';
import { createWorld, type World } from '../world.js';
import { type Chromium, describeInBrowser, type Person, startChromium, widths } from './chromium.js';
import { addUser, giveFactors } from './people.js';

async function waitUntil(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(100);
}

const minute = 60_000;
const day = 24 * 60 * minute;

describeInBrowser('the daily tasks', () => {
  let world: World;
  let chromium: Chromium;
  let lea: number;
  let tom: number;
  beforeAll(async () => {
    chromium = await startChromium(() => world);
    world = await createWorld('sqlite', { pages: true });
    lea = await addUser(world, 'Lea', { role: 'approver' });
    tom = await addUser(world, 'Tom', { role: 'company_admin' });
    await giveFactors(world, [world.people.ada]);
  });
  afterEach(async () => expect(await chromium.leave()).toEqual([]));
  afterAll(() => chromium.close());
  afterAll(() => world.close());

  /** A new browser, whose clock shows the time of the world. */
  async function open(id: number, path: string, width: ViewportSize = widths.phone): Promise<Person> {
    const person = await chromium.person({ signedIn: id });
    await person.page.setViewportSize(width);
    person.page.setDefaultTimeout(60_000);
    await person.page.clock.setFixedTime(world.now());
    await person.go(path);
    return person;
  }

  const countPending = async () =>
    Number((await world.db.get<{ n: number }>("SELECT COUNT(*) AS n FROM approvals WHERE status = 'waiting'"))!.n);

  it('the daily tasks can be done from a stamp to a closed month', async () => {
    const { page: today } = await open(world.people.ada, '/');
    await today.getByRole('button', { name: 'Clock in' }).click();
    await today.getByText('At work since').waitFor();
    world.advance(2 * minute);
    await today.clock.setFixedTime(world.now());
    await today.getByRole('button', { name: 'Clock out' }).click();
    await today.getByText('Not clocked in').waitFor();

    world.advance(day);
    const ada = await open(world.people.ada, '/time');
    await ada.page.getByRole('button', { name: 'Details of Mon 23 Nov' }).click();
    const form = ada.page.getByRole('form', { name: 'Correct Mon 23 Nov' });
    await form.getByLabel('Out', { exact: true }).fill('0830');
    await form.getByLabel('Reason, visible to the approver').fill('Forgot my badge');
    await form.getByRole('button', { name: 'Send for approval' }).click();
    await ada.page.getByText('Your correction was sent.').waitFor();

    await ada.follow('/absences');
    await ada.page.getByRole('button', { name: 'Request absence' }).click();
    await ada.page.getByRole('gridcell', { name: 'Thursday, 26 November 2026' }).click();
    await ada.page.getByRole('button', { name: 'Request 1 day', exact: true }).click();
    await ada.page.getByText('Your request was sent.').waitFor();

    const approver = await open(lea, '/team/approvals', widths.desk);
    const approveButton = approver.page.getByRole('button', { name: 'Approve', exact: true });
    for (const pendingCount of [1, 0]) {
      await approveButton.click();
      // It is sent after the seconds of Undo.
      await waitUntil(async () => (await countPending()) === pendingCount);
    }

    world.set(Date.parse('2026-12-02T09:00:00Z'));
    const { page: months } = await open(tom, '/company/months', widths.desk);
    await months.getByText('Every request is decided').waitFor();
    await months.getByRole('button', { name: 'Close month' }).click();
    await months.getByRole('dialog').getByRole('button', { name: 'Close month' }).click();
    await months.getByText('Closed by Tom Test').waitFor();
  });
});
