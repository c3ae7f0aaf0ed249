/** An admin's own page: what somebody else changes is not offered, and the page says who. */
import { expect, it } from '@jest/globals';
import { addSuperAdmin, signIn } from '../browser.js';
import { describeInBrowser, faultsOf, settle, useChromium } from './chromium.js';
import { addUser } from './people.js';

describeInBrowser('the own record of an admin, in a browser', () => {
  let eva: number;
  let max: number;
  let root: number;
  const stage = useChromium(async (world) => {
    root = await addSuperAdmin(world);
    eva = await addUser(world, 'Eva', { role: 'company_admin' });
    max = await addUser(world, 'Max', { role: 'company_admin' });
  });

  it('the page names who changes the own record, and has no form that would be refused', async () => {
    const admin = await stage.person({ signedIn: eva });
    const { page } = admin;
    const path = `/company/people/${eva}`;
    await admin.go(path);
    await page.getByRole('note').filter({ hasText: 'Ask Max Test.' }).waitFor();
    expect(await page.getByRole('button', { name: 'Deactivate' }).count()).toBe(0);
    expect(await page.getByLabel('First name').isDisabled()).toBe(false);
    expect(await page.getByLabel('Department').isDisabled()).toBe(true);
    expect(await faultsOf(admin, 'own-record-profile')).toEqual([]);
    for (const tab of ['hours', 'vacation', 'account', 'access']) {
      await admin.go(`${path}?tab=${tab}`);
      await page.getByRole('note').filter({ hasText: 'Ask Max Test.' }).waitFor();
      await settle(page);
      const buttons = page.getByRole('main').locator('form button[type="submit"]');
      for (const button of await buttons.all()) expect(await button.isDisabled()).toBe(true);
      expect(await faultsOf(admin, `own-record-${tab}`)).toEqual([]);
    }
    await admin.go(`/company/people/${max}?tab=account`);
    await page.getByRole('button', { name: 'Book', exact: true }).waitFor();
    expect(await page.getByRole('note').filter({ hasText: 'your own record' }).count()).toBe(0);
  });

  it('the only admin changes their own record once allowed, and everyone can read it', async () => {
    const { world } = stage;
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :max', { max }));
    const superAdmin = await signIn(world, root);
    const company = `/app/admin/companies/${world.nord}`;
    expect((await superAdmin.call('PATCH', company, { body: { one_admin: true } })).status).toBe(200);
    const admin = await stage.person({ signedIn: eva });
    const { page } = admin;
    await admin.go(`/company/people/${eva}?tab=account`);
    await page.getByRole('note').filter({ hasText: 'marked in the audit log' }).waitFor();
    await page.getByRole('form', { name: 'Book hours' }).getByLabel('Hours').fill('+10:00');
    await page.getByRole('form', { name: 'Book hours' }).getByLabel('Reason').fill('A journey');
    await page.getByRole('button', { name: 'Book', exact: true }).click();
    await page.getByText('A journey').first().waitFor();
    await admin.go('/company/rules');
    expect(await page.getByRole('switch', { name: 'The only admin may change' }).isDisabled()).toBe(true);
    expect(await faultsOf(admin, 'own-record-rules')).toEqual([]);
    await admin.go('/company/evaluations');
    await page
      .getByRole('region', { name: 'What admins changed about themselves' })
      .getByText('booked minutes')
      .waitFor();
    expect(await faultsOf(admin, 'own-record-shown')).toEqual([]);
  });
});
