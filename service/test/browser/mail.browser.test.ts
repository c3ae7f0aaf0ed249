/** A forgotten password, and the choice of notices by e-mail, by roles and labels. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { notify } from '../../src/inbox/notices.js';
import { type MailServer, startMailServer } from '../mail-server.js';
import { createWorld, type World } from '../world.js';
import { type Chromium, describeInBrowser, faultsOf, settle, startChromium } from './chromium.js';
import { giveFactors } from './people.js';

describeInBrowser('e-mail, in a browser', () => {
  let world: World;
  let server: MailServer;
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium(() => world);
  });
  afterAll(() => chromium.close());
  beforeEach(async () => {
    server = await startMailServer();
    world = await createWorld('sqlite', {
      pages: true,
      env: { SMTP_URL: server.url, MAIL_FROM: 'time@clockproof.example' },
    });
    await giveFactors(world, [world.people.ada]);
  });
  afterEach(async () => {
    expect(await chromium.leave()).toEqual([]);
  });
  afterEach(async () => {
    await world.close();
    await server.close();
  });

  it('an e-mail brings a new password to a person who forgot theirs', async () => {
    const person = await chromium.person({});
    const { page } = person;
    await person.go('/');
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('E-mail address').fill('ada@clockproof.example');
    expect(await faultsOf(person, 'reset-request')).toEqual([]);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('an e-mail with a link is on its way').waitFor();
    expect(await world.mail()).toBe(1);
    await person.go(new URL(server.mails[0]!.link!).pathname + new URL(server.mails[0]!.link!).hash);
    await page.getByText('For ada@clockproof.example.').waitFor();
    await page.getByLabel('New password', { exact: true }).fill('seven calm herons wade');
    await page.getByLabel('Repeat the password').fill('seven calm herons wade');
    expect(await faultsOf(person, 'reset-new')).toEqual([]);
    await page.getByRole('button', { name: 'Set password' }).click();
    await page.getByLabel('Code', { exact: false }).first().waitFor();
  });

  it('a person chooses e-mail by kind of notice', async () => {
    const { ada, ben } = world.people;
    await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
      write.unaudited('progress');
      const days = { from: '2026-12-21', to: '2026-12-23' };
      await notify(write, [ada], { kind: 'request_waiting', approval: 1, request: 'absence', person: ben, ...days });
      const reason = 'Two stamps of the yard were missing';
      await notify(write, [ada], { kind: 'month_reopened', month: '2026-10', by: ben, reason });
      await notify(write, [ada], { kind: 'link_ended', extension: world.planner.id, reason: 'token_reused' });
      await notify(write, [ada], { kind: 'clock_out_missing', entry: 1, day: '2026-11-20' });
    });
    const person = await chromium.person({ signedIn: ada });
    const { page } = person;
    await person.go('/notices');
    await page.getByText('A request of Ben').waitFor();
    await page.getByText('Reason: Two stamps of the yard were missing').waitFor();
    await page.getByText('A token of the app was used twice.').waitFor();
    await page.getByText('Your clock-out of').waitFor();
    // The link leads to the page that asks for the time.
    expect(await page.getByRole('link', { name: 'Add when you left' }).getAttribute('href')).toBe('/');
    await page.getByText('Besides this page, notices go to').waitFor();
    expect(await faultsOf(person, 'notices-mail')).toEqual([]);
    await page.getByLabel('PIN removed').click();
    await settle(page);
    await page.reload();
    await page.getByText('Besides this page, notices go to').waitFor();
    expect(await page.getByLabel('PIN removed').isChecked()).toBe(false);
    expect(await page.getByLabel('A closed month was re-opened').isChecked()).toBe(true);
  });
});
