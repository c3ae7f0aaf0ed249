/** Offline stamps that could not become an entry: their person sees them, and an admin decides about them. */
import { formatInstant, hour, minute } from '@clockproof/platform/time/instant';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { issueBadge, openDoor } from '../door.js';
import { createWorld, type World } from '../world.js';
import { type Chromium, describeInBrowser, faultsOf, startChromium } from './chromium.js';
import { addUser, giveFactors } from './people.js';

describeInBrowser('Unresolved stamps, in a browser', () => {
  let world: World;
  let chromium: Chromium;
  let admin: number;
  beforeAll(async () => {
    chromium = await startChromium(() => world);
    world = await createWorld('sqlite', { pages: true });
    admin = await addUser(world, 'Alma', { role: 'company_admin', lastName: 'Admin' });
    await giveFactors(world, [world.people.ada]);
  });
  afterEach(async () => {
    expect(await chromium.leave()).toEqual([]);
  });
  afterAll(async () => {
    await chromium.close();
    await world.close();
  });

  it('the start page counts no stamp before its approval', async () => {
    const door = await openDoor(world, 'yard');
    const card = await issueBadge(world, door, world.people.ada, '04c1c2c3c4c5c8');
    const begin = world.now();
    world.advance(hour);
    const stamps = [
      { number: 1, uid: card.uidHex, action: 'in', at: formatInstant(begin + minute) },
      { number: 2, uid: card.uidHex, action: 'out', at: formatInstant(begin + 31 * minute) },
    ];
    expect((await door.send('POST', '/api/v1/terminal/offline', { stamps })).body).toMatchObject({
      results: [{ result: 'accepted' }, { result: 'accepted' }],
    });
    const ada = await chromium.person({ signedIn: world.people.ada });
    await ada.go('/');
    await ada.page.getByText('Not clocked in').first().waitFor();
    expect(await ada.page.getByRole('timer').textContent()).toBe('0:00:00');
    expect(await ada.page.locator('.stamps-of-today').count()).toBe(0);
  });

  it('an unresolved stamp is visible to its person, and an admin takes, assigns or rejects it', async () => {
    const door = await openDoor(world, 'hall');
    const card = await issueBadge(world, door, world.people.ada, '04c1c2c3c4c5c7');
    world.advance(80 * hour);
    const start = world.now() - 76 * hour;
    const stamp = (number: number, action: string, at: number, uid = card.uidHex) => ({
      ...{ number, uid, action },
      at: formatInstant(at),
    });
    const stamps = [
      stamp(1, 'in', start),
      stamp(2, 'out', start + hour),
      stamp(3, 'in', world.now() - hour, '04ffffffffffff'),
      stamp(4, 'out', world.now() - minute, '04eeeeeeeeeeee'),
      { number: 5, sealed: Buffer.alloc(80, 7).toString('base64') },
    ];
    expect((await door.send('POST', '/api/v1/terminal/offline', { stamps })).status).toBe(200);

    const ada = await chromium.person({ signedIn: world.people.ada });
    await ada.go('/');
    await ada.page.getByRole('region', { name: 'Stamps that are not recorded' }).waitFor();
    expect(await faultsOf(ada, 'today-unresolved')).toEqual([]);
    await ada.go('/notices');
    await ada.page.getByRole('heading', { name: 'A stamp of yours is not recorded yet' }).waitFor();
    expect(await faultsOf(ada, 'notice-unresolved')).toEqual([]);

    const alma = await chromium.person({ signedIn: admin });
    const { page } = alma;
    await alma.go('/notices');
    await page.getByRole('link', { name: 'Unresolved stamps' }).first().click();
    await page.getByText('Arrived more than 72 hours late').first().waitFor();
    expect(await page.getByRole('listitem').filter({ hasText: 'Gate' }).count()).toBe(5);
    expect(await faultsOf(alma, 'unresolved-stamps')).toEqual([]);
    await page.getByRole('button', { name: 'Take', exact: true }).first().click();
    const items = page.getByRole('listitem').filter({ hasText: 'Gate' });
    await items.nth(3).waitFor();
    await items.nth(4).waitFor({ state: 'detached' });

    await items.filter({ hasText: 'Card' }).first().getByRole('button', { name: 'Give to …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Whose stamp is it?' });
    await dialog.getByLabel('Person').fill('ada');
    await dialog.getByRole('button', { name: /Ada Lang/ }).click();
    expect(await faultsOf(alma, 'unresolved-give')).toEqual([]);
    await dialog.getByRole('button', { name: 'Give', exact: true }).click();
    await items.nth(3).waitFor({ state: 'detached' });

    await page.getByLabel('Select all').check();
    await page.getByRole('button', { name: 'Reject 3 stamps' }).click();
    await page.getByRole('dialog').getByLabel('Comment').fill('Nobody was here');
    await page.getByRole('dialog').getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByText('No stamp is unresolved.').waitFor();
    await page.getByRole('button', { name: 'Decided' }).click();
    await page.getByText('Became a stamp of Ada Lang.').first().waitFor();
    expect(await faultsOf(alma, 'unresolved-decided')).toEqual([]);

    await ada.go('/time/corrections');
    await ada.page.getByText('Nobody was here').first().waitFor();
    expect(await faultsOf(ada, 'corrections-unresolved')).toEqual([]);
  });
});
