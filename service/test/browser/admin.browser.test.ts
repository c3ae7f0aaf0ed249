import { readFileSync } from 'node:fs';
import { minute } from '@clockproof/platform/time/instant';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type AccessChange, switchPeopleAccess } from '../../src/access/integrations/people-access.js';
import { recordExtension } from '../../src/extensions/extensions.js';
import { codeOf, createBrowser, password, signIn } from '../browser.js';
import { addApp, link } from '../linking.js';
import { type Receiver, startReceiver } from '../receivers.js';
import { createWorld, type World } from '../world.js';
import { type Chromium, describeInBrowser, faultsOf, faultsOfPlain, settle, speak, startChromium } from './chromium.js';
import { addUser, giveFactors } from './people.js';

describeInBrowser('API & Extensions and the audit log, in a browser', () => {
  let world: World;
  let chromium: Chromium;
  let root: number;
  beforeAll(async () => {
    chromium = await startChromium(() => world);
  });
  afterAll(() => chromium.close());
  beforeEach(async () => {
    world = await createWorld('sqlite', { pages: true, env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
    root = await addUser(world, 'Rhea', { role: 'super_admin', lastName: 'Root' });
    await giveFactors(world, [world.people.ada, world.people.ben]);
  });
  afterEach(async () => {
    expect(await chromium.leave()).toEqual([]);
  });
  afterEach(() => world.close());
  const turnAccess = (access: AccessChange) =>
    world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
      switchPeopleAccess(write, access),
    );
  const signatures = (receiver: Receiver) =>
    receiver.received.map(({ headers }) => String(headers['webhook-signature']).split(' ').length);
  const listUsers = (key: string) => world.call('GET', '/api/v1/users', { key });

  it('an admin creates an extension, sees its key once, changes it, rotates the key and deletes it', async () => {
    const rhea = await chromium.person({ signedIn: root });
    const { page } = rhea;
    await rhea.go('/admin/extensions');
    await page.getByRole('link', { name: 'Planner' }).waitFor();
    expect(await faultsOf(rhea, 'extensions')).toEqual([]);
    await page.getByRole('link', { name: 'New extension' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Payroll');
    await page.getByRole('checkbox', { name: 'See people' }).check();
    await page.getByRole('checkbox', { name: 'Clock in and out, start and end breaks' }).check();
    await page.getByRole('radio', { name: 'everyone in one company' }).check();
    await page
      .getByRole('combobox', { name: 'Company', exact: true })
      .selectOption({ label: 'Nordlicht Logistik GmbH' });
    await page.getByRole('switch', { name: 'Let people link this extension' }).check();
    await page.getByLabel('Redirect addresses').fill('http://payroll.example/cb');
    expect(await faultsOf(rhea, 'extension-new')).toEqual([]);
    // The proof of signing in is a quarter of an hour old by now.
    world.advance(16 * minute);
    await page.getByRole('button', { name: 'Create extension' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm with your second factor' });
    await dialog.getByLabel('Code from your authenticator app').fill(codeOf(root, world.now()));
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await page.getByText('A redirect address is not allowed.').waitFor();
    // The fault stands at its field, names the address as it was written, and is what a screen reader reads with it;
    // the focus is there.
    const redirects = page.getByLabel('Redirect addresses');
    expect([
      await redirects.getAttribute('aria-invalid'),
      await redirects.evaluate((element) => element === element.ownerDocument.activeElement),
    ]).toEqual(['true', true]);
    await page.getByText('“http://payroll.example/cb” may not stand here.').waitFor();
    expect(
      await redirects.evaluate((element) =>
        element
          .getAttribute('aria-describedby')!
          .split(/\s+/)
          .map((id: string) => element.ownerDocument.getElementById(id)!.textContent)
          .join(' '),
      ),
    ).toContain('“http://payroll.example/cb” may not stand here.');
    expect(await page.getByText('redirect_uris').count()).toBe(0);
    expect(await faultsOf(rhea, 'extension-refused')).toEqual([]);
    await speak(page, 'de');
    await page.getByText('„http://payroll.example/cb“ darf hier nicht stehen.').waitFor();
    await speak(page, 'en');
    await page.getByLabel('Redirect addresses').fill('https://payroll.example/cb\ncom.example.payroll:/callback');
    await page.getByRole('button', { name: 'Create extension' }).click();
    const key = (await page.getByRole('status', { name: 'Key' }).textContent())!;
    expect((await listUsers(key)).status).toBe(200);
    expect(await faultsOf(rhea, 'extension-key-once')).toEqual([]);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('heading', { name: 'Payroll', level: 1 }).waitFor();
    await page.getByRole('tab', { name: 'Key' }).click();
    await page.getByText('Current key', { exact: true }).waitFor();
    expect(await page.content()).not.toContain(key);
    expect(await faultsOf(rhea, 'extension')).toEqual([]);

    await page.getByRole('tab', { name: 'Settings' }).click();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'See people' }).uncheck();
    await page.getByLabel('Lifetime of a link in days').fill('30');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    expect((await listUsers(key)).body).toMatchObject({ code: 'insufficient_scope' });
    await page.reload();
    await page.getByLabel('Lifetime of a link in days').waitFor();
    expect(await page.getByLabel('Lifetime of a link in days').inputValue()).toBe('30');
    expect(await page.getByRole('checkbox', { name: 'See people' }).isChecked()).toBe(false);

    world.advance(minute);
    await page.getByRole('tab', { name: 'Key' }).click();
    await page.getByRole('button', { name: 'Issue new key' }).click();
    const nextKey = (await page.getByRole('status', { name: 'Key' }).textContent())!;
    expect(nextKey).not.toBe(key);
    await page.getByText('Previous key, still works').waitFor();
    for (const eitherKey of [key, nextKey])
      expect((await listUsers(eitherKey)).body).toMatchObject({ code: 'insufficient_scope' });
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('button', { name: 'End the previous key now' }).click();
    await page.getByText('Only the new key works now.').waitFor();
    expect((await listUsers(key)).status).toBe(401);

    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Delete extension' }).click();
    const deleteDialog = page.getByRole('dialog', { name: 'Delete Payroll?' });
    await deleteDialog.waitFor();
    expect(await faultsOf(rhea, 'extension-delete')).toEqual([]);
    await deleteDialog.getByRole('button', { name: 'Delete extension' }).click();
    await page.getByText('Payroll was deleted.').waitFor();
    expect(await page.getByRole('main').getByRole('link', { name: 'Payroll' }).count()).toBe(0);
    expect((await listUsers(nextKey)).status).toBe(401);
  });

  it('the page shows the secret of webhooks once, and the result of a ping', async () => {
    const rhea = await chromium.person({ signedIn: root });
    const { page } = rhea;
    await rhea.go('/admin/extensions/new');
    await page.getByLabel('Name', { exact: true }).fill('Door display');
    await page.getByRole('radio', { name: 'Webhooks' }).check();
    await page.getByLabel('Webhook address').fill('https://127.0.0.1/hooks\\');
    await page.getByRole('button', { name: 'Create extension' }).click();
    await page.getByText('This webhook address is not allowed.').waitFor();
    expect(await page.getByLabel('Webhook address').getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Name', { exact: true }).fill('Planner');
    await page.getByLabel('Webhook address').fill('https://door.example/hooks');
    await page.getByRole('button', { name: 'Create extension' }).click();
    await page.getByText('Another extension has this name.').waitFor();
    expect([
      await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid'),
      await page.getByLabel('Webhook address').getAttribute('aria-invalid'),
    ]).toEqual(['true', null]);
    await page.getByLabel('Name', { exact: true }).fill('Door display');
    const receiver = await startReceiver((response) => {
      response.writeHead(statuses.shift()!).end();
    });
    const statuses = [204, 500, 200];
    await page.getByLabel('Webhook address').fill(`http://127.0.0.1:${receiver.port}/hooks`);
    await page.getByRole('button', { name: 'Create extension' }).click();
    const secret = (await page.getByRole('status', { name: 'Webhook secret' }).textContent())!;
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    expect(await faultsOf(rhea, 'extension-webhooks')).toEqual([]);
    const ping = async () => {
      // Within a second of the last answer it would be a double tap.
      await settle(page);
      await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1_000))');
      await page.getByRole('button', { name: 'Send a ping' }).click();
    };
    // The second press comes as soon as the first is answered.
    await page.getByRole('button', { name: 'Send a ping' }).evaluate(async (button: { click(): void }) => {
      const isAnswered = () => (globalThis as unknown as { find(text: string): boolean }).find('accepted the ping');
      button.click();
      while (!isAnswered()) await new Promise((resolve) => setTimeout(resolve, 10));
      button.click();
    });
    await page.getByText('The address accepted the ping. It answered with 204.').waitFor();
    await settle(page);
    expect(signatures(receiver)).toEqual([1]);
    await ping();
    await page.getByText('The address refused the ping. It answered with 500.').waitFor();

    world.advance(16 * minute);
    await page.getByRole('button', { name: 'New secret' }).click();
    const dialog = page.getByRole('dialog', { name: 'Confirm with your second factor' });
    await dialog.getByLabel('Code from your authenticator app').fill(codeOf(root, world.now()));
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    const nextSecret = (await page.getByRole('status', { name: 'Webhook secret' }).textContent())!;
    expect(nextSecret).toMatch(/^whsec_/);
    expect(nextSecret).not.toBe(secret);
    await page.getByText(/^Until .*, every delivery carries both signatures\.$/).waitFor();
    expect(await faultsOf(rhea, 'extension-webhook-secret-once')).toEqual([]);
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByText(nextSecret).waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Webhooks' }).waitFor();
    for (const eitherSecret of [secret, nextSecret]) expect(await page.content()).not.toContain(eitherSecret);
    await ping();
    await page.getByText('The address accepted the ping. It answered with 200.').waitFor();
    expect(signatures(receiver)).toEqual([1, 1, 2]);

    await receiver.close();
    await ping();
    await page.getByText('The address could not be reached, or did not answer completely in time.').waitFor();
    expect(await faultsOf(rhea, 'extension-webhook-ping')).toEqual([]);
    for (let count = 0; count < 4; count++) await ping();
    await page.getByText('Too many attempts. Wait a moment.').waitFor();
    await rhea.go('/admin/extensions/ext_Nobody');
    await page.getByRole('heading', { name: 'There is no such extension' }).waitFor();
    expect([
      await page.getByRole('alert').count(),
      await page.getByRole('button', { name: 'Try again' }).count(),
    ]).toEqual([0, 0]);
    expect(await faultsOf(rhea, 'extension-unknown')).toEqual([]);
    await page.getByRole('link', { name: 'To all extensions' }).click();
    await page.getByRole('heading', { name: 'Extensions', level: 1 }).waitFor();
  });

  it('the page shows the people who linked an extension and ends a link', async () => {
    const app = await addApp(world, 'Roster');
    const tokens = await link(
      world,
      app,
      world.people.ada,
      ['write:clock'],
      await signIn(world, world.people.ada, createBrowser(world.url)),
    );
    const rhea = await chromium.person({ signedIn: root });
    const { page } = rhea;
    await rhea.go('/admin/extensions');
    await page.getByRole('link', { name: 'Roster' }).click();
    await page.getByRole('tab', { name: 'Personal links' }).click();
    await page.getByText('Ada Lang').waitFor();
    expect(await faultsOf(rhea, 'extension-links')).toEqual([]);
    await page.getByRole('button', { name: 'End link: Ada Lang' }).click();
    await page.getByText('The link of Ada Lang has ended.').waitFor();
    await page.getByText('No one has linked it.').waitFor();
    expect((await world.call('GET', '/api/v1/me', { key: tokens.access_token })).body).toMatchObject({
      code: 'token_revoked',
    });
  });

  it('the page asks before a settings change ends personal links, with their number', async () => {
    const app = await addApp(world, 'Shifts');
    for (const person of [world.people.ada, world.people.ben])
      await link(world, app, person, ['write:clock'], await signIn(world, person, createBrowser(world.url)));
    const rhea = await chromium.person({ signedIn: root });
    const { page } = rhea;
    await rhea.go('/admin/extensions');
    await page.getByRole('link', { name: 'Shifts' }).click();
    await page.getByRole('tab', { name: 'Settings' }).click();
    const linkSwitch = page.getByRole('switch', { name: 'Let people link this extension' });
    await page
      .getByRole('combobox', { name: 'Company', exact: true })
      .selectOption({ label: 'Nordlicht Logistik GmbH' });
    await page.getByRole('button', { name: 'Save' }).click();
    const dialog = page.getByRole('dialog', { name: 'End personal links?' });
    await dialog.getByText('There are 2 personal links: those of people in other companies end immediately.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page
      .getByRole('combobox', { name: 'Company', exact: true })
      .selectOption({ label: 'Not bound to a company' });
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true);
    // A switch that is off keeps 3:1 to the white around it (WCAG 2.2, 1.4.11).
    const track = (await page.evaluate(
      'getComputedStyle(document.querySelector("input[role=switch]:not(:checked) ~ .mantine-Switch-track")).backgroundColor',
    )) as string;
    const [red, green, blue] = track.match(/\d+/g)!.map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    expect(1.05 / (0.2126 * red! + 0.7152 * green! + 0.0722 * blue! + 0.05)).toBeGreaterThanOrEqual(3);
    await linkSwitch.uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('All 2 personal links of this extension end immediately.').waitFor();
    expect(await faultsOf(rhea, 'extension-links-end')).toEqual([]);
    await dialog.getByRole('button', { name: 'Save and end links' }).click();
    await page.getByText('Saved.').waitFor();
    expect(await linkSwitch.isChecked()).toBe(false);
  });

  it('the page lists the effects of switching writes off before it happens', async () => {
    const app = await addApp(world, 'Timer');
    await link(
      world,
      app,
      world.people.ada,
      ['write:clock'],
      await signIn(world, world.people.ada, createBrowser(world.url)),
    );
    const rhea = await chromium.person({ signedIn: root });
    const { page } = rhea;
    await rhea.go('/admin/access');
    const writeSwitch = page.getByRole('switch', { name: 'Extensions may clock and manage absences' });
    await writeSwitch.waitFor();
    expect([
      await writeSwitch.isChecked(),
      await page.getByRole('switch', { name: 'Personal links' }).isChecked(),
      await page.getByRole('switch', { name: 'Time clock terminals' }).isChecked(),
    ]).toEqual([true, true, true]);
    await page.getByText('Every personal link ends immediately.').first().waitFor();
    expect(await faultsOf(rhea, 'access')).toEqual([]);
    await writeSwitch.focus();
    await page.keyboard.press('Space');
    const dialog = page.getByRole('dialog', { name: /Switch off .Extensions may clock and manage absences.\?/ });
    await dialog.getByText('Every personal link ends immediately.').waitFor();
    await dialog.getByText('Every key loses its write permissions.').waitFor();
    expect(await faultsOf(rhea, 'access-switch-off')).toEqual([]);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await writeSwitch.isChecked()).toBe(true);
    // The focus is back where it was, so that the keyboard goes on from there.
    await page.locator('input[role=switch]:focus').first().waitFor();
    await page.keyboard.press('Space');
    await dialog.getByRole('button', { name: 'Switch off' }).click();
    await page.getByText(/One personal link ended, (one key|\d+ keys) lost write permissions\./).waitFor();
    expect(await writeSwitch.isChecked()).toBe(false);
    await page.getByText(/Last changed on .* by Rhea Root\./).waitFor();
    expect(
      (await world.call('POST', '/api/v1/clock/in', { key: world.planner.key, body: { user_id: world.people.ada } }))
        .status,
    ).toBe(403);
  });

  it('the page gives no permission to write while the switch for it is off, and says where it is', async () => {
    const rhea = await chromium.person({ signedIn: root });
    const { page } = rhea;
    await rhea.go('/admin/extensions/new');
    const checkbox = page.getByRole('checkbox', { name: 'Clock in and out, start and end breaks' });
    await page.getByLabel('Name', { exact: true }).fill('Sundial');
    await checkbox.check();
    await turnAccess({ writes: false });
    await page.getByRole('button', { name: 'Create extension' }).click();
    const alert = page
      .getByRole('alert')
      .filter({ hasText: 'while the switch “Extensions may clock and manage absences” is off' });
    await alert.getByRole('link', { name: 'To the switch in Access for people' }).waitFor();
    expect(await page.getByText('switched off in this installation').count()).toBe(0);
    await page.reload();
    await page
      .getByRole('note')
      .filter({ hasText: 'while the switch “Extensions may clock and manage absences” is off' })
      .waitFor();
    expect([
      await checkbox.isDisabled(),
      await page.getByRole('checkbox', { name: 'See people' }).isDisabled(),
    ]).toEqual([true, false]);
    expect(await faultsOf(rhea, 'extension-new-writes-off')).toEqual([]);
    await page.getByRole('link', { name: 'To the switch in Access for people' }).click();
    await page.getByRole('heading', { name: 'Access for people' }).waitFor();
  });

  it('the audit log is filtered, the address keeps the filter, and the log is saved as a file', async () => {
    await turnAccess({ writes: false });
    await addApp(world, 'Ledger');
    await world.service.store.write({ actor: { kind: 'person', id: String(root) }, at: world.now() }, (write) =>
      recordExtension(
        write,
        { name: 'Board', mode: 'api', acting: 'personal_link', scopes: ['read:users'] },
        world.randomBytes,
      ),
    );
    const rhea = await chromium.person({ signedIn: root });
    const { page } = rhea;
    await rhea.go('/admin/audit');
    await page.getByLabel('From').fill('20/11/2026');
    await page.getByLabel('From').blur();
    await page.getByLabel('To', { exact: true }).fill('19/11/2026');
    await page.getByLabel('To', { exact: true }).blur();
    await page.getByText('The last day is before the first.').waitFor();
    await page.getByLabel('To', { exact: true }).fill('24/11/2026');
    await page.getByLabel('To', { exact: true }).blur();
    await page.getByRole('cell', { name: 'switched access for people' }).first().waitFor();
    await page
      .getByRole('button', { name: /^Details of entry/ })
      .first()
      .click();
    await page.getByTitle(/^(hmac-)?sha256:[0-9a-f]{64}$/).waitFor();
    expect(await page.locator('.audit-time').first().textContent()).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(await faultsOf(rhea, 'audit')).toEqual([]);
    await page.getByLabel('Action').selectOption({ label: 'Extensions' });
    await page.getByLabel('Done by').fill('Rhea');
    await page.locator('.person-choices').getByRole('button', { name: /^Rhea/ }).click();
    await page.getByRole('button', { name: 'Done by Rhea Root: Remove' }).waitFor();
    await page.getByRole('cell', { name: 'switched access for people' }).first().waitFor({ state: 'detached' });
    await page
      .getByRole('cell', { name: /added an extension/ })
      .first()
      .waitFor();
    expect(new URL(page.url()).searchParams.get('actor')).toBe(String(root));
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('audit-log-2026-11-20-2026-11-24.jsonl');
    const lines = readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { action: string; actor: { id: string } });
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.every((line) => line.action.startsWith('extension.') && line.actor.id === String(root))).toBe(true);
    await page.getByRole('button', { name: 'Done by Rhea Root: Remove' }).click();
    await page.getByLabel('Concerns').fill('Ada');
    await page.locator('.person-choices').getByRole('button', { name: /^Ada/ }).click();
    await page.getByText('No entries match these filters.').waitFor();
    // Back returns to the filters before, and a copied address shows the same entries.
    await page.goBack();
    await page.goBack();
    const entry = page.getByRole('cell', { name: /added an extension/ }).first();
    await entry.waitFor();
    await page.getByRole('button', { name: 'Done by Rhea Root: Remove' }).waitFor();
    await page.reload();
    await entry.waitFor();
  });

  it('the error page has the look of the application, in the language of the browser', async () => {
    for (const [locale, missingTitle, refusalTitle] of [
      ['de-DE', 'Diese Seite gibt es nicht', 'Diese App kann nicht verknüpft werden'],
      ['en-GB', 'There is no such page', 'This app cannot be linked'],
    ] as const) {
      const visitor = await chromium.person({ locale });
      const { page } = visitor;
      const readStyles = () =>
        page.evaluate(
          '[document.body, document.querySelector(".sheet"), document.querySelector("h1")].map((element) => [getComputedStyle(element).fontFamily.split(",")[0], getComputedStyle(element).backgroundColor, getComputedStyle(element).fontSize])',
        );
      await visitor.go('/');
      await page.getByRole('heading', { level: 1 }).waitFor();
      const applicationStyles = await readStyles();
      for (const [path, status, title, name] of [
        ['/nothing', 404, missingTitle, 'no-such-page'],
        ['/oauth/authorize?client_id=cli_Nobody', 400, refusalTitle, 'oauth-refusal'],
      ] as const) {
        expect((await page.goto(path))?.status()).toBe(status);
        await page.getByRole('heading', { name: title }).waitFor();
        expect(await readStyles()).toEqual(applicationStyles);
        expect(await page.getByRole('banner').getByText('Clockproof').isVisible()).toBe(true);
        expect(await faultsOfPlain(visitor, `${name}-${locale.slice(0, 2)}`)).toEqual([]);
      }
    }
  });

  it('the page says in words that an address does not exist, also with a mistyped id', async () => {
    const rhea = await chromium.person({ signedIn: root });
    const { page } = rhea;
    for (const [path, title] of [
      ['/admin/extensions/ext_Nobody', 'There is no such extension'],
      ['/admin/extensions/schichtplan', 'There is no such extension'],
      ['/admin/terminals/trm_Nobody', 'There is no such terminal'],
      ['/admin/terminals/hall%202', 'There is no such terminal'],
      ['/company/people/424242', 'There is no such person'],
      ['/company/people/0', 'There is no such person'],
      ['/company/people/mia', 'There is no such person'],
    ] as const) {
      await rhea.go(path);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      expect(await page.getByRole('main').getByRole('alert').count()).toBe(0);
    }
  });

  it('the page keeps a half-filled form while the person signs in again', async () => {
    const rhea = await chromium.person({ signedIn: root });
    const { page } = rhea;
    await rhea.go('/admin/extensions/new');
    await page.getByLabel('Name', { exact: true }).fill('Half done');
    await page.getByRole('checkbox', { name: 'See people' }).check();
    await world.db.write((tx) => tx.run('DELETE FROM sessions WHERE person_id = :root', { root }));
    await page.getByRole('button', { name: 'Create extension' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('checkbox', { name: 'See people' }).isVisible()).toBe(false);
    expect(await page.title()).toBe('Sign in – Clockproof');
    world.advance(minute);
    await page.getByLabel('E-mail address').fill('rhea@clockproof.example');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Code from your authenticator app').fill(codeOf(root, world.now()));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'New extension' }).waitFor();
    expect([
      await page.title(),
      await page.getByLabel('Name', { exact: true }).inputValue(),
      await page.getByRole('checkbox', { name: 'See people' }).isChecked(),
      await page.getByRole('alert').count(),
    ]).toEqual(['New extension – Clockproof', 'Half done', true, 0]);
    await page.getByRole('button', { name: 'Create extension' }).click();
    await page.getByText('Half done was created.').waitFor();
  });

  it('a form discloses no earlier input to another person who signs in', async () => {
    const rhea = await chromium.person({ signedIn: root });
    const { page } = rhea;
    await rhea.go('/admin/audit');
    // The field searches while somebody types, and the session shall not be found ended by that.
    const searchAnswer = page.waitForResponse((response) => response.url().includes('secret'));
    await page.getByLabel('Done by').fill('secret of Rhea');
    await searchAnswer;
    await world.db.write((tx) => tx.run('DELETE FROM sessions WHERE person_id = :root', { root }));
    await page.getByLabel('Action').selectOption({ label: 'Extensions' });
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    world.advance(minute);
    await page.getByLabel('E-mail address').fill('ada@clockproof.example');
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Code from your authenticator app').fill(codeOf(world.people.ada, world.now()));
    await page.getByRole('button', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'This page is not for you' }).waitFor();
    expect(await page.locator('input').count()).toBe(0);
  });

  it('the pages isolate names, so that none turns the text around it', async () => {
    const reversedName = '\u202Etoor';
    const person = await addUser(world, 'Turned', { role: 'super_admin', lastName: reversedName });
    const app = await addApp(world, `App ${reversedName}`);
    await link(world, app, person, ['write:clock'], await signIn(world, person, createBrowser(world.url)));
    await world.service.store.write({ actor: { kind: 'person', id: String(person) }, at: world.now() }, (write) =>
      switchPeopleAccess(write, { terminals: false }),
    );
    const user = await chromium.person({ signedIn: person });
    const { page } = user;
    for (const path of [
      '/profile',
      '/profile/linked-apps',
      '/admin/extensions',
      `/admin/extensions/${app.id}?tab=links`,
      '/admin/access',
      '/admin/audit?from=2026-11-20&to=2026-11-30',
    ]) {
      await user.go(path);
      await page.locator('main bdi', { hasText: reversedName }).first().waitFor();
      await settle(page);
      const report = await page.evaluate(`(() => {
        const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        const bareTexts = [];
        let count = 0;
        while (walker.nextNode()) {
          if (!walker.currentNode.data.includes('\\u202E')) continue;
          count += 1;
          if (walker.currentNode.parentElement.closest('bdi, option') === null) bareTexts.push(walker.currentNode.data);
        }
        return { isPresent: count > 0, bareTexts };
      })()`);
      expect([path, report]).toEqual([path, { isPresent: true, bareTexts: [] }]);
    }
  });

  it('the admin pages are closed to people without the role, at every address', async () => {
    const ben = await chromium.person({ signedIn: world.people.ben });
    for (const path of ['/admin/extensions', '/admin/access', '/admin/audit']) {
      await ben.go(path);
      await ben.page.getByText('It belongs to a role that you do not hold.').waitFor();
      expect(
        await ben.page
          .getByRole('navigation')
          .getByRole('link', { name: /Extensions|Access|Audit/ })
          .count(),
      ).toBe(0);
    }
    expect(await faultsOf(ben, 'may-not')).toEqual([]);
  });
});

