/** An admin sets the sign-in of the company up, and somebody signs in with it, by roles and labels. */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { addSuperAdmin, baseUrl, codeOf, factorKeysOf, giveCredentials } from '../browser.js';
import { clientSecret, type RealProvider, startProvider } from '../identity-provider.js';
import { createWorld, dataKey, type World } from '../world.js';
import { type Chromium, describeInBrowser, faultsOf, startChromium } from './chromium.js';

describeInBrowser('the sign-in of a company, in a browser', () => {
  let world: World;
  let provider: RealProvider;
  let chromium: Chromium;
  beforeAll(async () => {
    world = await createWorld('sqlite', { pages: true, env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
    provider = await startProvider(() => world.now(), `${baseUrl}/sign-in/company/${world.nord}`);
    chromium = await startChromium(() => world);
  });
  afterAll(() => chromium.close());
  afterAll(() => provider.close());
  afterAll(() => world.close());
  afterEach(async () => {
    expect(await chromium.leave()).toEqual([]);
  });

  it('an admin sets up company sign-in, which leads to the provider and back and explains a refusal', async () => {
    const admin = await chromium.person({ signedIn: await addSuperAdmin(world, { companyId: world.nord }) });
    await admin.go('/company/sign-in');
    await admin.page.getByLabel('Company address').fill('nord');
    await admin.page.getByLabel('Issuer').fill(provider.issuer);
    await admin.page.getByLabel('Client ID').fill('clockproof');
    await admin.page.getByLabel('Client secret', { exact: true }).fill(clientSecret);
    await admin.page.getByLabel('E-mail domains').fill('clockproof.example');
    await admin.page.getByLabel('People can sign in through the company').click();
    await admin.page.getByText(`/sign-in/company/${world.nord}`).waitFor();
    await admin.page.getByRole('button', { name: 'Save' }).click();
    await admin.page.getByText('The sign-in is set.').waitFor();
    await admin.page.getByText('A secret is stored.').waitFor();
    expect(await faultsOf(admin, 'company-sign-in-settings')).toEqual([]);

    // A secret belongs to one client.
    const secret = admin.page.getByLabel('Client secret', { exact: true });
    await admin.page.getByLabel('Client ID').fill('another');
    await admin.page.getByText('Another issuer or client needs its secret again.').waitFor();
    expect(await secret.evaluate((field) => 'required' in field && field.required)).toBe(true);
    await admin.page.getByLabel('Client ID').fill('clockproof');
    expect(await secret.evaluate((field) => 'required' in field && field.required)).toBe(false);

    const adaClaims = { email: 'ada@clockproof.example', email_verified: true };
    const cemClaims = { ...adaClaims, email: 'cem@clockproof.example' };
    await provider.tell({
      a1: adaClaims,
      c1: cemClaims,
      b1: { ...adaClaims, email: 'ben@clockproof.example', email_verified: false },
    });
    const enter = async (login: string) => {
      const person = await chromium.person({});
      const { page } = person;
      await person.go('/');
      await page.getByRole('link', { name: 'Sign in through your company' }).click();
      await page.getByLabel('E-mail address or company address').fill('nord');
      if (login === 'a1') expect(await faultsOf(person, 'company-sign-in')).toEqual([]);
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL(`${provider.issuer}/**`);
      await page.locator('input[name=login]').fill(login);
      await page.locator('input[name=password]').fill('any');
      await page.locator('button[type=submit]').click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.waitForURL(`${baseUrl}/**`);
      return person;
    };
    const ada = await enter('a1');
    await ada.page.getByRole('heading', { name: 'Today' }).waitFor();
    // Neither code nor state stay in the address.
    expect(new URL(ada.page.url()).pathname + new URL(ada.page.url()).search).toBe('/');
    // Who has a second factor here is asked for it once, and told.
    await giveCredentials(world, [world.people.cem], await factorKeysOf(world, dataKey));
    const cem = await enter('c1');
    await cem.page.getByText('You confirm it only once.').waitFor();
    expect(await faultsOf(cem, 'company-sign-in-binding')).toEqual([]);
    world.advance(30_000);
    await cem.page.getByLabel('Code from your authenticator app').fill(codeOf(world.people.cem, world.now()));
    await cem.page.getByRole('button', { name: 'Confirm' }).click();
    await cem.page.getByRole('heading', { name: 'Today' }).waitFor();
    await cem.go('/notices');
    await cem.page.getByRole('heading', { name: 'Your account at your company was linked' }).waitFor();
    expect(await faultsOf(cem, 'company-sign-in-notice')).toEqual([]);
    const ben = await enter('b1');
    await ben.page.getByText('has not verified your e-mail address').waitFor();
    expect(new URL(ben.page.url()).search).toBe('');
    expect(await faultsOf(ben, 'company-sign-in-refused')).toEqual([]);

    // Whose access is reset comes back by the link alone, which the admin sees.
    await admin.go(`/company/people/${world.people.cem}?tab=access`);
    await admin.page.getByRole('button', { name: 'Reset second factor' }).click();
    await admin.page.getByRole('dialog').getByRole('button', { name: 'Reset second factor' }).click();
    await admin.page.getByText('The second factor was reset.').waitFor();
    expect(await admin.page.locator('output.secret').textContent()).toContain('/invitation#inv_');
    expect(await faultsOf(admin, 'person-reset')).toEqual([]);
    const cemAfterReset = await enter('c1');
    await cemAfterReset.page.getByText('Your access was reset.').waitFor();
  });
});
