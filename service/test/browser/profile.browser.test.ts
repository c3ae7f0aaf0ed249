import { hour, minute } from '@clockproof/platform/time/instant';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { oneTimePassword, stepAt } from '../../src/access/second-factor/totp.js';
import type { AddedExtension } from '../../src/extensions/extensions.js';
import { codeOf, createBrowser, password, signIn } from '../browser.js';
import { sendAbsence } from '../builders.js';
import { addApp, authorizeQuery, exchange, link } from '../linking.js';
import { createWorld, type World } from '../world.js';
import { type Chromium, describeInBrowser, faultsOf, settle, speak, startChromium } from './chromium.js';
import { addUser, giveFactors } from './people.js';

describeInBrowser('what a person keeps about themselves, in a browser', () => {
  let world: World;
  let chromium: Chromium;
  let roster: AddedExtension;
  beforeAll(async () => {
    chromium = await startChromium(() => world);
  });
  afterAll(() => chromium.close());
  beforeEach(async () => {
    world = await createWorld('sqlite', { pages: true });
    await giveFactors(world, [world.people.ada, world.people.ben, world.people.zoe]);
    roster = await addApp(world, 'Roster <script>alert(1)</script>');
  });
  afterEach(async () => {
    expect(await chromium.leave()).toEqual([]);
  });
  afterEach(() => world.close());

  it('a person consents to the ticked permissions with a fresh second factor, and returns to the app', async () => {
    const ada = await chromium.person();
    const { page } = ada;
    const callbacks: URL[] = [];
    await page.route('https://app.example/**', (route) => {
      callbacks.push(new URL(route.request().url()));
      return route.fulfill({ contentType: 'text/html', body: '<title>Roster</title>Back at the app' });
    });
    await ada.go(
      `/oauth/authorize?${authorizeQuery(roster, { scope: 'read:clock_states write:clock write:absences' })}`,
    );
    await page.getByText('An app wants to be linked to your account.').waitFor();
    world.advance(minute);
    await page.getByLabel('E-mail address').fill('ada@clockproof.example');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Code from your authenticator app').fill(codeOf(world.people.ada, world.now()));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page
      .getByRole('heading', { name: 'Allow Roster <script>alert(1)</script> to access your account?' })
      .waitFor();
    await page.getByText('You then return to app.example.').waitFor();
    expect(await faultsOf(ada, 'consent')).toEqual([]);
    for (const name of ['Read your clock', 'Clock in and out', 'Ask for absences'])
      expect(await page.getByRole('checkbox', { name }).isChecked()).toBe(true);
    for (const name of ['Read your clock', 'Clock in and out', 'Ask for absences'])
      await page.getByRole('checkbox', { name }).uncheck();
    expect(await page.getByRole('button', { name: 'Allow' }).isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'Clock in and out' }).check();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('Back at the app').waitFor();
    const [callback] = callbacks;
    expect([callback?.searchParams.get('state'), callback?.searchParams.get('iss')]).toEqual([
      'xyz',
      'http://localhost:8080',
    ]);
    const tokens = await exchange(world, roster, callback!.searchParams.get('code')!);
    expect(tokens.body).toMatchObject({ scope: 'write:clock' });
    expect(
      (await world.call('POST', '/api/v1/clock/in', { key: String(tokens.body['access_token']), body: {} })).status,
    ).toBe(200);

    await ada.go('/profile/linked-apps');
    const appRegion = page.getByRole('region', { name: 'Roster <script>alert(1)</script>' });
    await appRegion.getByText('The app clocks you in and out and starts and ends breaks.').waitFor();
    await appRegion.getByRole('button', { name: 'Activity: Roster' }).click();
    await appRegion
      .getByRole('listitem')
      .filter({ hasText: /: Clocked in$/ })
      .waitFor();
    expect(await faultsOf(ada, 'linked-apps')).toEqual([]);
    await page.getByRole('button', { name: 'End link: Roster' }).click();
    await page.getByText('can no longer act for you.').waitFor();
    await page.getByText('No app may act for you.').waitFor();
    const endedRegion = page
      .getByRole('region', { name: 'Ended', exact: true })
      .getByRole('region', { name: 'Roster <script>alert(1)</script>' });
    await endedRegion.getByText('You ended it.').waitFor();
    await endedRegion.getByRole('button', { name: 'Activity: Roster' }).click();
    await endedRegion
      .getByRole('listitem')
      .filter({ hasText: /: Clocked in$/ })
      .waitFor();
    await page.getByText('No app of your company has recorded anything for you.').waitFor();
    expect(await faultsOf(ada, 'linked-apps-ended')).toEqual([]);
    expect((await world.call('GET', '/api/v1/me', { key: String(tokens.body['access_token']) })).body).toMatchObject({
      code: 'token_revoked',
    });
  });

  it('the consent page asks again for an old second factor, accepts a refusal, and explains bad requests', async () => {
    const ada = await chromium.person({ signedIn: world.people.ada });
    const { page } = ada;
    const callbacks: URL[] = [];
    await page.route('https://app.example/**', (route) => {
      callbacks.push(new URL(route.request().url()));
      return route.fulfill({ contentType: 'text/html', body: 'Back at the app' });
    });
    await ada.go(`/oauth/authorize?${authorizeQuery(roster, { scope: 'write:clock' })}`);
    await page.getByRole('button', { name: 'Decline' }).waitFor();
    const address = page.url();
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('Back at the app').waitFor();
    expect(callbacks.pop()?.searchParams.get('error')).toBe('access_denied');

    // The proof of signing in wears off after a quarter of an hour.
    world.advance(16 * minute);
    await ada.go(`/oauth/authorize?${authorizeQuery(roster, { scope: 'write:clock' })}`);
    await page.getByRole('button', { name: 'Allow' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm with your second factor' });
    await dialog.waitFor();
    expect(await faultsOf(ada, 'fresh-factor')).toEqual([]);
    await dialog.getByLabel('Code from your authenticator app').fill(codeOf(world.people.ada, world.now()));
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('Back at the app').waitFor();
    expect(callbacks.pop()?.searchParams.get('code')).toMatch(/^cpc_/);

    await ada.go(new URL(address).pathname + new URL(address).search);
    await page.getByRole('heading', { name: 'This request cannot be answered' }).waitFor();
    expect(await faultsOf(ada, 'consent-gone')).toEqual([]);
    await ada.go('/link');
    await page.getByRole('heading', { name: 'This link does not come from a known app' }).waitFor();
    await ada.go(`/oauth/authorize?${authorizeQuery(roster, { redirect_uri: 'https://evil.example/cb' })}`);
    await page.getByRole('heading', { name: 'This app cannot be linked' }).waitFor();
    expect(callbacks).toEqual([]);
  });

  it('the page says in plain words which permissions an app has lost since', async () => {
    const shifts = await addApp(world, 'Shifts');
    const lena = await addUser(world, 'Lena');
    await link(world, shifts, lena, ['read:clock_states', 'write:clock'], await signIn(world, lena));
    await world.db.write((tx) =>
      tx.run(`UPDATE extensions SET scopes = '["write:clock"]' WHERE client_id = :clientId`, {
        clientId: shifts.clientId,
      }),
    );
    const user = await chromium.person({ signedIn: lena });
    await user.go('/profile/linked-apps');
    await user.page.getByText('Read your clock (no longer available to the app)').waitFor();
  });

  it('the profile lists sessions and ends the others', async () => {
    const otherBrowser = await signIn(world, world.people.ben, createBrowser(world.url));
    await signIn(world, world.people.ben, createBrowser(world.url));
    const ben = await chromium.person({ signedIn: world.people.ben });
    const { page } = ben;
    await ben.go('/profile/sessions');
    await page.getByRole('button', { name: 'Sign out there: Firefox on Linux' }).first().waitFor();
    await speak(page, 'de');
    await page.getByRole('button', { name: 'Dort abmelden: Firefox unter Linux' }).first().waitFor();
    expect(await faultsOf(ben, 'sessions')).toEqual([]);
    await page.getByRole('button', { name: 'Sign out there: Firefox on Linux' }).first().click();
    await page.getByText('Signed out there.').waitFor();
    await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
    await page.getByText('You are signed out everywhere else.').waitFor();
    await page.getByRole('button', { name: 'Sign out there: Firefox on Linux' }).first().waitFor({ state: 'detached' });
    expect((await otherBrowser.call('GET', '/app/session')).body).toMatchObject({ code: 'token_revoked' });
  });

  it('the profile makes new recovery codes only after a fresh second factor', async () => {
    const id = await addUser(world, 'Dora');
    const dora = await chromium.person({ signedIn: id });
    const { page } = dora;
    await dora.go('/profile/second-factor');
    await page.getByText('Your authenticator app was set up on').waitFor();
    // Nobody is left without a word to be locked out on the day the phone is lost.
    await page.getByText('You have no recovery code.').waitFor();
    expect(await faultsOf(dora, 'second-factor')).toEqual([]);
    world.advance(16 * minute);
    await page.getByRole('button', { name: 'Create new recovery codes' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm with your second factor' });
    await dialog.waitFor();
    // Closing it does nothing and says nothing.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.getByRole('alert').count()).toBe(0);
    await page.getByRole('button', { name: 'Create new recovery codes' }).click();
    await dialog.getByLabel('Code from your authenticator app').fill('123456');
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.getByText('The code is wrong or was used before.').waitFor();
    await dialog.getByLabel('Code from your authenticator app').fill(codeOf(id, world.now()));
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Write down your recovery codes' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as a file' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('clockproof-recovery-codes.txt');
    await page.getByRole('button', { name: 'I have saved the codes in a safe place' }).click();
    await page.getByText('10 recovery codes are left.').waitFor();
    expect(await page.getByText('You have no recovery code.').count()).toBe(0);
  });

  it('a late answer to a request from before the second factor keeps the person signed in', async () => {
    const id = await addUser(world, 'Fritz');
    const { page, context, go } = await chromium.person({ signedIn: id });
    await go('/profile/second-factor');
    await page.getByText('You have no recovery code.').waitFor();
    world.advance(16 * minute);
    await page.getByRole('button', { name: 'Create new recovery codes' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm with your second factor' });
    await dialog.waitFor();
    const proof = page.waitForResponse('**/app/second-factor/proof');
    const request = page.waitForRequest('**/app/second-factor');
    await page.route(
      '**/app/second-factor',
      async (route) => {
        const { value } = (await context.cookies()).find(({ name }) => name === 'session')!;
        await (await proof).finished();
        const lateAnswer = await fetch(`${world.url}/app/second-factor`, { headers: { cookie: `session=${value}` } });
        expect(lateAnswer.status).toBe(401);
        await route.fulfill({ status: 401, json: await lateAnswer.json() });
      },
      { times: 1 },
    );
    // Back from the authenticator app on the same phone: the page asks for everything again.
    for (const state of ['hidden', 'visible'])
      await page.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`);
    await request;
    await dialog.getByLabel('Code from your authenticator app').fill(codeOf(id, world.now()));
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('button', { name: 'I have saved the codes in a safe place' }).click();
    await page.getByText('10 recovery codes are left.').waitFor();
  });

  it('the profile replaces the authenticator app on a new phone', async () => {
    const id = await addUser(world, 'Emil');
    const emil = await chromium.person({ signedIn: id });
    const { page } = emil;
    await emil.go('/profile/second-factor');
    world.advance(minute);
    await page.getByLabel('Current password').fill(password);
    await page.getByLabel('Code from your authenticator app').fill(codeOf(id, world.now()));
    await page.getByRole('button', { name: 'Replace the authenticator app' }).click();
    await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
    const text = (await page.locator('output').textContent())!.replaceAll(' ', '');
    const bits = [...text]
      .map((character) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character).toString(2).padStart(5, '0'))
      .join('');
    const secret = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)));
    await page.getByLabel('Code that the app shows now').fill(oneTimePassword(secret, stepAt(world.now())));
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.getByRole('button', { name: 'I have saved the codes in a safe place' }).click();
    await page.getByText('10 recovery codes are left.').waitFor();
  });

  it('the profile changes the password, and the language of the pages permanently', async () => {
    world.advance(hour);
    const id = await addUser(world, 'Clara');
    const clara = await chromium.person({ signedIn: id });
    const { page } = clara;
    await clara.go('/profile/password');
    const change = async (currentPassword: string, newPassword: string) => {
      await page.getByLabel('Current password').fill(currentPassword);
      await page.getByLabel('New password', { exact: true }).fill(newPassword);
      await page.getByLabel('Repeat the password').fill(newPassword);
      await page.getByRole('button', { name: 'Change password' }).click();
    };
    await change('not the password', 'five brown mice nap');
    await page.getByText('E-mail address or password is wrong.').waitFor();
    await change(password, 'five brown mice nap');
    await page.getByText('The password was changed.').waitFor();
    expect(await faultsOf(clara, 'password')).toEqual([]);

    await clara.go('/profile');
    expect(await faultsOf(clara, 'profile')).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Linked apps' }).click();
    await page.getByRole('heading', { name: 'Linked apps', level: 1 }).waitFor();
    await clara.go('/profile');
    await page.getByLabel('Language of the pages').selectOption({ label: 'Deutsch' });
    await page.getByRole('heading', { name: 'Profil' }).waitFor();
    await settle(page);
    const secondBrowser = await chromium.person();
    await secondBrowser.context.addCookies(await clara.context.cookies());
    await secondBrowser.go('/');
    await secondBrowser.page.getByRole('heading', { name: 'Hallo Clara' }).waitFor();
    expect(await faultsOf(secondBrowser, 'home')).toEqual([]);
    // What comes named by the service speaks it, too.
    await sendAbsence(world, { user_id: id, start_date: '2026-11-30' });
    await secondBrowser.go('/absences');
    await secondBrowser.page.getByRole('cell', { name: 'Vacation', exact: true }).waitFor();
    await speak(secondBrowser.page, 'de');
    await secondBrowser.page.getByRole('cell', { name: 'Urlaub', exact: true }).waitFor();
  });

  it('the profile can be used by keyboard, and on a phone through a menu', async () => {
    const zoe = await chromium.person({ signedIn: world.people.zoe });
    const { page } = zoe;
    await zoe.go('/');
    await page.getByRole('heading', { name: 'Hello Zoe' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('content');
    await page.getByRole('button', { name: /account menu$/ }).press('Enter');
    await page.getByRole('link', { name: 'Linked apps' }).press('Enter');
    await page.getByRole('heading', { name: 'Linked apps', level: 1 }).waitFor();
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    expect(await page.title()).toBe('Linked apps – Clockproof');
    await page.setViewportSize({ width: 390, height: 844 });
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    await navigation.waitFor({ state: 'hidden' });
    const menu = page.getByRole('button', { name: 'More' });
    expect(await menu.getAttribute('aria-expanded')).toBe('false');
    await menu.click();
    await navigation.getByRole('link', { name: 'Password' }).click();
    await page.getByRole('heading', { name: 'Password', level: 1 }).waitFor();
    await navigation.waitFor({ state: 'hidden' });
  });
});
