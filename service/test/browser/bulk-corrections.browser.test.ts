/** Correcting several people at once, by roles and labels: the presses it takes, and the undo. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { baseUrl } from '../browser.js';
import { recordWork } from '../builders.js';
import { createWorld, type World } from '../world.js';
import { type Chromium, describeInBrowser, faultsOf, startChromium } from './chromium.js';
import { addUser } from './people.js';

const hour = 3_600_000;

describeInBrowser('corrections of several people, in a browser', () => {
  let world: World;
  let chromium: Chromium;
  let tom: number;
  beforeAll(async () => {
    chromium = await startChromium(() => world);
  });
  afterAll(() => chromium.close());
  beforeEach(async () => {
    world = await createWorld('sqlite', { pages: true });
    world.set(Date.parse('2026-12-02T09:00:00Z'));
    tom = await addUser(world, 'Tom', { role: 'company_admin' });
  });
  afterEach(async () => {
    expect(await chromium.leave()).toEqual([]);
    await world.close();
  });

  /** @param end undefined: without a clock-out */
  const enter = async (firstName: string, start: string, end?: string) => {
    const person_id = await world.hire({ departmentId: world.office, firstName });
    const end_at = end === undefined ? null : Date.parse(end);
    await recordWork(world, { person_id, start_at: Date.parse(start), end_at });
  };
  const times = () =>
    world.db.all<{ status: string; start_at: number; end_at: number | null }>(
      'SELECT status, start_at, end_at FROM time_entries ORDER BY id',
    );

  it('17 entries of a month get their clock-out in at most 20 presses, and one press undoes them', async () => {
    for (let nth = 1; nth <= 17; nth++)
      await enter(`Worker${nth}`, `2026-11-${String(nth + 1).padStart(2, '0')}T07:00:00Z`);
    const person = await chromium.person({ signedIn: tom });
    const { page } = person;
    let presses = 0;
    await person.context.exposeFunction('countPress', () => {
      presses += 1;
    });
    // Every press of the mouse and every key.
    await person.context.addInitScript(
      "for (const press of ['pointerdown', 'keydown']) addEventListener(press, () => countPress(), true)",
    );
    await person.go('/');
    await page.getByRole('navigation').getByRole('button', { name: 'Team' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Correct several' }).click();
    // The choice of an option is a press too, which only the browser's own list sees.
    await page.getByLabel('Month', { exact: true }).click();
    await page.getByLabel('Month', { exact: true }).selectOption('2026-11');
    presses += 1;
    await page.getByRole('row', { name: 'Worker17' }).waitFor();
    await page.getByLabel('Clocked out at').click();
    await page.keyboard.type('16');
    await page.getByLabel('Reason, visible in every history').click();
    await page.keyboard.type('Power cut');
    await page.getByRole('row', { name: 'Worker17' }).getByText('08:00 – 16:00').waitFor();
    expect(await faultsOf(person, 'bulk-corrections')).toEqual([]);
    await page.getByRole('button', { name: 'Correct 17 entries' }).click();
    await page.getByText('17 entries were corrected.').waitFor();
    await page.getByText('Every entry of this month has its clock-out.').waitFor();
    expect((await times()).every(({ end_at, start_at }) => end_at === start_at + 8 * hour)).toBe(true);
    expect(presses).toBeLessThanOrEqual(20);
    // The undo outlives a reload.
    await page.reload();
    await page.getByText('17 entries were corrected.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('The entries are as they were before.').waitFor();
    expect((await times()).every(({ end_at, status }) => end_at === null && status === 'clock_out_missing')).toBe(true);
  });

  it('the page says that more entries match than one request corrects', async () => {
    await enter('Worker', '2026-12-01T07:00:00Z');
    const person = await chromium.person({ signedIn: tom });
    const { page } = person;
    await page.route('**/app/team/entries?*', async (route) => {
      const response = await route.fetch({ url: route.request().url().replace(baseUrl, world.url) });
      await route.fulfill({ response, json: { ...((await response.json()) as object), has_more: true } });
    });
    await person.go('/team/corrections');
    await page.getByText('Only the first 1 are listed.').waitFor();
    expect(await faultsOf(person, 'bulk-corrections-more')).toEqual([]);
  });

  it('an admin moves the clock-ins of a department after a terminal failure, except deselected ones', async () => {
    await enter('Late', '2026-12-01T08:02:00Z', '2026-12-01T15:00:00Z');
    await enter('Later', '2026-12-01T08:04:00Z', '2026-12-01T15:00:00Z');
    await enter('Early', '2026-12-01T05:00:00Z', '2026-12-01T13:00:00Z');
    await enter('Other', '2026-12-01T08:05:00Z', '2026-12-01T15:00:00Z');
    const person = await chromium.person({ signedIn: tom });
    const { page } = person;
    await person.go('/team/corrections');
    await page.getByLabel('What is missing').selectOption('in');
    await page.getByLabel('Day', { exact: true }).fill('01/12/2026');
    await page.getByLabel('Day', { exact: true }).press('Enter');
    await page.getByLabel('Department').selectOption('Office');
    await page.getByRole('row', { name: 'Correct Other' }).waitFor();
    await page.getByLabel('Clocked in at').fill('7:00');
    await page.getByLabel('Other time of Later').fill('7:30');
    await page.getByRole('row', { name: 'Correct Later' }).getByText('07:30 – 16:00').waitFor();
    // People who clocked in before the failure are not proposed.
    expect(await page.getByLabel('Correct Early').isChecked()).toBe(false);
    await page.getByLabel('Correct Other').uncheck();
    await page.getByLabel('Reason, visible in every history').fill('Terminal down');
    await page.getByRole('button', { name: 'Correct 2 entries' }).click();
    await page.getByText('2 entries were corrected.').waitFor();
    expect((await times()).map(({ start_at }) => new Date(start_at).toISOString().slice(11, 16))).toEqual([
      '06:00',
      '06:30',
      '05:00',
      '08:05',
    ]);
    expect(await faultsOf(person, 'bulk-corrections-day')).toEqual([]);
  });
});
