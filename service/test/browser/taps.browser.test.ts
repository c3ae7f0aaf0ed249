/** What a finger does: one tap has one effect, wherever the page moves meanwhile. */
import { setTimeout } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { createBrowser, signIn } from '../browser.js';
import { describeInBrowser, faultsOf, type Person, settle, useChromium, widths } from './chromium.js';
import { addUser, giveFactors } from './people.js';

const screens = [
  { width: 360, height: 740 },
  { width: 375, height: 667 },
  { width: 390, height: 844 },
  { width: 412, height: 915 },
  { width: 430, height: 932 },
];

/** Addresses of the requests that change something, in their order. */
function countWrites(page: Page): string[] {
  const writes: string[] = [];
  page.on('request', (request) => {
    const path = new URL(request.url()).pathname;
    if (request.method() !== 'GET' && !path.includes('preview')) writes.push(`${request.method()} ${path}`);
  });
  return writes;
}

describeInBrowser('taps', () => {
  const stage = useChromium((world) => giveFactors(world, [world.people.ada]));

  async function browserOfAda(phone: (typeof screens)[number]): Promise<Person> {
    const { world } = stage;
    const ada = await stage.person({ signedIn: world.people.ada, phone });
    await ada.page.clock.setFixedTime(world.now());
    return ada;
  }

  it.each(screens)('taps choose each day of two months, and nothing else, on $width × $height', async (phone) => {
    const ada = await browserOfAda(phone);
    const { page } = ada;
    const writes = countWrites(page);
    await ada.go('/absences?month=2026-11');
    await page.getByRole('gridcell').first().waitFor();
    // The kinds of absence have to be there, or no form could send.
    await page.getByRole('button', { name: 'Request absence' }).tap();
    await page.getByRole('button', { name: /^Request 1 day/ }).waitFor();
    const outcomes: Record<string, unknown> = {};
    for (const month of ['2026-11', '2026-12']) {
      await ada.follow(`/absences?month=${month}`);
      await settle(page);
      const days = await page
        .locator(`[data-date^="${month}"]`)
        .evaluateAll((cells) => cells.map((cell) => (cell as unknown as { dataset: { date: string } }).dataset.date));
      for (const day of days) {
        const place = await page.evaluate<{ x: number; y: number }>(`(() => {
          document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
          scrollTo(0, 0);
          const cell = document.querySelector('[data-date="${day}"]');
          // Below the fold, people scroll first.
          if (cell.getBoundingClientRect().bottom > innerHeight - 64) cell.scrollIntoView({ block: 'center' });
          const { x, y, width, height } = cell.getBoundingClientRect();
          return { x: x + width / 2, y: y + height / 2 };
        })()`);
        await page.touchscreen.tap(place.x, place.y);
        await page.locator(`[data-date="${day}"][aria-selected="true"]`).waitFor();
        outcomes[day] = await page.evaluate(`({
          dates: [...document.querySelectorAll('[aria-selected="true"]')].map((cell) => cell.dataset.date),
          inForm: document.activeElement.closest('form') !== null,
        })`);
      }
    }
    expect(writes).toEqual([]);
    expect(Object.keys(outcomes)).toHaveLength(61);
    expect(outcomes).toEqual(
      Object.fromEntries(Object.keys(outcomes).map((day) => [day, { dates: [day], inForm: false }])),
    );
  });

  /** Taps a control, and then the same place again, whatever is there by then. */
  async function tapTwice(control: Locator, gapMs: number): Promise<void> {
    const page = control.page();
    await settle(page);
    const press = page.evaluate<{ x: number; y: number }>(`new Promise((resolve) =>
      addEventListener('pointerdown', ({ clientX: x, clientY: y }) => resolve({ x, y }), { capture: true, once: true })
    )`);
    await control.tap();
    const { x, y } = await press;
    await setTimeout(gapMs);
    await page.touchscreen.tap(x, y);
  }

  it('a double tap clocks once, and the button says what happened', async () => {
    const ada = await browserOfAda(widths.phone);
    const { page } = ada;
    const writes = countWrites(page);
    await ada.go('/');
    for (const [action, text, gapMs] of [
      ['Clock in', 'Clocked in at', 100],
      ['Start break', 'Break started at', 300],
      ['End break', 'Break ended at', 600],
      ['Clock out', 'Clocked out at', 1_000],
    ] as const) {
      const button = page.getByRole('button', { name: action, exact: true });
      await button.waitFor();
      await tapTwice(button, gapMs);
      const restingButton = page.getByRole('button', { name: text });
      await restingButton.waitFor();
      expect(await restingButton.getAttribute('aria-disabled')).toBe('true');
      // Neither do keys act that follow each other.
      await restingButton.press('Enter');
    }
    expect(writes.map((path) => path.replace('POST /app/me/clock/', ''))).toEqual([
      'in',
      'break/start',
      'break/end',
      'out',
    ]);
    expect(await faultsOf(ada, 'today-rest')).toEqual([]);
    await page.getByRole('button', { name: 'Clock in', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Correct', exact: true }).tap();
    await page.getByRole('form', { name: /^Correct / }).waitFor();
  });

  it('a double tap requests, withdraws, decides, books and deletes once', async () => {
    const { world } = stage;
    const bo = await addUser(world, 'Bo', { role: 'company_admin' });
    const employee = await signIn(world, world.people.ada, createBrowser(world.url));
    for (const date of ['2026-12-01', '2026-12-02', '2026-12-03']) {
      const body = { type: 'vacation', start_date: date, end_date: date };
      expect((await employee.call('POST', '/app/me/absences', { body })).status).toBe(201);
    }
    const chief = await signIn(world, bo, createBrowser(world.url));
    for (const name of ['Alpha', 'Beta', 'Gamma'])
      expect(
        (await chief.call('POST', `/app/admin/companies/${world.nord}/departments`, { body: { name } })).status,
      ).toBe(201);

    const ada = await browserOfAda(widths.phone);
    const employeeWrites = countWrites(ada.page);
    await ada.go('/absences?month=2026-12');
    await ada.page.getByRole('gridcell', { name: 'Monday, 7 December 2026' }).tap();
    await tapTwice(ada.page.getByRole('button', { name: 'Request 1 day' }), 300);
    await ada.page.getByText('Your request was sent.').waitFor();
    await tapTwice(ada.page.getByRole('button', { name: 'Withdraw' }).first(), 600);
    await ada.follow('/');
    await ada.follow('/absences?month=2026-12');
    await ada.page.getByText('Withdrawn', { exact: true }).waitFor();
    expect(employeeWrites).toEqual(['POST /app/me/absences', expect.stringMatching('^DELETE /app/me/absences/')]);

    const hr = await stage.person({ signedIn: bo, phone: widths.phone });
    await hr.page.clock.setFixedTime(world.now());
    const adminWrites = countWrites(hr.page);
    await hr.go('/company/departments');
    await tapTwice(hr.page.getByRole('button', { name: 'Remove' }).first(), 600);
    await hr.page.getByText('Alpha').waitFor({ state: 'detached' });
    expect(adminWrites.splice(0)).toEqual([expect.stringMatching('^DELETE ')]);
    await hr.follow(`/company/people/${world.people.ada}?tab=vacation`);
    const booking = hr.page.getByRole('form', { name: 'Book days' });
    await booking.getByLabel('Days to book').fill('1');
    await booking.getByLabel('Reason').fill('Overtime');
    await tapTwice(booking.getByRole('button', { name: 'Book' }), 1_000);
    expect(adminWrites.splice(0)).toHaveLength(1);
    await hr.follow('/team/approvals');
    await hr.page
      .getByRole('button', { name: /Ada Lang/ })
      .first()
      .tap();
    const decision = hr.page.waitForResponse('**/decisions');
    await tapTwice(hr.page.getByRole('button', { name: 'Approve', exact: true }), 600);
    await decision;
    const approvals = await chief.call('GET', '/app/approvals');
    expect(approvals.body['data']).toHaveLength(2);
  });

  it('a phone shows the tab that an address opens, and a finger hits each action for several people', async () => {
    const bo = await addUser(stage.world, 'Bo', { role: 'company_admin' });
    const { page, go, follow } = await stage.person({ signedIn: bo, phone: widths.phone });
    await go('/company/rules?tab=holidays');
    const tab = page.getByRole('tab', { selected: true });
    await tab.waitFor();
    await settle(page);
    const { x, width } = (await tab.boundingBox())!;
    expect([x >= 0, x + width <= widths.phone.width]).toEqual([true, true]);

    await follow('/company/people');
    await page.getByRole('checkbox', { name: /Ada Lang/ }).tap();
    const actions = page.getByRole('region', { name: 'Selected people' }).getByRole('button');
    const sizes = await Promise.all((await actions.all()).map((action) => action.boundingBox()));
    expect(sizes).toHaveLength(6);
    for (const size of sizes) expect([size!.width >= 40, size!.height >= 40]).toEqual([true, true]);
  });
});
