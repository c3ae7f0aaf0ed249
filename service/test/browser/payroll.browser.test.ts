/** HR hands a month over, switches an evaluation off, and erases somebody who has left. */

import { parseInstant } from '@clockproof/platform/time/instant';
import { expect, it } from '@jest/globals';
import { sendStamp } from '../builders.js';
import { describeInBrowser, faultsOf, settle, useChromium } from './chromium.js';
import { addUser } from './people.js';

describeInBrowser('payroll, evaluations and erasing, in a browser', () => {
  let tom: number;
  const stage = useChromium(async (world) => {
    tom = await addUser(world, 'Tom', { role: 'company_admin' });
  });

  it('an admin does payroll, evaluations and erasure page by page', async () => {
    const { world } = stage;
    world.set(parseInstant('2026-11-26T07:00:00Z')!);
    await sendStamp(world, 'in');
    world.set(parseInstant('2026-11-26T15:00:00Z')!);
    await sendStamp(world, 'out');
    world.set(parseInstant('2026-12-01T08:00:00Z')!);
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :id', { id: world.people.ada }));
    const lead = await stage.person({ signedIn: tom });
    const { page } = lead;
    await page.clock.setFixedTime(world.now());

    await lead.go('/company/payroll');
    // Whatever is said below a field, its neighbours and the button beside them stay where they are.
    const neighbours = [page.getByLabel('Name').first(), page.getByRole('button', { name: /^Remove / }).first()];
    const heights = () => Promise.all(neighbours.map(async (neighbour) => (await neighbour.boundingBox())!.y));
    await page.getByLabel('Code').first().fill('');
    await settle(page);
    const heightsBefore = await heights();
    expect(Math.abs(heightsBefore[0]! - heightsBefore[1]!)).toBeLessThan(2);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Fill in this field.').waitFor();
    await page
      .getByLabel('Code')
      .first()
      .evaluate((field: { blur(): void }) => field.blur());
    const top = await page.evaluate<number>('scrollY');
    for (const [index, y] of (await heights()).entries())
      expect(Math.abs(y + top - heightsBefore[index]!)).toBeLessThan(1);
    await page.getByLabel('Code').first().fill('1000');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    // It was busy, which browsers answer by taking the focus away.
    await page.locator('button:focus', { hasText: 'Save' }).waitFor();
    await page.getByLabel('Export although the month is open').check();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download CSV' }).click();
    expect((await download).suggestedFilename()).toBe('payroll-2026-11.csv');
    expect(await faultsOf(lead, 'payroll')).toEqual([]);
    expect(await page.getByRole('link', { name: 'Close month ›' }).getAttribute('href')).toBe(
      '/company/months?month=2026-11',
    );

    await lead.follow('/company/evaluations');
    await page.getByRole('switch', { name: 'Payroll export' }).press('Space');
    await page.getByText('since 1 Dec 2026').waitFor();
    expect(await faultsOf(lead, 'evaluations')).toEqual([]);
    await page.getByRole('switch', { name: 'Presence' }).press('Space');
    await page.getByText('since 1 Dec 2026').nth(1).waitFor();
    await lead.follow('/team/presence');
    await page.getByRole('status').getByText('Your company has switched this evaluation off.').waitFor();
    await page.getByRole('button', { name: 'Print evacuation list' }).waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await faultsOf(lead, 'evaluation-off')).toEqual([]);
    await page.getByRole('link', { name: 'What is recorded ›' }).click();
    await page.getByRole('heading', { name: 'What is recorded', level: 1 }).waitFor();

    await lead.follow(`/company/people/${world.people.ben}`);
    await page.getByRole('tab', { name: 'Target hours' }).click();
    await page.getByLabel('Rule', { exact: true }).selectOption('expectant_or_nursing');
    await page.getByRole('button', { name: 'Set rule' }).click();
    await page.getByText('from Tuesday, 1 December 2026').waitFor();
    expect(await faultsOf(lead, 'special rules')).toEqual([]);
    // Nobody records one about themselves.
    await world.db.write((tx) => tx.run('UPDATE special_rules SET person_id = :tom', { tom }));
    await lead.go('/company/evaluations');
    await page.getByRole('heading', { name: 'Special rules recorded about you' }).waitFor();
    await lead.follow('/company/rules');
    await page.getByLabel('Shorter rest period').selectOption('care');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await faultsOf(lead, 'rules')).toEqual([]);

    await lead.follow(`/company/people/${world.people.ada}`);
    await page.getByText('Possible without a reason from 27 Nov 2028 on.').waitFor();
    expect(await faultsOf(lead, 'erase')).toEqual([]);
    await page.getByRole('button', { name: 'Erase data …' }).click();
    await page.getByLabel('Reason').fill('Asked for it');
    await page.getByLabel('Type the name: Ada Lang').fill('Ada Lang');
    await page.getByRole('button', { name: 'Erase', exact: true }).click();
    await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
  });
});
