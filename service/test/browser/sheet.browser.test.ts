/** A month as a document: the person and the supervisor sign it off, and see what has changed since. */

import { parseInstant } from '@clockproof/platform/time/instant';
import { expect, it } from '@jest/globals';
import { correctTime, sendStamp } from '../builders.js';
import { describeInBrowser, faultsOf, useChromium, widths } from './chromium.js';
import { addUser, giveFactors } from './people.js';

const at = (text: string) => parseInstant(text)!;

describeInBrowser('the daily sheet, in a browser', () => {
  let tom: number;
  const stage = useChromium(async (world) => {
    tom = await addUser(world, 'Tom', { role: 'company_admin' });
    await giveFactors(world, [world.people.ada]);
  });

  it('both sides sign off the daily sheet, which says that a correction voids it', async () => {
    const { world } = stage;
    world.set(at('2026-11-26T07:00:00Z'));
    await sendStamp(world, 'in');
    world.set(at('2026-11-26T15:00:00Z'));
    await sendStamp(world, 'out');
    const sheetPath = '/time/sheet?month=2026-11';
    const earlierBrowser = await stage.person({ signedIn: world.people.ada });
    await earlierBrowser.page.clock.setFixedTime(world.now());
    await earlierBrowser.go(sheetPath);
    // Today and the days to come are shown, and not counted yet.
    await earlierBrowser.page.getByRole('row', { name: /^Total up to yesterday/ }).waitFor();
    await earlierBrowser.go('/time');
    await earlierBrowser.page.getByText('due up to yesterday').waitFor();
    world.set(at('2026-12-01T08:00:00Z'));
    const ada = await stage.person({ signedIn: world.people.ada });
    await ada.page.clock.setFixedTime(world.now());
    await ada.go(sheetPath);
    await ada.page.getByText('08:00 – 16:00').waitFor();
    await ada.page.getByRole('row', { name: /^Total (?!up)/ }).waitFor();
    await ada.page.getByRole('button', { name: 'Sign off' }).click();
    await ada.page.getByText('Person: Ada Lang').waitFor();

    const lead = await stage.person({ signedIn: tom });
    await lead.page.clock.setFixedTime(world.now());
    await lead.go(`/time/sheet?month=2026-11&person=${world.people.ada}`);
    await lead.page.getByRole('button', { name: 'Sign off' }).click();
    await lead.page.getByText('Approver: Tom').waitFor();
    const times = { start: at('2026-11-27T07:00:00Z'), end: at('2026-11-27T09:00:00Z') };
    await correctTime(world, { person: world.people.ada, by: tom, ...times });
    await ada.go('/time/sheet?month=2026-11');
    await ada.page.getByText('Void, because days have changed').first().waitFor();
    // On a phone too, the person sees everything that is signed off, such as the reason of a correction.
    await ada.page.setViewportSize(widths.phone);
    const reason = (await ada.page.getByText('(Forgot)').boundingBox())!;
    expect(reason.x + reason.width).toBeLessThanOrEqual(widths.phone.width);
    await ada.page.setViewportSize(widths.desk);
    expect(await faultsOf(ada, 'sheet')).toEqual([]);
  });

  it('the arrows lead to the months of next year, and no further', async () => {
    const person = await stage.person({ signedIn: tom });
    await person.page.clock.setFixedTime(at('2026-12-01T08:00:00Z'));
    for (const path of ['/time', '/company/months', '/time/sheet']) {
      await person.go(`${path}?month=2027-11`);
      const next = person.page.getByRole('button', { name: 'Next month' });
      await next.click();
      await person.page.waitForURL(/month=2027-12/);
      await person.page.getByRole('heading', { name: 'December 2027' }).waitFor();
      expect([path, await next.isDisabled()]).toEqual([path, true]);
      await person.page.getByRole('button', { name: 'Previous month' }).click();
      await person.page.waitForURL(/month=2027-11/);
    }
  });
});
