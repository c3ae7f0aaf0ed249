/** Pages that follow changes: what they ask for by themselves, and when they do not. */
import { expect, it } from '@jest/globals';
import { createBrowser, signIn } from '../browser.js';
import { describeInBrowser, useChromium } from './chromium.js';
import { addUser, giveFactors } from './people.js';

describeInBrowser('an open page, in a browser', () => {
  const stage = useChromium((world) => giveFactors(world, [world.people.ada]));

  /** Changes the list that the page shows. */
  const signInElsewhere = () => signIn(stage.world, stage.world.people.ada, createBrowser(stage.world.url));

  it('an open page asks for nothing while idle, and for changes with the first input', async () => {
    const ada = await stage.person({ signedIn: stage.world.people.ada });
    const { page } = ada;
    await page.clock.install();
    await ada.go('/profile/sessions');
    await page.getByText('this one', { exact: true }).waitFor();
    // A second stream of the page hears what the first one has heard.
    await page.evaluate(`new Promise((resolve) => {
      const stream = new EventSource('/app/live');
      globalThis.liveChange = new Promise((tell) => stream.addEventListener('changed', tell, { once: true }));
      stream.onopen = resolve;
    })`);
    await page.clock.fastForward('06:00');
    const requestUrls: string[] = [];
    // The files of further pages are fetched ahead; only what is asked of the application prolongs a session.
    page.on('request', (request) => {
      if (!new URL(request.url()).pathname.startsWith('/assets/')) requestUrls.push(request.url());
    });
    await signInElsewhere();
    await page.evaluate('globalThis.liveChange.then(() => undefined)');
    expect(requestUrls).toEqual([]);
    const sessionsRequest = page.waitForRequest('**/app/sessions');
    await page.mouse.move(20, 20);
    await sessionsRequest;
  });

  it('the calendar shows an absent colleague once approved, until the company hides it', async () => {
    const { world } = stage;
    const [ole, boss] = [await addUser(world, 'Ole'), await addUser(world, 'Nora', { role: 'company_admin' })];
    await world.db.write((tx) =>
      tx.run('UPDATE people SET department_id = :office WHERE id = :ole', { office: world.office, ole }),
    );
    const admin = await signIn(world, boss, createBrowser(world.url));
    const { page, go } = await stage.person({ signedIn: world.people.ada });
    await go('/team/calendar?from=2026-12-14');
    await page.getByText('Nobody is away on these days.').waitFor();
    const body = { type: 'vacation', start_date: '2026-12-15', end_date: '2026-12-16' };
    const requester = await signIn(world, ole, createBrowser(world.url));
    expect((await requester.call('POST', '/app/me/absences', { body })).status).toBe(201);
    const [request] = (await admin.call('GET', '/app/approvals')).body['data'] as { id: string }[];
    expect((await admin.call('POST', `/app/approvals/${request!.id}/approve`, { body: {} })).status).toBe(200);
    await page.getByRole('rowheader', { name: 'Ole Test' }).waitFor();
    const setting = { body: { colleagues_see: 'nothing' } };
    expect((await admin.call('PATCH', `/app/admin/companies/${world.nord}`, setting)).status).toBe(200);
    await page.getByText('Your company does not show it to colleagues.').waitFor();
    expect(await page.getByText('Ole Test').count()).toBe(0);
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Calendar' }).count()).toBe(0);
  });

  it('an open page follows again after the service was away', async () => {
    const ada = await stage.person({ signedIn: stage.world.people.ada });
    const { page } = ada;
    let refusals = 0;
    await page.route('**/app/live', (route) =>
      refusals++ === 0 ? route.fulfill({ status: 503, body: '' }) : route.continue(),
    );
    await ada.go('/profile/sessions');
    await page.waitForResponse((response) => response.url().endsWith('/app/live') && response.status() === 200);
    const sessionsRequest = page.waitForRequest('**/app/sessions');
    await signInElsewhere();
    await sessionsRequest;
  });

  it('an open page says how old the presence list is until it follows', async () => {
    const boss = await addUser(stage.world, 'Nora', { role: 'company_admin' });
    await giveFactors(stage.world, [boss]);
    const nora = await stage.person({ signedIn: boss });
    let isAway = true;
    await nora.page.route('**/app/live', (route) =>
      isAway ? route.fulfill({ status: 503, body: '' }) : route.continue(),
    );
    await nora.go('/team/presence');
    await nora.page.getByText(/Last update \d\d:\d\d/).waitFor();
    isAway = false;
    await nora.page.getByText(/Live · \d\d:\d\d/).waitFor();
  });
});
