import { second } from '@clockproof/platform/time/instant';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { replaceKey } from '../../src/access/integrations/extensions.js';
import { baseUrl } from '../browser.js';
import { sendStamp } from '../builders.js';
import { type Receiver, startReceiver } from '../receivers.js';
import { connect } from '../websocket-client.js';
import { createWorld, type World } from '../world.js';
import { type Chromium, describeInBrowser, faultsOf, startChromium } from './chromium.js';
import { addUser } from './people.js';

describeInBrowser('Pages for developers, in a browser', () => {
  let world: World;
  let chromium: Chromium;
  let root: number;
  let receiver: Receiver;
  let answer: number;
  beforeAll(async () => {
    chromium = await startChromium(() => world);
  });
  afterAll(() => chromium.close());
  beforeEach(async () => {
    answer = 500;
    world = await createWorld('sqlite', {
      pages: true,
      env: { BASE_URL: baseUrl, WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' },
    });
    root = await addUser(world, 'Rhea', { role: 'super_admin', lastName: 'Root' });
    receiver = await startReceiver((response) => {
      response.writeHead(answer).end(answer === 500 ? 'no room in the <b>inbox</b>' : '');
    });
  });
  afterEach(async () => {
    expect(await chromium.leave()).toEqual([]);
  });
  afterEach(async () => {
    await receiver.close();
    await world.close();
  });

  it('the page shows why a delivery failed, and delivers it again', async () => {
    const rhea = await chromium.person({ signedIn: root });
    const { page } = rhea;
    await rhea.go('/admin/extensions/new');
    const expectChosen = async (stamps: boolean, links: boolean) => {
      expect(await page.getByRole('checkbox', { name: 'Stamps', exact: true }).isChecked()).toBe(stamps);
      expect(await page.getByRole('checkbox', { name: 'Ended links', exact: true }).isChecked()).toBe(links);
    };
    await page.getByLabel('Name', { exact: true }).fill('Door display');
    await page.getByRole('checkbox', { name: 'See who is clocked in' }).check();
    await page.getByRole('checkbox', { name: 'See working times' }).check();
    await page.getByRole('radio', { name: 'everyone in one company' }).check();
    await page
      .getByRole('combobox', { name: 'Company', exact: true })
      .selectOption({ label: 'Nordlicht Logistik GmbH' });
    await page.getByRole('radio', { name: 'everyone', exact: true }).check();
    await page.getByRole('radio', { name: 'Webhooks' }).check();
    await page.getByLabel('Webhook address').fill(`http://127.0.0.1:${receiver.port}/hooks`);
    for (const type of ['People', 'Ended links'])
      await page.getByRole('checkbox', { name: type, exact: true }).uncheck();
    await page.getByRole('button', { name: 'Create extension' }).click();
    await page.locator('[role="region"]:focus', { hasText: 'Copy this now' }).waitFor();
    await page.getByRole('button', { name: 'I have saved it' }).click();
    await page.getByRole('tab', { name: 'Settings' }).click();
    await expectChosen(true, false);
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByText('There are none.').waitFor();
    await page.getByText('Nothing has happened since you opened this page.').waitFor();

    await sendStamp(world, 'in');
    await world.deliver();
    const deliveries = page.getByRole('region', { name: 'Deliveries' });
    // The page looks again by itself.
    await deliveries.getByText('clock.in').waitFor();
    await deliveries.getByText('One attempt').click();
    await deliveries.getByText('refused · status 500').waitFor();
    await deliveries.getByText('no room in the <b>inbox</b>').waitFor();
    await deliveries.getByText('Sent request').click();
    await deliveries.getByText(/"type":"clock\.in"/).waitFor();
    await deliveries.getByText('webhook-timestamp').waitFor();
    await page.getByText('Failing since').waitFor();
    expect(await faultsOf(rhea, 'extension-deliveries')).toEqual([]);

    answer = 410;
    world.advance(5 * second);
    await world.deliver();
    await page.getByText('The address answered that it is gone for good (410).').waitFor();
    expect(await faultsOf(rhea, 'extension-deliveries-disabled')).toEqual([]);

    // The admin hears of it on any page.
    await rhea.go('/profile');
    await page.getByRole('link', { name: 'Notices, 1 unread' }).click();
    await page.getByRole('heading', { name: 'No more events are delivered to Door display' }).waitFor();
    expect(await faultsOf(rhea, 'notices')).toEqual([]);
    await page.getByRole('button', { name: /^Mark as read/ }).click();
    await page.getByRole('banner').getByRole('link', { name: 'Notices', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Open the extension' }).click();
    await page.getByText('The address answered that it is gone for good (410).').waitFor();

    answer = 204;
    await page.getByLabel('Since').selectOption({ label: 'the last hour' });
    await page.getByText('One event would be delivered again.').waitFor();
    await page.getByRole('button', { name: 'Deliver again', exact: true }).click();
    await page.getByText('One event is on its way again.').waitFor();
    await world.deliver();
    await deliveries.locator('strong', { hasText: 'Delivered' }).waitFor();
    await page.getByText('Events arrive').waitFor();

    await page.getByRole('button', { name: /^Deliver again: evt_/ }).click();
    await page.getByText('The event is due again.').waitFor();
    await world.deliver();
    expect(receiver.received.map(({ headers }) => headers['webhook-id'])).toEqual(
      Array(4).fill(receiver.received[0]!.headers['webhook-id']),
    );
    await page.getByLabel('Show').selectOption({ label: 'Failed' });
    await deliveries.getByText('There are none.').waitFor();

    // Over a WebSocket instead: who is connected, and how far they have got.
    await page.getByRole('tab', { name: 'Settings' }).click();
    await page.getByRole('radio', { name: 'WebSocket' }).check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('tab', { name: 'Events' }).click();
    const connections = page.getByRole('region', { name: 'Connections' });
    await connections.getByText('No client is connected.').waitFor();
    const { id } = (await world.db.get<{ id: string }>("SELECT id FROM extensions WHERE name = 'Door display'"))!;
    const { key } = await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
      replaceKey(write, id, { overlap: 0, expiresAt: null }, world.randomBytes),
    );
    const client = await connect(world.url, { key, headers: { 'user-agent': 'door-display/2.4' } });
    await connections.getByText('door-display/2.4 · 127.0.0.1').waitFor();
    expect(await faultsOf(rhea, 'extension-connections')).toEqual([]);

    // The events as they happen: the earlier ones of this visit, then a test, and nothing while it is paused.
    const stream = page.getByRole('region', { name: 'Live events' });
    await connections.getByRole('button', { name: 'Send a test event' }).click();
    await connections.getByText('The test event goes to the open connection.').waitFor();
    await client.until((connection) => connection.events().length === 1);
    await stream.getByText(/^ping · /).waitFor();
    await stream.getByRole('button', { name: 'Pause' }).click();
    await stream.getByText('Paused. New events appear when you resume.').waitFor();
    await sendStamp(world, 'break/start');
    const requestUrls: string[] = [];
    page.on('request', (request) => requestUrls.push(request.url()));
    // Sooner it would be a double tap.
    await page.waitForTimeout(1_000);
    const refresh = page.waitForResponse((response) => response.url().endsWith(`/extensions/${id}`));
    await connections.getByRole('button', { name: 'Send a test event' }).click();
    await refresh;
    expect(requestUrls.filter((url) => url.includes('/events'))).toEqual([]);
    await stream.getByRole('button', { name: 'Resume' }).click();
    await stream
      .getByText(/^ping · /)
      .nth(1)
      .waitFor();
    const stampItem = stream.getByRole('listitem').nth(1);
    await stampItem.getByText(/^clock\.break_start · Ada /).waitFor();
    await stampItem.getByText('Payload').click();
    await stampItem.getByText('"type": "clock.break_start"').waitFor();
    expect(await faultsOf(rhea, 'extension-events')).toEqual([]);
    client.socket.terminate();
    await connections.getByText('No client is connected.').waitFor();
  });
});
