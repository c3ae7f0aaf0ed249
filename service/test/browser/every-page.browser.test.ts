/**
 * Every page as each role sees it, in all widths, languages and colours: nothing wider than the screen, and nothing that
 * axe-core finds, in one width for each language and colours. What people do on a page is looked at in the test of their task.
 */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { type PagePath, pagePaths } from '../../src/http/page-paths.js';
import { sendStamp } from '../builders.js';
import { createTwoCompanies, type TwoCompanies } from '../two-companies.js';
import { createWorld, type World } from '../world.js';
import { type Chromium, describeInBrowser, faultsInAllWidths, settle, startChromium } from './chromium.js';
import { giveFactors } from './people.js';

/** Pages for people who have not signed in, or come with a link: the tests of signing in and of linking look at them. */
const excludedPaths: readonly PagePath[] = [
  '/set-up',
  '/sign-in',
  '/sign-in/company',
  '/sign-in/company/:id',
  '/invitation',
  '/reset-password',
  '/proofs',
  '/link',
];

const refusalTitles = ['This page is not for you', 'Diese Seite ist nicht für Sie'];

/** In the page. Pages for everyone have no navigation. */
const hiddenNavigation = `(() => {
  const navigation = document.querySelector('#navigation');
  return navigation === null ? 0 : navigation.scrollHeight - navigation.clientHeight;
})()`;

describeInBrowser('Every page, in a browser', () => {
  let world: World;
  let companies: TwoCompanies;
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium(() => world);
    world = await createWorld('sqlite', { pages: true });
    companies = await createTwoCompanies(world);
    const { employee, approver, admin } = companies.alba;
    await giveFactors(world, [employee, approver, admin]);
    await addLongName();
  });
  afterAll(async () => {
    await chromium.close();
    await world.close();
  });

  /** As long as names may be, without a place to break, at work in the department of Alba. */
  const addLongName = async () => {
    const { alba, root } = companies;
    const names = { first_name: 'A'.repeat(100), last_name: 'B'.repeat(100), email: 'long@clockproof.example' };
    const employment = { company_id: alba.company, department_id: alba.department, employment_start: '2026-01-01' };
    const firstAnswer = await root.call('POST', '/app/admin/people', {
      body: { ...names, ...employment, language: 'en' },
    });
    const person = (firstAnswer.body as { person?: { id: number }; id?: number }).id;
    await sendStamp(world, 'in', person, alba);
    // And one who is out.
    const secondNames = { ...names, last_name: 'C'.repeat(100), email: 'long.out@clockproof.example' };
    const secondAnswer = await root.call('POST', '/app/admin/people', {
      body: { ...secondNames, ...employment, language: 'en' },
    });
    expect(secondAnswer.status).toBe(201);
  };
  const findSuperAdmin = async () =>
    (await world.db.get<{ id: number }>("SELECT id FROM people WHERE email = 'rhea@clockproof.example'"))!.id;
  const addressOf = (path: PagePath) =>
    path
      .replace('/people/:id', `/people/${companies.alba.employee}`)
      .replace('/terminals/:id', `/terminals/${companies.alba.terminal}`)
      .replace('/extensions/:id', `/extensions/${companies.alba.extension}`);

  afterEach(async () => {
    expect(await chromium.leave()).toEqual([]);
  });

  const germanInLight = ['de', 'light'] as const;
  const germanInDark = ['de', 'dark'] as const;
  const englishInLight = ['en', 'light'] as const;
  const englishInDark = ['en', 'dark'] as const;
  // Each page is seen in every way, by the roles together: what differs between them is the navigation.
  const cases = [
    { area: 'person', role: 'employee', dresses: [germanInLight] },
    { area: 'person', role: 'approver', dresses: [germanInDark] },
    { area: 'person', role: 'admin', dresses: [englishInLight] },
    { area: 'person', role: 'super admin', dresses: [englishInDark] },
    { area: 'team', role: 'employee', dresses: [germanInLight] },
    { area: 'team', role: 'approver', dresses: [germanInLight, englishInDark] },
    { area: 'team', role: 'admin', dresses: [germanInDark] },
    { area: 'team', role: 'super admin', dresses: [englishInLight] },
    { area: 'company', role: 'employee', dresses: [englishInDark] },
    { area: 'company', role: 'approver', dresses: [germanInDark] },
    { area: 'company', role: 'admin', dresses: [germanInLight, englishInDark] },
    { area: 'company', role: 'super admin', dresses: [germanInDark, englishInLight] },
    { area: 'admin', role: 'employee', dresses: [englishInLight] },
    { area: 'admin', role: 'approver', dresses: [englishInDark] },
    { area: 'admin', role: 'admin', dresses: [germanInLight, englishInDark] },
    { area: 'admin', role: 'super admin', dresses: [germanInDark, englishInLight] },
  ] as const;
  const areaOf = (path: PagePath) => /^\/(team|company|admin)\//.exec(path)?.[1] ?? 'person';
  it.each(cases)('no page has a fault for the role $role in the area $area', async ({ role, dresses, area }) => {
    const person = await chromium.person({
      signedIn: role === 'super admin' ? await findSuperAdmin() : companies.alba[role],
    });
    const { page } = person;
    await person.go('/');
    await page.locator('#navigation').waitFor();
    const faults: string[] = [];
    let refusals = 0;
    for (const path of pagePaths) {
      if (areaOf(path) !== area || excludedPaths.includes(path)) continue;
      await person.follow(addressOf(path));
      await settle(page);
      const title = await page.getByRole('heading', { level: 1 }).innerText();
      expect(title).not.toBe('There is no such page');
      // The same page for each: looked at once.
      if (refusalTitles.includes(title) && refusals++ > 0) continue;
      const name = `${role}${path.replaceAll(/[/:]+/g, '-')}`;
      faults.push(...(await faultsInAllWidths(person, name, dresses)));
      // The navigation folds when the size of the screen changes.
      await page.setViewportSize({ width: 1280, height: 720 });
      await page.setViewportSize({ width: 1280, height: 800 });
      await settle(page);
      const hiddenPixels = await page.evaluate<number>(hiddenNavigation);
      if (hiddenPixels > 0) faults.push(`${name}: ${hiddenPixels} pixels of the navigation do not fit`);
    }
    expect(faults).toEqual([]);
    expect(refusals > 0).toBe(isClosed(role, area));
  });
});

/** Whether some pages of an area are not for the role. */
function isClosed(role: string, area: string): boolean {
  if (role === 'super admin' || area === 'person') return false;
  return area !== 'team' || role === 'employee';
}