describeInBrowser('an installation without extensions, in a browser', () => {
  it('an installation without extensions has no pages for them, and says why its switches are fixed', async () => {
    const world = await createWorld('sqlite', { pages: true, env: { EXTENSIONS_ENABLED: 'false' } });
    const root = await addUser(world, 'Rhea', { role: 'super_admin', lastName: 'Root' });
    const chromium = await startChromium(() => world);
    try {
      const rhea = await chromium.person({ signedIn: root });
      const { page } = rhea;
      expect((await page.goto('/admin/extensions'))?.status()).toBe(404);
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
      await page.getByRole('link', { name: 'To the start page' }).click();
      await page.getByRole('heading', { name: 'Hello Rhea' }).waitFor();
      for (const name of ['Extensions', 'Linked apps'])
        expect(await page.getByRole('link', { name, exact: true }).count()).toBe(0);
      await page.getByRole('navigation').getByRole('link', { name: 'Access for people' }).click();
      await page.getByText('Extensions are switched off in this installation').waitFor();
      expect(await page.getByRole('switch', { name: 'Personal links' }).isDisabled()).toBe(true);
      expect(await page.getByRole('switch', { name: 'Time clock terminals' }).isDisabled()).toBe(false);
      expect(await faultsOf(rhea, 'access-without-extensions')).toEqual([]);
      for (const path of ['/link?request=cns_Whatever', '/link', '/profile/linked-apps']) {
        await rhea.go(path);
        await page.getByRole('heading', { name: 'Linking apps is switched off' }).waitFor();
      }
      expect(await faultsOf(rhea, 'linking-switched-off')).toEqual([]);
      expect(await chromium.leave()).toEqual([]);
    } finally {
      await chromium.close();
      await world.close();
    }
  });
});
