/** A terminal and a badge from the first click to the last: as `docs/guides/set-up-an-entrance.md` tells it. */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { deviceKey, doorOf, newCard, pair } from '../door.js';
import { createWorld, type World } from '../world.js';
import { type Chromium, describeInBrowser, faultsOf, startChromium } from './chromium.js';
import { addUser, giveFactors } from './people.js';

describeInBrowser('An entrance, in a browser', () => {
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

  it('an entrance is added and paired, and issues a badge that stamps until it is blocked', async () => {
    const alma = await chromium.person({ signedIn: admin });
    let { page } = alma;
    await alma.go('/admin/terminals');
    await page.getByText('No terminal yet.').waitFor();
    await page.getByRole('link', { name: 'Add terminal' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Hall 3');
    await page.getByLabel('Location').fill('Hamburg, Billstraße 14');
    // Off unless switched on.
    await page.getByLabel('Issue badges here').check();
    expect(await faultsOf(alma, 'terminal-new')).toEqual([]);
    await page.getByRole('button', { name: 'Add and show the code' }).click();

    // The device sends the code, and shows the fingerprint of its key.
    const code = await page.getByLabel('Type the code on the device').innerText();
    expect(await faultsOf(alma, 'terminal-code')).toEqual([]);
    const id = page.url().split('/').at(-1)!;
    const { body } = await pair(world, code, deviceKey('hall 3').publicKey);
    const fingerprint = (body['fingerprint'] as string).replaceAll('-', '');
    // The page follows by itself.
    const fingerprintField = page.getByLabel('On this page');
    await fingerprintField.waitFor();
    expect((await fingerprintField.innerText()).replaceAll(/\s/g, '')).toBe(fingerprint);
    expect(await faultsOf(alma, 'terminal-fingerprint')).toEqual([]);
    await page.getByRole('button', { name: 'All four match, confirm' }).click();
    await page.getByText('Offline', { exact: true }).waitFor();
    // What was pressed is gone: the keyboard goes on at the next step, here and in the dialog.
    const waitForFocus = (name: string) => page.locator('button:focus', { hasText: name }).waitFor();
    await waitForFocus('Issue badge');
    const door = doorOf(world, id, 'hall 3');
    const facts = 'agent_version=1.2.0&reader=ACS%20ACR1252&reader_state=ready&clock_offset_ms=412&offline_waiting=0';
    expect((await door.send('GET', `/api/v1/terminal/status?${facts}`)).body['confirmed']).toBe(true);
    await page.getByText('Online', { exact: true }).waitFor();
    await page.getByText('+0.4 sec').waitFor();
    const slowClockFacts = facts.replace('clock_offset_ms=412', 'clock_offset_ms=-7200000');
    await door.send('GET', `/api/v1/terminal/status?${slowClockFacts}`);
    await page.getByText('Clock is wrong', { exact: true }).waitFor();
    await page.getByText('2 h behind').waitFor();
    expect(await faultsOf(alma, 'terminal-clock-wrong')).toEqual([]);
    await door.send('GET', `/api/v1/terminal/status?${facts}`);
    await page.getByText('Online', { exact: true }).waitFor();
    expect(await faultsOf(alma, 'terminal')).toEqual([]);

    await page.getByRole('button', { name: 'Issue badge' }).click();
    const dialog = page.getByRole('dialog', { name: 'Issue badge' });
    await dialog.getByLabel('For whom').fill('ada');
    await dialog.getByRole('button', { name: /Ada Lang/ }).click();
    await waitForFocus('Start');
    await page.keyboard.press('Enter');
    await dialog.getByText('For Ada Lang, at Hall 3').waitFor();
    await waitForFocus('Cancel');
    await dialog.getByRole('timer').waitFor();
    // A phone first: the admin reads what to do, and the two minutes go on.
    expect((await door.send('POST', '/api/v1/terminal/card', { uid: '08a1b2c3' })).status).toBe(422);
    await dialog.getByText('This card cannot be a badge').waitFor();
    expect(await faultsOf(alma, 'badge-refused')).toEqual([]);
    const card = newCard('04c1c2c3c4c5c6');
    expect((await door.hold(card)).body).toMatchObject({ result: 'issued' });
    await dialog.getByText('The badge is ready (MIFARE DESFire).').waitFor();
    await waitForFocus('Close');
    expect(await dialog.getByRole('timer').count()).toBe(0);
    expect(await faultsOf(alma, 'badge-issued')).toEqual([]);
    await dialog.getByRole('button', { name: 'Close' }).last().click();

    const proof = await door.hold(card);
    const stamp = { session: proof.body['session'], action: 'in' };
    expect((await door.send('POST', '/api/v1/terminal/stamp', stamp)).body).toMatchObject({ state: 'in' });

    await page.getByRole('link', { name: 'Badges', exact: true }).click();
    await page.getByRole('cell', { name: 'Ada Lang', exact: true }).waitFor();
    expect(await faultsOf(alma, 'badges')).toEqual([]);
    await page.getByRole('button', { name: 'Block: Ada Lang' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Block', exact: true }).click();
    await page.getByText('The badge of Ada Lang is blocked.').waitFor();
    expect((await door.hold(card)).body['code']).toBe('card_refused');
    await page.getByLabel('State').selectOption({ label: 'Blocked' });
    await page.getByText('by Alma Admin').waitFor();
    await page.getByRole('button', { name: 'Unblock: Ada Lang' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Unblock', exact: true }).click();
    await page.getByText('No badge matches.').waitFor();
    expect((await door.hold(card)).body).toMatchObject({ result: 'proved' });
    // The card key is replaced: the badge has an earlier one until it is held to the reader again.
    await page.getByRole('link', { name: 'Card keys' }).click();
    await page.getByText('All badges have keys of this version.').waitFor();
    expect(await faultsOf(alma, 'card-keys')).toEqual([]);
    await page.getByRole('button', { name: 'Replace card key …' }).click();
    await page.getByRole('dialog').getByText('A badge taken away too early works all the same').waitFor();
    expect(await faultsOf(alma, 'card-keys-rotation')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Replace card key' }).click();
    await page.getByText('1 of 1 badges still have keys of an earlier version.').waitFor();
    expect((await door.hold(card)).body).toMatchObject({ result: 'proved' });
    await page.getByText('All badges have keys of this version.').waitFor();
    await page.getByRole('button', { name: 'End all badges …' }).click();
    expect(await faultsOf(alma, 'card-keys-known')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Lock cards …' }).click();
    expect(await faultsOf(alma, 'card-keys-lock')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Lock cards' }).click();
    await page.getByText('Cards are locked when they are issued.').waitFor();
    await page.getByRole('link', { name: 'Terminals', exact: true }).click();
    await page.getByRole('link', { name: 'Hall 3' }).waitFor();
    expect(await faultsOf(alma, 'terminals')).toEqual([]);
    await world.db.write((tx) => tx.run('UPDATE terminals SET key_copied_at = :at', { at: world.now() }));
    await page.getByRole('link', { name: 'Hall 3' }).click();
    await page.getByText('Two devices use the key of this terminal').waitFor();
    expect(await faultsOf(alma, 'terminal-copied')).toEqual([]);
    await world.db.write((tx) => tx.run('UPDATE terminals SET key_copied_at = NULL'));

    // Ada sets her PIN, and blocks the card herself.
    const ada = await chromium.person({ signedIn: world.people.ada });
    page = ada.page;
    await ada.go('/profile/badges');
    await page.getByText('You have no PIN.').waitFor();
    await page.getByLabel('New PIN', { exact: true }).fill('406318');
    await page.getByLabel('New PIN again').fill('406318');
    await page.getByRole('button', { name: 'Set PIN' }).click();
    await page.getByText('Your PIN is set.').waitFor();
    expect(await faultsOf(ada, 'my-badges')).toEqual([]);
    await page.getByRole('button', { name: 'Block this badge' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Block now' }).click();
    await page.getByText('The badge is blocked.').waitFor();
    expect((await door.hold(card)).body['code']).toBe('card_refused');
  });
});
