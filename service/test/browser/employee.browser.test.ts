/** The tasks of an employee, by what is written on the pages: clocking, correcting yesterday. */

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { tellForgottenClockOuts } from '../../src/clock/forgotten-clock-outs.js';
import { createWorld, type World } from '../world.js';
import { type Chromium, describeInBrowser, faultsOf, type Person, settle, startChromium, widths } from './chromium.js';
import { giveFactors } from './people.js';

const minute = 60_000;
const hour = 60 * minute;

describeInBrowser('an employee, in a browser', () => {
  let world: World;
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium(() => world);
  });
  afterAll(() => chromium.close());
  beforeEach(async () => {
    world = await createWorld('sqlite', { pages: true });
    await giveFactors(world, [world.people.ada]);
  });
  afterEach(async () => {
    expect(await chromium.leave()).toEqual([]);
  });
  afterEach(() => world.close());

  /** Ada's browser, whose clock shows the time of the world. */
  async function browserOfAda(): Promise<Person> {
    const ada = await chromium.person({ signedIn: world.people.ada });
    await ada.page.clock.setFixedTime(world.now());
    return ada;
  }

  it('an employee clocks in, takes a break and clocks out, and corrects the day afterwards', async () => {
    const firstVisit = await browserOfAda();
    const { page } = firstVisit;
    await firstVisit.go('/');
    await page.getByText('Not clocked in').waitFor();
    await page.getByRole('button', { name: 'Clock in' }).click();
    await page.getByText('At work since').waitFor();
    world.advance(1.25 * minute);
    await page.getByRole('button', { name: 'Start break' }).click();
    await page.getByText('On a break since').waitFor();
    world.advance(1.5 * minute);
    expect(await faultsOf(firstVisit, 'today')).toEqual([]);
    await page.getByRole('button', { name: 'End break' }).click();
    await page.getByText('At work since').waitFor();
    world.advance(0.75 * minute);
    // A stamp that does not arrive is not kept for later, and the page says so.
    await firstVisit.context.setOffline(true);
    await page.getByRole('button', { name: 'Clock out' }).click();
    await page.getByText('Nothing was recorded').waitFor();
    await firstVisit.context.setOffline(false);
    // The service records the stamp, and no answer reaches the page.
    const secondPage = await firstVisit.context.newPage();
    await secondPage.goto('/terms');
    await page.route('**/app/me/**', async (route) => {
      if (route.request().method() === 'POST')
        await secondPage.evaluate(`fetch(${JSON.stringify(route.request().url())}, { method: 'POST' })`);
      await route.abort();
    });
    await page.getByRole('button', { name: 'Clock out' }).click();
    await page.getByText('We cannot tell whether this was recorded').waitFor();
    expect(await page.getByText('Nothing was recorded').count()).toBe(0);
    await page.unrouteAll();
    // The connection comes back, and the page asks for the state.
    await firstVisit.context.setOffline(true);
    await firstVisit.context.setOffline(false);
    await page.getByText('Not clocked in').waitFor();
    await page.getByText('We cannot tell whether this was recorded').waitFor({ state: 'detached' });
    expect(await page.getByText('Nothing was recorded').count()).toBe(0);

    world.advance(24 * hour);
    const secondVisit = await browserOfAda();
    await secondVisit.go('/');
    await secondVisit.page.getByRole('navigation').getByRole('link', { name: 'Month' }).click();
    const yesterday = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      weekday: 'short',
      day: 'numeric',
      month: 'short',
    })
      .format(world.now() - 24 * hour)
      .replace(',', '');
    await secondVisit.page.getByRole('button', { name: `Details of ${yesterday}` }).click();
    const form = secondVisit.page.getByRole('form', { name: `Correct ${yesterday}` });
    // Stamps have seconds and the fields have none: what nobody has changed does not differ.
    expect(await form.locator('.correction-foot del').count()).toBe(0);
    await form.getByLabel('Out', { exact: true }).fill('1730');
    await form.getByRole('button', { name: 'Send for approval' }).click();
    await form.getByText('Write why.').waitFor();
    await form.getByLabel('Reason, visible to the approver').fill('Forgot <b>my</b> badge');
    expect(await faultsOf(secondVisit, 'month-open')).toEqual([]);
    await form.getByRole('button', { name: 'Send for approval' }).click();
    await secondVisit.page.getByText('Your correction was sent.').waitFor();
    await secondVisit.page.getByText('Waiting', { exact: true }).waitFor();
    await secondVisit.page.getByRole('link', { name: 'Corrections' }).click();
    await secondVisit.page.getByText('Forgot <b>my</b> badge').waitFor();
    expect(await faultsOf(secondVisit, 'corrections')).toEqual([]);
  });

  it('an employee corrects a forgotten clock-out and begins today in four presses from the notice', async () => {
    const evening = await browserOfAda();
    await evening.go('/');
    await evening.page.getByRole('button', { name: 'Clock in' }).click();
    await evening.page.getByText('At work since').waitFor();
    await evening.context.close();

    world.advance(23 * hour);
    await tellForgottenClockOuts(world.service.store, world.now());
    const morning = await browserOfAda();
    const { page } = morning;
    let presses = 0;
    const press = async (button: Locator) => {
      await button.click();
      presses += 1;
    };
    await morning.go('/notices');
    await press(page.getByRole('link', { name: 'Add when you left' }));
    await page.getByText('Still clocked in since').waitFor();
    expect(await page.getByRole('button', { name: /^Clock|break$/ }).allTextContents()).toEqual([
      'Clock out',
      'Clock in',
    ]);
    expect(await faultsOf(morning, 'today-forgotten')).toEqual([]);
    await press(page.getByLabel(/^When you left on/));
    await page.keyboard.type('1630');
    await press(page.getByRole('button', { name: 'Send', exact: true }));
    await page.getByText(/is waiting for approval/).waitFor();
    // Asked once: what remains is to begin the day.
    expect(await page.getByLabel(/^When you left on/).count()).toBe(0);
    await press(page.getByRole('button', { name: 'Clock in' }));
    await page.getByText('At work since').waitFor();
    expect(presses).toBe(4);
    await page.getByText(/is waiting for approval/).waitFor();
    await page.getByText('Start break').waitFor();
  });

  it('an employee requests two days off in the calendar, and takes the request back', async () => {
    const ada = await browserOfAda();
    const { page } = ada;
    await ada.go('/');
    let answer!: () => void;
    const answerSignal = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/app/me/vacation?*', (route) => answerSignal.then(() => route.continue()));
    await page.getByRole('navigation').getByRole('link', { name: 'Absences' }).click();
    const firstDay = page.getByRole('gridcell', { name: 'Thursday, 3 December 2026' });
    const secondDay = page.getByRole('gridcell', { name: 'Friday, 4 December 2026' });
    const sendButton = page.getByRole('button', { name: 'Request 2 days' });
    // The calendar stands where it was while the figures above it arrive.
    const place = await firstDay.boundingBox();
    expect(await page.getByText('Entitlement').isVisible()).toBe(true);
    answer();
    await page.locator('.account-figures:not([aria-busy])').waitFor();
    await settle(page);
    expect(await firstDay.boundingBox()).toEqual(place);
    await firstDay.hover();
    await page.mouse.down();
    await secondDay.hover();
    await page.mouse.up();
    await sendButton.waitFor();
    expect(await faultsOf(ada, 'absences')).toEqual([]);
    await sendButton.click();
    await page.getByText('Your request was sent.').waitFor();
    const request = page.getByRole('row', { name: /3.*4 Dec/ });
    await request.getByText('Waiting').waitFor();
    await request.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByText('The request is withdrawn.').waitFor();
    await request.getByText('Withdrawn', { exact: true }).waitFor();

    // On a phone the button brings the form into sight, with the calendar above it and its own button below.
    await page.setViewportSize(widths.phone);
    await page.getByRole('button', { name: 'Request absence' }).click();
    const kind = page.getByLabel('Kind');
    expect(await kind.evaluate((field) => field.matches(':focus'))).toBe(true);
    for (const part of [kind, page.getByRole('grid'), page.getByRole('button', { name: /^Request \d/ })]) {
      const box = (await part.boundingBox())!;
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.y + box.height).toBeLessThanOrEqual(widths.phone.height - 60);
    }
    await page.keyboard.press('Escape');
    expect(await page.locator('[role="gridcell"]:focus').count()).toBe(1);
  });
});
