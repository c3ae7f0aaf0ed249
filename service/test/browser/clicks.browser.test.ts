/**
 * How many clicks a task takes somebody who does it for the first time, from the start page. Every press of the mouse
 * counts; inside a form people go on with Tab.
 */
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { createBrowser, signIn } from '../browser.js';
import { sendStamp } from '../builders.js';
import { deviceKey, openDoor, pair } from '../door.js';
import { startReceiver } from '../receivers.js';
import { createWorld, type World } from '../world.js';
import { type Chromium, describeInBrowser, type Person, settle, startChromium } from './chromium.js';
import { addUser, giveFactors } from './people.js';

const hour = 3_600_000;

describeInBrowser('clicks for first-time tasks', () => {
  let world: World;
  let chromium: Chromium;
  let lea: number;
  let tom: number;
  beforeAll(async () => {
    world = await createWorld('sqlite', { pages: true, env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } });
    chromium = await startChromium(() => world);
    lea = await addUser(world, 'Lea', { role: 'approver' });
    tom = await addUser(world, 'Tom', { role: 'company_admin' });
    await giveFactors(world, [world.people.ada, world.people.ben]);
  });
  afterAll(async () => {
    await chromium.close();
    await world.close();
  });
  afterEach(async () => {
    expect(await chromium.leave()).toEqual([]);
  });

  /** Does a task from the start page. @returns the presses of the mouse it took */
  const clicksOf = async (signedIn: number, task: (person: Person) => Promise<void>): Promise<number> => {
    let clicks = 0;
    const person = await chromium.person({ signedIn });
    await person.page.clock.setFixedTime(world.now());
    await person.context.exposeFunction('countClick', () => {
      clicks += 1;
    });
    await person.context.addInitScript("addEventListener('pointerdown', () => countClick(), true)");
    await person.go('/');
    await task(person);
    return clicks;
  };
  const open = (person: Person, name: string) =>
    person.page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  const clock = (kind: 'in' | 'out', id: number) => sendStamp(world, kind, id);

  it('clocking in takes 1 click', async () => {
    const clicks = await clicksOf(world.people.ada, async ({ page }) => {
      await page.getByRole('button', { name: 'Clock in' }).click();
      await page.getByText('At work since').waitFor();
    });
    expect(clicks).toBe(1);
    world.advance(8 * hour);
    await clock('out', world.people.ada);
  });

  it('correcting yesterday takes at most 4 clicks', async () => {
    await clock('in', world.people.ben);
    world.advance(4 * hour);
    await clock('out', world.people.ben);
    world.advance(24 * hour);
    const yesterday = new Intl.DateTimeFormat('en-GB', {
      timeZone: 'Europe/Berlin',
      weekday: 'short',
      day: 'numeric',
      month: 'short',
    })
      .format(world.now() - 24 * hour)
      .replace(',', '');
    const clicks = await clicksOf(world.people.ben, async (person) => {
      await open(person, 'Month');
      await person.page.getByRole('button', { name: `Details of ${yesterday}` }).click();
      const form = person.page.getByRole('form', { name: `Correct ${yesterday}` });
      await form.getByLabel('Out', { exact: true }).click();
      await form.getByLabel('Out', { exact: true }).fill('2230');
      await form.getByLabel('Reason, visible to the approver').fill('Forgot my badge');
      await form.getByRole('button', { name: 'Send for approval' }).click();
      await person.page.getByText('Your correction was sent.').waitFor();
    });
    expect(clicks).toBeLessThanOrEqual(4);
  });

  it('requesting two days off takes at most 4 clicks', async () => {
    const clicks = await clicksOf(world.people.ben, async (person) => {
      const { page } = person;
      await open(person, 'Absences');
      const firstDay = page.getByRole('gridcell', { name: 'Thursday, 3 December 2026' });
      // The calendar stands still once its days are there.
      await firstDay.waitFor();
      await settle(page);
      await firstDay.hover();
      await page.mouse.down();
      await page.getByRole('gridcell', { name: 'Friday, 4 December 2026' }).hover();
      await page.mouse.up();
      await page.getByRole('button', { name: 'Request 2 days' }).click();
      await page.getByText('Your request was sent.').waitFor();
    });
    expect(clicks).toBeLessThanOrEqual(4);
  });

  it('approving ten requests takes at most 12 clicks', async () => {
    const ada = await signIn(world, world.people.ada, createBrowser(world.url));
    for (const day of ['01', '02', '03', '04', '07', '08', '09', '10', '11', '14']) {
      const date = `2026-12-${day}`;
      const body = { type: 'vacation', start_date: date, end_date: date };
      expect((await ada.call('POST', '/app/me/absences', { body })).status).toBe(201);
    }
    const clicks = await clicksOf(lea, async (person) => {
      const { page } = person;
      await page.getByRole('navigation').getByRole('link', { name: 'Approvals' }).click();
      await page.getByRole('checkbox', { name: 'Select all' }).check();
      await page.getByRole('button', { name: /^Approve \d\d$/ }).click();
      // Leaving the page does not lose the decision.
      await open(person, 'Presence');
      await page.getByRole('heading', { level: 1, name: 'Presence' }).waitFor();
    });
    expect(clicks).toBeLessThanOrEqual(12);
  });

  it('adding and inviting a person takes at most 5 clicks', async () => {
    const clicks = await clicksOf(tom, async (person) => {
      const { page } = person;
      await open(person, 'People');
      await page.getByRole('link', { name: 'Add person' }).click();
      await page.getByLabel('First name').click();
      await page.getByLabel('First name').fill('Mona');
      await page.getByLabel('Last name').fill('Neu');
      await page.getByLabel('E-mail').fill('mona@clockproof.example');
      await page.getByRole('button', { name: 'Add person' }).click();
      await page.getByLabel('Invitation link', { exact: true }).last().waitFor();
    });
    expect(clicks).toBeLessThanOrEqual(5);
  });

  it('pairing a terminal takes at most 6 clicks', async () => {
    const clicks = await clicksOf(tom, async (person) => {
      const { page } = person;
      await open(person, 'Terminals');
      await page.getByRole('link', { name: 'Add terminal' }).click();
      await page.getByLabel('Name', { exact: true }).click();
      await page.getByLabel('Name', { exact: true }).fill('Hall 7');
      await page.keyboard.press('Tab');
      await page.keyboard.type('Hamburg');
      await page.getByRole('button', { name: 'Add and show the code' }).click();
      const code = await page.getByLabel('Type the code on the device').innerText();
      expect((await pair(world, code, deviceKey('hall 7').publicKey)).status).toBe(201);
      await page.getByRole('button', { name: 'All four match, confirm' }).click();
      await page.getByText('Offline', { exact: true }).waitFor();
    });
    expect(clicks).toBeLessThanOrEqual(6);
  });

  it('issuing a badge takes at most 4 clicks', async () => {
    await openDoor(world, 'hall 8', { issuingAllowed: true });
    const clicks = await clicksOf(tom, async (person) => {
      const { page } = person;
      await open(person, 'Badges');
      await page.getByRole('button', { name: 'Issue badge' }).click();
      // The field has the focus.
      await page.getByLabel('For whom').waitFor();
      await page.keyboard.type('ada');
      await page.getByRole('button', { name: /Ada Lang/ }).click();
      await page.getByRole('button', { name: 'Start' }).click();
      await page.getByText('For Ada Lang, at ').waitFor();
    });
    expect(clicks).toBeLessThanOrEqual(4);
  });

  it('finding the cause of a failed delivery takes at most 3 clicks', async () => {
    const root = await addUser(world, 'Rhea', { role: 'super_admin' });
    const receiver = await startReceiver((response) => {
      response.writeHead(500).end('the inbox is full');
    });
    try {
      const rhea = await signIn(world, root, createBrowser(world.url));
      const answer = await rhea.call('POST', '/app/admin/extensions', {
        body: {
          name: 'Hall display',
          scopes: ['read:clock_states', 'read:time_entries'],
          acting: 'everyone',
          company_id: world.nord,
          mode: 'webhooks',
          webhook_url: `http://127.0.0.1:${receiver.port}/hooks`,
          event_types: ['clock.in'],
        },
      });
      expect(answer.status).toBe(201);
      await clock('in', await addUser(world, 'Noa'));
      await world.deliver();
      const clicks = await clicksOf(root, async (person) => {
        const { page } = person;
        await open(person, 'Extensions');
        await page.getByRole('link', { name: 'Hall display' }).click();
        await page.getByText('One attempt').click();
        await page.getByText('refused · status 500').waitFor();
        await page.getByText('the inbox is full').waitFor();
      });
      expect(clicks).toBeLessThanOrEqual(3);
    } finally {
      await receiver.close();
    }
  });

  it('closing a month takes at most 3 clicks', async () => {
    // October is over, and nothing happened in it.
    const admin = await addUser(world, 'Ina', { role: 'company_admin' });
    await world.db.write(async (tx) => {
      await tx.run("UPDATE people SET tracking_start = '2026-10-01' WHERE company_id = :id", { id: world.nord });
    });
    const clicks = await clicksOf(admin, async (person) => {
      const { page } = person;
      await settle(page);
      await page.getByRole('navigation').getByRole('link', { name: 'Months & reports' }).click();
      await settle(page);
      await page.getByRole('button', { name: 'Close month' }).click();
      await settle(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Close month' }).click();
      await page.getByText('Closed by Ina Test').waitFor();
    });
    expect(clicks).toBeLessThanOrEqual(3);
  });
});
