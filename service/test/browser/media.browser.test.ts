/** The pages in the colours of a contrast theme, and on paper. */
import { expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createBrowser, signIn } from '../browser.js';
import { sendStamp } from '../builders.js';
import { describeInBrowser, type Person, settle, useChromium, widths } from './chromium.js';
import { addUser, giveFactors } from './people.js';

/**
 * In the page: marks what a background alone tells, such as a bar without a text or the day of a calendar. Weekends are
 * told by the heads of their columns.
 */
const markBackgrounds = `(() => {
  const backgroundBelow = (element) => {
    for (let at = element.parentElement; at !== null; at = at.parentElement) {
      const { backgroundColor, backgroundImage } = getComputedStyle(at);
      if (backgroundColor !== 'rgba(0, 0, 0, 0)' || backgroundImage !== 'none') return backgroundColor;
    }
  };
  const isTextless = (element) =>
    ![...element.childNodes].some((child) => child.textContent.trim() !== '' && !child.classList?.contains('hidden'));
  for (const element of document.querySelectorAll('main *')) {
    const { backgroundColor, backgroundImage, width, opacity } = getComputedStyle(element);
    const isShown = backgroundColor !== 'rgba(0, 0, 0, 0)' && backgroundColor !== backgroundBelow(element);
    if (!isShown && !backgroundImage.startsWith('linear-gradient')) continue;
    if (element.closest('[data-weekend]:not([data-mark]), [data-free="weekend"], .mantine-Input-wrapper') !== null) continue;
    if (parseFloat(width) === 0 || opacity === '0') continue;
    if (isTextless(element) || element.matches('[role="gridcell"], [aria-pressed], [aria-current]'))
      element.dataset.told = element.outerHTML.slice(0, 160);
  }
  return document.querySelectorAll('[data-told]').length;
})()`;
const lostBackgrounds = `[...document.querySelectorAll('[data-told]')].filter((element) => {
  const { backgroundColor, backgroundImage, borderTopStyle, borderTopWidth, outlineStyle } = getComputedStyle(element);
  if (backgroundImage !== 'none' || outlineStyle !== 'none' || (borderTopStyle !== 'none' && borderTopWidth !== '0px')) return false;
  const canvas = getComputedStyle(document.body).backgroundColor;
  return backgroundColor === 'rgba(0, 0, 0, 0)' || backgroundColor === canvas;
}).map((element) => element.dataset.told)`;

/** The pages of the PDF that Chromium prints. */
async function countPages(page: Page): Promise<number> {
  const pdf = await page.pdf({ preferCSSPageSize: true });
  return pdf.toString('latin1').match(/\/Type \/Page\b/g)?.length ?? 0;
}

describeInBrowser('other media', () => {
  let tom: number;
  const stage = useChromium(async (world) => {
    tom = await addUser(world, 'Tom', { role: 'company_admin' });
    await giveFactors(world, [world.people.ada]);
    const chief = await signIn(world, tom, createBrowser(world.url));
    const ada = await signIn(world, world.people.ada, createBrowser(world.url));
    const absences = [
      { type: 'vacation', start_date: '2026-11-24', end_date: '2026-11-25' },
      { type: 'vacation', start_date: '2026-11-30', end_date: '2026-11-30', half_day: 'morning' },
      { type: 'home_office', start_date: '2026-12-01', end_date: '2026-12-02' },
    ];
    for (const body of absences)
      expect((await chief.call('POST', `/app/people/${world.people.ada}/absences`, { body })).status).toBe(201);
    const body = { type: 'vacation', start_date: '2026-12-22', end_date: '2026-12-28' };
    expect((await ada.call('POST', '/app/me/absences', { body })).status).toBe(201);
  });

  async function show(id: number, path: string): Promise<Person> {
    const person = await stage.person({ signedIn: id });
    await person.page.clock.setFixedTime(stage.world.now());
    await person.go(path);
    await settle(person.page);
    return person;
  }

  it('every part that a background alone marks is visible in forced colours', async () => {
    const { ada } = stage.world.people;
    for (const [id, path, minCount] of [
      [ada, '/absences?month=2026-11', 15],
      [tom, '/team/calendar', 6],
      [tom, '/team/approvals', 5],
    ] as const) {
      const { page } = await show(id, path);
      if (path === '/team/approvals')
        await page
          .getByRole('button', { name: /Ada Lang/ })
          .first()
          .click();
      if (path.startsWith('/absences')) await page.locator('[data-date="2026-12-03"]').click();
      await settle(page);
      expect(await page.evaluate<number>(markBackgrounds)).toBeGreaterThanOrEqual(minCount);
      await page.emulateMedia({ forcedColors: 'active' });
      await settle(page);
      expect(await page.evaluate(lostBackgrounds)).toEqual([]);
    }
  });

  it('pages print tables as tables for any screen, sums once, and no empty page', async () => {
    const { world } = stage;
    await sendStamp(world, 'in');
    for (const [id, path, maxPages] of [
      [world.people.ada, '/time/sheet?month=2026-11', 2],
      [tom, '/company/months?month=2026-11', 1],
      [tom, '/team/presence', 1],
    ] as const) {
      const { page } = await show(id, path);
      await page.setViewportSize(widths.phone);
      await settle(page);
      expect(await countPages(page)).toBeLessThanOrEqual(maxPages);
      await page.emulateMedia({ media: 'print' });
      const displays = await page.evaluate(`[...document.querySelectorAll('tbody tr, tfoot, .button')]
        .filter((element) => element.tagName === 'BUTTON' || element.checkVisibility())
        .map((element) => element.tagName + ' ' + getComputedStyle(element).display)`);
      expect(new Set(displays as string[])).toEqual(
        new Set((displays as string[]).filter((text) => /^(TR table-row|TFOOT table-row-group|\w+ none)$/.test(text))),
      );
      expect((displays as string[]).filter((text) => text.startsWith('TR')).length).toBeGreaterThan(0);
    }
  });
});
