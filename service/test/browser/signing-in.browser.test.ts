import { minute } from '@clockproof/platform/time/instant';
import { expect, it } from '@jest/globals';
import { oneTimePassword, stepAt } from '../../src/access/second-factor/totp.js';
import { baseUrl, codeOf, createBrowser, fromBase32, password, signIn } from '../browser.js';
import type { World } from '../world.js';
import {
  describeInBrowser,
  faultsOf,
  openAccount,
  type Person,
  settle,
  signOutOf,
  useChromium,
  widths,
} from './chromium.js';
import { addUser, giveFactors } from './people.js';

/** The authenticator app: reads the key off the page and types what it computes. */
async function enrol(world: World, { page }: Person, name: string): Promise<string> {
  await page.getByRole('heading', { name: 'Set up your second factor' }).waitFor();
  await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor();
  expect(await faultsOf({ page } as Person, name)).toEqual([]);
  const secret = fromBase32((await page.locator('output').textContent())!.replaceAll(' ', ''));
  await page.getByLabel('Code that the app shows now').fill(oneTimePassword(secret, stepAt(world.now())));
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.getByRole('heading', { name: 'Write down your recovery codes' }).waitFor();
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents();
  expect(codes).toHaveLength(10);
  return codes[0]!;
}

describeInBrowser('setting up an installation, in a browser', () => {
  const stage = useChromium();

  it('an installation is set up once, with the one-time link', async () => {
    const setUpLink = new URL(stage.world.service.setUpLink!).pathname + new URL(stage.world.service.setUpLink!).hash;
    const visitor = await stage.person();
    const { page } = visitor;
    await visitor.go('/');
    await page.getByText('This installation is not set up yet.').waitFor();
    await visitor.go(setUpLink);
    expect(await faultsOf(visitor, 'set-up')).toEqual([]);
    await page.getByLabel('First name').fill('Maren');
    await page.getByLabel('Last name').fill('Claasen');
    await page.getByLabel('E-mail address').fill('maren@clockproof.example');
    await page.getByLabel('Password', { exact: true }).fill('short');
    await page.getByLabel('Repeat the password').fill('short');
    await page.getByLabel('Name of the company').fill('Westwind GmbH');
    // The country brings its time zone and regions along.
    await page.getByLabel('Country').selectOption({ label: 'Austria' });
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Europe/Vienna');
    await page.getByLabel('Country').selectOption({ label: 'Germany' });
    expect(await page.getByLabel('Time zone').inputValue()).toBe('Europe/Berlin');
    await page.getByLabel('Region').selectOption({ label: 'Hamburg' });
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByText('At least 12 characters are needed.').waitFor();
    await page.getByLabel('Password', { exact: true }).fill('four grey herons wait');
    await page.getByLabel('Repeat the password').fill('four grey herons walk');
    await page.getByRole('button', { name: 'Set up' }).click();
    await page.getByText('The two passwords are not the same.').waitFor();
    await page.getByLabel('Repeat the password').fill('four grey herons wait');
    await page.getByRole('button', { name: 'Set up' }).click();
    await enrol(stage.world, visitor, 'enrolment');
    expect(await faultsOf(visitor, 'recovery-codes')).toEqual([]);
    await page.getByRole('button', { name: 'I have saved the codes in a safe place' }).click();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await page.getByText('Single people can have their own: select them in the list of people.').waitFor();
    expect(await faultsOf(visitor, 'first-steps')).toEqual([]);
    await page.getByRole('link', { name: 'Today', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Hello Maren' }).waitFor();
    await page.getByRole('link', { name: 'Extensions', exact: true }).waitFor();
    expect(await faultsOf(visitor, 'home-super-admin')).toEqual([]);

    const lateVisitor = await stage.person();
    await lateVisitor.go(setUpLink);
    // Said before anything is filled in.
    await lateVisitor.page.getByRole('heading', { name: 'This installation is set up already' }).waitFor();
    expect(await lateVisitor.page.getByRole('textbox').count()).toBe(0);
    expect(await faultsOf(lateVisitor, 'set-up-over')).toEqual([]);
    await lateVisitor.page.getByRole('link', { name: 'To sign-in' }).click();
    await lateVisitor.page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('sign-in does not ask for a session where there is none', async () => {
    const visitor = await stage.person();
    const { page } = visitor;
    const statuses: number[] = [];
    page.on('response', (response) => {
      if (new URL(response.url()).pathname === '/app/session') statuses.push(response.status());
    });
    await visitor.go('/');
    await page
      .getByText('This installation is not set up yet.')
      .or(page.getByRole('heading', { name: 'Sign in' }))
      .first()
      .waitFor();
    await settle(page);
    expect(statuses).toEqual([]);
  });

  it('the sign-in page shows the terms of use to everyone', async () => {
    const visitor = await stage.person();
    const { page } = visitor;
    await visitor.go('/');
    await page.getByRole('link', { name: 'Terms of use' }).click();
    await page.getByRole('heading', { name: 'What a proof shows' }).waitFor();
    expect(page.url()).toMatch(/\/terms$/);
    expect(await faultsOf(visitor, 'terms')).toEqual([]);
    await page.getByRole('link', { name: 'To the start page' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });
});

describeInBrowser('signing in, in a browser', () => {
  const stage = useChromium((world) => giveFactors(world, [world.people.ada]));

  it('sign-in takes password and code, keeps the requested page, and clears everything at sign-out', async () => {
    const ada = await stage.person();
    const { page } = ada;
    await ada.go('/profile/sessions');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await faultsOf(ada, 'sign-in')).toEqual([]);
    const enter = async (secret: string) => {
      await page.getByLabel('E-mail address').fill('ada@clockproof.example');
      await page.getByLabel('Password', { exact: true }).fill(secret);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await enter('not the password');
    await page.getByRole('alert').filter({ hasText: 'E-mail address or password is wrong.' }).waitFor();
    expect(await faultsOf(ada, 'sign-in-refused')).toEqual([]);
    await enter(password);
    await page.getByRole('heading', { name: 'Confirm it is you' }).waitFor();
    expect(await faultsOf(ada, 'second-factor-code')).toEqual([]);
    const code = page.getByLabel('Code from your authenticator app');
    await code.fill('000000');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('The code is wrong or was used before.').waitFor();
    stage.world.advance(minute);
    // By keyboard alone, in the groups in which apps show codes.
    await code.focus();
    const digits = codeOf(stage.world.people.ada, stage.world.now());
    await page.keyboard.type(`${digits.slice(0, 3)} ${digits.slice(3)}`);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sessions' }).waitFor();
    expect(page.url()).toMatch(/\/profile\/sessions$/);
    // On a phone the bar is one row, in whatever font; languages and the way out are in the menu.
    for (const width of [widths.phone.width, 320]) {
      await page.setViewportSize({ ...widths.phone, width });
      await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'hidden' });
      expect((await page.getByRole('banner').boundingBox())!.height).toBeLessThan(60);
    }
    await page.setViewportSize(widths.phone);
    await page.getByRole('button', { name: 'More' }).click();
    for (const name of ['Sign out', 'Deutsch', 'English'])
      expect(await page.getByRole('navigation').getByRole('button', { name }).isVisible()).toBe(true);
    expect(await faultsOf(ada, 'menu')).toEqual([]);
    await page.setViewportSize(widths.desk);
    // An employee sees no administration in the menu, and a page of it says so.
    expect(await page.getByRole('link', { name: 'Extensions', exact: true }).count()).toBe(0);
    await ada.go('/admin/extensions');
    await page.getByRole('heading', { name: 'This page is not for you' }).waitFor();
    await signOutOf(page);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await ada.go('/profile/sessions');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  });

  it('an invitation leads to a password, a second factor and a recovery code that works once', async () => {
    const root = await addUser(stage.world, 'Rhea', { role: 'super_admin', lastName: 'Root' });
    const admin = await signIn(stage.world, root, createBrowser(stage.world.url));
    const invitation = await admin.call('POST', `/app/admin/people/${stage.world.people.ben}/invitation`);
    const address = new URL(String(invitation.body['url']));
    const ben = await stage.person({ locale: 'de-DE' });
    const { page } = ben;
    await ben.go(address.pathname + address.hash);
    await page.getByRole('heading', { name: 'Willkommen, Ben' }).waitFor();
    expect(await faultsOf(ben, 'invitation')).toEqual([]);
    for (const label of ['Password', 'Repeat the password'])
      await page.getByLabel(label, { exact: true }).fill('Nordlicht Logistik');
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByText('Choose another password').waitFor();
    for (const label of ['Password', 'Repeat the password'])
      await page.getByLabel(label, { exact: true }).fill('seven calm geese fly');
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    const recoveryCode = await enrol(stage.world, ben, 'invitation-enrolment');
    await page.getByRole('button', { name: 'I have saved the codes in a safe place' }).click();
    await page.getByRole('heading', { name: 'Hello Ben' }).waitFor();

    await signOutOf(page);
    const enter = async () => {
      await page.getByLabel('E-mail address').fill('ben@clockproof.example');
      await page.getByLabel('Password', { exact: true }).fill('seven calm geese fly');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Use a recovery code instead' }).click();
      await page.getByLabel('Recovery code').fill(recoveryCode.toLowerCase());
      await page.getByRole('button', { name: 'Confirm' }).click();
    };
    await enter();
    await page.getByText('9 recovery codes are left.').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Hello Ben' }).waitFor();
    await signOutOf(page);
    await enter();
    await page.getByText('The code is wrong or was used before.').waitFor();

    await ben.go('/invitation');
    await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
    await ben.go('/set-up');
    await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
  });

  it('the page asks for a new sign-in when the session is over, and says why', async () => {
    // Where there is no super admin, the page soon says that the installation is not set up.
    await addUser(stage.world, 'Rhea', { role: 'super_admin', lastName: 'Root' });
    const ada = await stage.person({ signedIn: stage.world.people.ada });
    await ada.go('/profile/sessions');
    await ada.page.getByRole('heading', { name: 'Sessions' }).waitFor();
    stage.world.advance(31 * minute);
    await openAccount(ada.page);
    await ada.page.getByRole('link', { name: 'Linked apps', exact: true }).first().click();
    await ada.page.getByText('You were signed out after a time without activity.').waitFor();
  });

  it('a sign-in or sign-out applies to every tab', async () => {
    const { ada, ben } = stage.world.people;
    const firstTab = await stage.person({ signedIn: ada });
    await firstTab.go('/');
    await firstTab.page.getByRole('heading', { name: 'Hello Ada' }).waitFor();
    // As a browser does for a tab that is shown again.
    const comeBack = () => firstTab.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");

    const secondTab = await firstTab.context.newPage();
    await secondTab.goto('/');
    await signOutOf(secondTab);
    await secondTab.getByRole('heading', { name: 'Sign in' }).waitFor();
    await comeBack();
    await firstTab.page.getByRole('heading', { name: 'Sign in' }).waitFor();

    const signInAs = async (id: number) => {
      const { cookies } = await signIn(stage.world, id);
      await firstTab.context.addCookies([{ name: 'session', value: cookies.get('session')!, url: baseUrl }]);
      await comeBack();
    };
    await giveFactors(stage.world, [ada, ben]);
    await signInAs(ada);
    await firstTab.page.getByRole('heading', { name: 'Hello Ada' }).waitFor();
    await signInAs(ben);
    await firstTab.page.getByRole('heading', { name: 'Hello Ben' }).waitFor();
  });

  it('a late answer leaves the person signed out', async () => {
    const ada = await stage.person({ signedIn: stage.world.people.ada });
    const { page } = ada;
    await ada.go('/');
    await page.getByRole('heading', { name: 'Hello Ada' }).waitFor();
    let release = () => {};
    const releaseSignal = new Promise<void>((resolve) => {
      release = resolve;
    });
    const session = await page.evaluate('fetch("/app/session").then((response) => response.json())');
    await page.route('**/app/profile', async (route) => {
      await releaseSignal;
      await route.fulfill({ json: session });
    });
    const lateAnswer = page.waitForResponse('**/app/profile');
    const request = page.waitForRequest('**/app/profile');
    await openAccount(page);
    await page.getByRole('button', { name: 'Deutsch', exact: true }).first().click();
    // The page asks once it has the German words: somebody who has left by then asks for nothing.
    await request;
    await signOutOf(page);
    await page.getByRole('heading', { name: 'Anmelden' }).waitFor();
    release();
    await (await lateAnswer).finished();
    await settle(page);
    expect(await page.getByRole('heading', { name: 'Anmelden' }).isVisible()).toBe(true);
  });

  it('the sign-in page keeps the language chosen while the session loads', async () => {
    const { page, go } = await stage.person({ signedIn: stage.world.people.ada });
    await go('/');
    await page.getByRole('heading', { name: 'Hello Ada' }).waitFor();
    let release = () => {};
    const releaseSignal = new Promise<void>((resolve) => {
      release = resolve;
    });
    const session = await page.evaluate('fetch("/app/session").then((response) => response.json())');
    await page.route(
      '**/app/session',
      async (route) => {
        await releaseSignal;
        // The page may no longer want it.
        await route.fulfill({ json: session }).catch(() => undefined);
      },
      { times: 1 },
    );
    const request = page.waitForRequest('**/app/session');
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await request;
    const change = page.waitForResponse('**/app/profile');
    await openAccount(page);
    await page.getByRole('button', { name: 'Deutsch', exact: true }).first().click();
    await (await change).finished();
    await page.getByRole('heading', { name: 'Hallo Ada' }).waitFor();
    release();
    await settle(page);
    expect(await page.getByRole('heading', { name: 'Hallo Ada' }).isVisible()).toBe(true);
  });

  it('sign-in explains that the service is away, overloaded or unable, and continues afterwards', async () => {
    const ada = await stage.person({ signedIn: stage.world.people.ada, savesData: false });
    await giveFactors(stage.world, [stage.world.people.ben]);
    const ben = await stage.person({ signedIn: stage.world.people.ben });
    const { page, context } = ada;
    const filesByPerson = new Map<Person, string[]>([ada, ben].map((person) => [person, []]));
    for (const [person, files] of filesByPerson) {
      person.page.on('request', (request) => files.push(new URL(request.url()).pathname.replace(/-.{8}\.js$/, '')));
      await person.go('/profile/sessions');
      await person.page.getByRole('heading', { name: 'Sessions' }).waitFor();
    }
    // Pages for later have been loaded, for those who have not asked their browser to save data.
    await page.waitForTimeout(1_500);
    await settle(page);
    await settle(ben.page);
    expect([ada, ben].map((person) => filesByPerson.get(person)!.includes('/assets/second-factor-page'))).toEqual([
      true,
      false,
    ]);
    await context.setOffline(true);
    await openAccount(page);
    await page.getByRole('link', { name: 'Second factor', exact: true }).first().click();
    await page.getByText('The service cannot be reached.').waitFor();
    expect(await page.getByRole('heading', { name: 'Second factor', exact: true }).isVisible()).toBe(true);
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('10 recovery codes are left').or(page.getByText('0 recovery codes are left')).waitFor();

    const answer = (status: number, code: string, headers: Record<string, string> = {}) =>
      page.route('**/app/sessions', (route) =>
        route.fulfill({ status, headers, json: { error: 'words of the service', code, request_id: 'req_1' } }),
      );
    const sentences: [number, string, string][] = [
      [429, 'rate_limited', 'Too many attempts. Wait a moment. Try again in 17 seconds.'],
      [403, 'forbidden', 'This page is not for you'],
      [503, 'unavailable', 'The service cannot answer right now.'],
      [500, 'a_code_of_tomorrow', 'words of the service'],
    ];
    for (const [status, code, sentence] of sentences) {
      await answer(status, code, status === 429 ? { 'retry-after': '17' } : {});
      await ada.go('/profile/sessions');
      await page.getByText(sentence).waitFor();
      await page.unroute('**/app/sessions');
    }
    await page.route('**/app/sessions', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
    );
    await ada.go('/profile/sessions');
    await page.getByText('an answer that this page cannot read').waitFor();
    expect(await faultsOf(ada, 'problem')).toEqual([]);
  });
});
