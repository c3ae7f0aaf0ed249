/** What a person decides reaches the service, or the person is told, however the page is left. */
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Browser, baseUrl, createBrowser, signIn } from '../browser.js';
import { describeInBrowser, faultsOf, type Person, settle, useChromium } from './chromium.js';
import { addUser, giveFactors } from './people.js';

describeInBrowser('decisions that are held for a moment', () => {
  let lea: number;
  let ada: Browser;
  const stage = useChromium(async (world) => {
    await giveFactors(world, [world.people.ada]);
    lea = await addUser(world, 'Lea', { role: 'approver' });
    ada = await signIn(world, world.people.ada, createBrowser(world.url));
  });

  /** Ada asks for single days, one after the other. @returns their ids */
  async function ask(count: number, { firstDay }: { readonly firstDay: number }): Promise<number[]> {
    const ids: number[] = [];
    for (let day = firstDay; day < firstDay + count; day += 1) {
      const date = new Date(Date.UTC(2027, 0, 4 + day)).toISOString().slice(0, 10);
      const body = { type: 'special_leave', start_date: date, end_date: date };
      const answer = await ada.call('POST', '/app/me/absences', { body });
      expect(answer.status).toBe(201);
      ids.push(answer.body['id'] as number);
    }
    return ids;
  }

  async function statesOf(ids: readonly number[]): Promise<string> {
    const { body } = await ada.call('GET', '/app/me/absences?from=2027-01-01&to=2027-12-31&limit=200');
    const states = (body['data'] as { id: number; status: string }[])
      .filter(({ id }) => ids.includes(id))
      .map(({ status }) => status);
    return [...new Set(states)].join();
  }

  async function browserOf(id: number): Promise<Person> {
    const person = await stage.person({ signedIn: id });
    await person.page.clock.install({ time: stage.world.now() });
    return person;
  }

  /** What was decided, and how it ends. */
  const acts = {
    'approve one': {
      count: 1,
      end: 'approved',
      press: (page: Page) => page.getByRole('button', { name: /^Approve/ }).click(),
    },
    'approve three': { count: 3, end: 'approved', press: (page: Page) => chooseAll(page, /^Approve 3$/) },
    'approve thirty': { count: 30, end: 'approved', press: (page: Page) => chooseAll(page, /^Approve 30$/) },
    'reject two': {
      count: 2,
      end: 'rejected',
      async press(page: Page) {
        await chooseAll(page, /^Reject$/);
        await page.getByRole('dialog').getByRole('textbox').fill('Stocktaking');
        await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
      },
    },
    withdraw: {
      count: 1,
      end: 'withdrawn',
      press: (page: Page) => page.getByRole('button', { name: 'Withdraw' }).first().click(),
    },
  };
  async function chooseAll(page: Page, button: RegExp): Promise<void> {
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.locator('.inbox-bulk').getByRole('button', { name: button }).click();
  }

  const offlineText = 'The service cannot be reached. It is sent once the connection is back.';
  const signedOutText = 'It is sent once you have signed in again.';
  /** How the page is left after the press. */
  const ways: Readonly<Record<string, (person: Person, id: number) => Promise<unknown>>> = {
    async 'by a link'({ page, follow }) {
      await follow('/nowhere');
      await page.clock.fastForward(5_000);
    },
    async 'by closing the window'({ page }) {
      const closeEvent = page.waitForEvent('close');
      await page.close({ runBeforeUnload: true });
      await closeEvent;
    },
    'by loading it again': ({ page }) => page.reload(),
    'to another site': ({ page }) => page.goto('about:blank'),
    async 'without a connection'({ page, context, follow }) {
      await context.setOffline(true);
      await follow('/nowhere');
      await page.clock.fastForward(5_000);
      await page.getByText(offlineText).waitFor();
      // A window that is closed now would take them with it: the browser asks.
      const question = page.waitForEvent('dialog');
      await page.close({ runBeforeUnload: true });
      await (await question).dismiss();
      await context.setOffline(false);
      await page.getByText(offlineText).waitFor({ state: 'detached' });
    },
    async 'after the session has ended'({ page, context, follow }, id) {
      const { world } = stage;
      await world.db.write(async (tx) => {
        await tx.run('DELETE FROM sessions WHERE person_id = :id', { id });
      });
      await follow('/nowhere');
      await page.clock.fastForward(5_000);
      await page.getByText(signedOutText).waitFor();
      const { cookies } = await signIn(world, id, createBrowser(world.url));
      await context.addCookies([{ name: 'session', value: cookies.get('session')!, url: baseUrl }]);
      // As a browser does for a tab that is shown again.
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
      await page.getByText(signedOutText).waitFor({ state: 'detached' });
    },
  };

  /** The outbox treats all acts alike: one goes all ways, the others the two that differ most. */
  const fewWays = ['by closing the window', 'without a connection'];

  it.each(Object.keys(acts) as (keyof typeof acts)[])(
    'decisions are sent, or shown until they are sent, for every way to leave the page: %s',
    async (name) => {
      const { count, end, press } = acts[name];
      const outcomes: Record<string, string> = {};
      let firstDay = 0;
      const testedWays = Object.entries(ways).filter(([way]) => name === 'approve three' || fewWays.includes(way));
      for (const [way, leave] of testedWays) {
        const ids = await ask(count, { firstDay });
        firstDay += count;
        const id = name === 'withdraw' ? stage.world.people.ada : lea;
        const person = await browserOf(id);
        await person.go(name === 'withdraw' ? '/absences?month=2027-01' : '/team/approvals');
        await press(person.page);
        await person.page.getByRole('button', { name: 'Undo' }).waitFor();
        expect(await statesOf(ids)).toBe('waiting');
        await leave(person, id);
        if (name === 'withdraw' && way.includes('session'))
          ada = await signIn(stage.world, id, createBrowser(stage.world.url));
        outcomes[way] = await readUntil(() => statesOf(ids), end);
        await person.context.close();
      }
      expect(outcomes).toEqual(Object.fromEntries(testedWays.map(([way]) => [way, end])));
    },
  );

  async function readUntil(read: () => Promise<string>, expectedText: string): Promise<string> {
    for (let tries = 0; tries < 100; tries += 1) {
      if ((await read()) === expectedText) return expectedText;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return await read();
  }

  it('an absence that was just taken back is not in the way of the next one', async () => {
    const ids = await ask(1, { firstDay: 0 });
    const person = await browserOf(stage.world.people.ada);
    const { page } = person;
    await person.go('/absences?month=2027-01');
    await page.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await page.locator('[data-date="2027-01-04"]').click();
    await page.getByText('This overlaps another absence.').waitFor();
    await page.getByRole('button', { name: 'Request absence' }).last().click();
    await page.getByText('Your request was sent.').waitFor();
    expect(await statesOf(ids)).toBe('withdrawn');
  });

  it('a refused decision stays on every page until the person has read it', async () => {
    const [firstId] = await ask(3, { firstDay: 0 });
    const approver = await browserOf(lea);
    const { page } = approver;
    await approver.go('/team/approvals');
    await chooseAll(page, /^Approve 3$/);
    expect((await ada.call('DELETE', `/app/me/absences/${firstId}`)).status).toBe(200);
    await approver.follow('/');
    await page.clock.fastForward(5_000);
    const note = page.getByRole('alert').filter({ hasText: 'The request of Ada Lang was not decided.' });
    await note.getByText('This was already decided.').waitFor();
    expect(await faultsOf(approver, 'outbox-refused')).toEqual([]);
    await page.clock.fastForward(60_000);
    await note.getByRole('button', { name: 'Try again' }).click();
    await note.getByText('This was already decided.').waitFor();
    await note.getByRole('button', { name: 'Close' }).click();
    await note.waitFor({ state: 'detached' });
    await settle(page);
  });

  it('a change that fails after its page was left shows on the next page', async () => {
    await ada.call('POST', '/app/me/clock/in');
    stage.world.advance(60_000);
    await ada.call('POST', '/app/me/clock/out');
    const person = await browserOf(stage.world.people.ada);
    const { page } = person;
    await person.go('/time?day=2026-11-23&correct=1');
    const form = page.getByRole('form', { name: /^Correct/ });
    await form.getByLabel('Reason, visible to the approver').fill('Only a test');
    let fail = () => {};
    const failSignal = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route('**/app/me/corrections', async (route) => {
      if (route.request().method() === 'GET') return await route.continue();
      await failSignal;
      await route.abort();
    });
    await form.getByRole('button', { name: 'Strike out' }).click();
    await person.follow('/');
    await page.getByRole('heading', { name: 'Hello Ada', level: 1 }).waitFor();
    fail();
    const note = page.getByRole('alert').filter({ hasText: 'was not made.' });
    await note.waitFor();
    await page.unroute('**/app/me/corrections');
    const answer = page.waitForResponse('**/app/me/corrections');
    await note.getByRole('button', { name: 'Try again' }).click();
    expect((await answer).status()).toBe(201);
    await note.waitFor({ state: 'detached' });
  });
});
