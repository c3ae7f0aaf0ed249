/** The documentation as people use it, under its page policy: search, tabs, colours, and requests from the reference. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { baseUrl } from '../browser.js';
import { createWorld, type World } from '../world.js';
import { type Chromium, describeInBrowser, faultsOfPlain, startChromium } from './chromium.js';

const repository = fileURLToPath(new URL('../../../', import.meta.url));

describeInBrowser('The documentation, in a browser', () => {
  let world: World;
  let chromium: Chromium;
  beforeAll(async () => {
    if (!existsSync(join(repository, 'dist/docs/policy.json')))
      execFileSync('npx', ['vitepress', 'build', 'docs'], { cwd: repository });
    chromium = await startChromium(() => world);
    world = await createWorld('sqlite', { documented: true, env: { BASE_URL: baseUrl } });
  });
  afterEach(async () => {
    expect(await chromium.leave()).toEqual([]);
  });
  afterAll(async () => {
    await chromium.close();
    await world.close();
  });

  it('the documentation finds a page by its words and shows one language of a sample', async () => {
    const { page, go } = await chromium.person();
    await go('/docs/');
    await page.getByRole('button', { name: 'Search' }).first().click();
    await page.getByRole('searchbox').fill('keep a copy');
    await page.locator('.result', { hasText: 'Synchronisation' }).first().click();
    await page.getByRole('heading', { name: 'Synchronisation', level: 1 }).waitFor();
    const python = page.getByText('import urllib.request').first();
    expect(await python.isVisible()).toBe(false);
    await page.getByText('Python', { exact: true }).first().click();
    await python.waitFor();
  });

  it.each(['light', 'dark'] as const)('the docs are accessible on phone and desk in %s', async (colorScheme) => {
    const person = await chromium.person();
    await person.page.emulateMedia({ colorScheme });
    const faults: string[] = [];
    for (const path of ['', 'guides/absences.html', 'guides/synchronisation.html', 'reference/errors.html']) {
      await person.go(`/docs/${path}`);
      faults.push(...(await faultsOfPlain(person, `docs-${path.replace(/\W/g, '-')}-${colorScheme}`)));
    }
    // The name of the button for the search leaves its shortcut out, which stands beside the word.
    expect(faults.filter((fault) => !fault.includes('label-content-name-mismatch'))).toEqual([]);
  });

  it('the reference sends requests with the key of an extension', async () => {
    const { page, go } = await chromium.person();
    await go('/docs/reference/api.html');
    const readFocus = () => page.evaluate<string>('document.activeElement.innerText || document.activeElement.id');
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.locator('#auth-bearer-value:focus').fill(world.planner.key);
    await page.keyboard.press('Enter');
    await page.getByText('Authorized', { exact: true }).waitFor();
    expect(await readFocus()).toBe('Close');
    await page.keyboard.press('Enter');
    await page.locator('.modal-ux').waitFor({ state: 'detached' });
    expect(await readFocus()).toBe('Authorize');

    const send = async (path: string, body?: object) => {
      const operation = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) }).first();
      await operation.locator('.opblock-summary-control').first().click();
      if (body !== undefined) await operation.getByRole('textbox').last().fill(JSON.stringify(body));
      await operation.getByRole('button', { name: 'Execute' }).click();
      return operation.locator('.live-responses-table .response-col_status').last().innerText();
    };
    // As it is opened: no example of an optional parameter is sent.
    expect(await send('/api/v1/users')).toBe('200');
    expect(await send('/api/v1/clock/in', { user_id: world.people.ada })).toBe('200');
  });

  it('the reference shows the example of the contract at each answer of an operation', async () => {
    const { page, go } = await chromium.person();
    await go('/docs/reference/api.html');
    const operation = page.locator('.opblock', { has: page.locator('[data-path="/api/v1/clock/in"]') }).first();
    await operation.locator('.opblock-summary-control').first().click();
    const readExample = async (status: string) =>
      JSON.parse(
        await operation
          .locator(`tr.response[data-code="${status}"] .example code, tr.response[data-code="${status}"] pre`)
          .first()
          .innerText(),
      ) as object;
    expect(await readExample('200')).toMatchObject({ clock_state: { state: 'in' }, time_entry: { status: 'open' } });
    expect(await readExample('400')).toMatchObject({ code: 'invalid_request' });
    expect(await readExample('401')).toMatchObject({ code: 'unauthorized' });
    expect(await readExample('404')).toMatchObject({ code: 'not_found' });
    await page.evaluate("location.hash = '#/Clock/clockOut'");
    await page.locator('#operations-Clock-clockOut.is-open').waitFor();
  });

  it('the reference shows the sample of an operation in the last chosen language', async () => {
    const { page, go } = await chromium.person();
    await go('/docs/reference/api.html');
    const open = async (path: string) => {
      const operation = page.locator('.opblock', { has: page.locator(`[data-path="${path}"]`) }).first();
      await operation.locator('.opblock-summary-control').first().click();
      return operation;
    };
    const clockIn = await open('/api/v1/clock/in');
    await clockIn.getByText('curl --fail-with-body').waitFor();
    await clockIn.getByRole('button', { name: 'Python', pressed: false }).click();
    await clockIn.getByText('urllib.request.urlopen').waitFor();
    const users = await open('/api/v1/users');
    await users.getByRole('button', { name: 'Python', pressed: true }).waitFor();
    await users.getByText('urllib.request.urlopen').waitFor();
    const stamp = await open('/api/v1/terminal/stamp');
    const guide = stamp.getByRole('link', { name: 'Read the guide' });
    expect(await guide.getAttribute('href')).toBe('/docs/guides/build-a-terminal.html');
  });

  it('the reference introduces the API in whole sentences', async () => {
    const { page, go } = await chromium.person();
    await go('/docs/reference/api.html');
    await page.getByText('and the end of the year 2199. A body has at most 256 KiB').waitFor();
  });

  it('the documentation says when the reference cannot be loaded', async () => {
    const { page, go } = await chromium.person();
    await page.route('**/docs/reference/api.json', (route) =>
      route.fulfill({ status: 503, json: { code: 'unavailable' } }),
    );
    await go('/docs/reference/api.html');
    await page.getByRole('alert').getByText('The reference could not be loaded.').waitFor();
  });
});
