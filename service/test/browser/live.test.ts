/** Pages that follow changes: what they ask for by themselves, and when they do not. */
import { expect, it } from '@jest/globals';
import { createBrowser, signIn } from '../browser.js';
import { describeInBrowser, useChromium } from './chromium.js';
import { giveFactors } from './people.js';

describeInBrowser('an open page, in a browser', () => {
  const at = useChromium((world) => giveFactors(world, [world.people.ada]));

  /** Changes the list that the page shows. */
  const signInElsewhere = () => signIn(at.world, at.world.people.ada, createBrowser(at.world.url));

  it('asks for nothing while nobody is there, and for what has changed with the first input', async () => {
    const ada = await at.person({ signedIn: at.world.people.ada });
    const { page } = ada;
    await page.clock.install();
    await ada.go('/profile/sessions');
    await page.getByText('this one', { exact: true }).waitFor();
    // A second stream of the page hears what the first one has heard.
    await page.evaluate(`new Promise((resolve) => {
      const stream = new EventSource('/app/live');
      globalThis.told = new Promise((tell) => stream.addEventListener('changed', tell, { once: true }));
      stream.onopen = resolve;
    })`);
    await page.clock.fastForward('06:00');
    const asked: string[] = [];
    // The files of further pages are fetched ahead; only what is asked of the application prolongs a session.
    page.on('request', (request) => {
      if (!new URL(request.url()).pathname.startsWith('/assets/')) asked.push(request.url());
    });
    await signInElsewhere();
    await page.evaluate('globalThis.told.then(() => undefined)');
    expect(asked).toEqual([]);
    const asking = page.waitForRequest('**/app/sessions');
    await page.mouse.move(20, 20);
    await asking;
  });

  it('follows again after the service was away', async () => {
    const ada = await at.person({ signedIn: at.world.people.ada });
    const { page } = ada;
    let refusals = 0;
    await page.route('**/app/live', (route) =>
      refusals++ === 0 ? route.fulfill({ status: 503, body: '' }) : route.continue(),
    );
    await ada.go('/profile/sessions');
    await page.waitForResponse((response) => response.url().endsWith('/app/live') && response.status() === 200);
    const asking = page.waitForRequest('**/app/sessions');
    await signInElsewhere();
    await asking;
  });
});
