/** What becomes of absences, by what is written on the pages: by the person alone, and by HR alone. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type Browser, createBrowser, signIn } from '../browser.js';
import { createWorld, type World } from '../world.js';
import { type Chromium, describeInBrowser, faultsOf, type Person, startChromium, widths } from './chromium.js';
import { addUser, giveFactors } from './people.js';

describeInBrowser('absences that change, in a browser', () => {
  let world: World;
  let chromium: Chromium;
  let bo: number;
  let chief: Browser;
  beforeAll(async () => {
    chromium = await startChromium(() => world);
  });
  afterAll(() => chromium.close());
  beforeEach(async () => {
    world = await createWorld('sqlite', { pages: true });
    await giveFactors(world, [world.people.ada]);
    bo = await addUser(world, 'Bo', { role: 'company_admin' });
    chief = await signIn(world, bo, createBrowser(world.url));
  });
  afterEach(async () => {
    expect(await chromium.leave()).toEqual([]);
  });
  afterEach(() => world.close());

  /** A browser whose clock shows the time of the world. */
  async function browserOf(id: number): Promise<Person> {
    const person = await chromium.person({ signedIn: id });
    await person.page.clock.setFixedTime(world.now());
    return person;
  }

  /** Two weeks from 30 November 2026 on, approved. */
  async function addVacation(): Promise<void> {
    const body = { type: 'vacation', start_date: '2026-11-30', end_date: '2026-12-11' };
    expect((await chief.call('POST', `/app/people/${world.people.ada}/absences`, { body })).status).toBe(201);
  }

  async function reportSick(): Promise<void> {
    const ada = await signIn(world, world.people.ada, createBrowser(world.url));
    const body = { type: 'sickness', start_date: '2026-12-02', end_date: '2026-12-08', returns_vacation: true };
    expect((await ada.call('POST', '/app/me/absences', { body })).status).toBe(201);
  }

  async function drag(page: Page, from: string, to: string): Promise<void> {
    await page.locator(`[data-date="${from}"]`).hover();
    await page.mouse.down();
    await page.locator(`[data-date="${to}"]`).hover();
    await page.mouse.up();
  }

  it('a person reports sickness within their own vacation, and ends it early', async () => {
    await addVacation();
    const ada = await browserOf(world.people.ada);
    const { page } = ada;
    await ada.go('/absences');
    await drag(page, '2026-12-02', '2026-12-08');
    await page.getByLabel('Kind').selectOption('sickness');
    await page.getByText('5 vacation days go back to the account. The law asks for a doctor’s certificate.').waitFor();
    expect(await faultsOf(ada, 'absences-sick')).toEqual([]);
    await page.getByRole('button', { name: 'Record 5 days' }).click();
    await page.getByText('Your absence was recorded.').waitFor();
    const sicknessRow = page.getByRole('row', { name: /2 .*– .*8 Dec/ });
    await sicknessRow.getByRole('button', { name: 'End early' }).click();
    const form = page.getByRole('form', { name: 'End early' });
    await form.getByLabel('Last day of absence').selectOption('2026-12-04');
    await form.getByText(/Your vacation goes on: .*5.* – .*8 Dec/).waitFor();
    expect(await faultsOf(ada, 'absences-end-early')).toEqual([]);
    await form.getByRole('button', { name: 'End early' }).click();
    await page.getByText('Ended early. The last day is').waitFor();
    await page
      .getByRole('row', { name: /5 .*– .*8 Dec/ })
      .getByText('Approved')
      .waitFor();
  });

  it('an absence is chosen over the end of a month and a year by finger, mouse, keys and fields', async () => {
    const ada = await chromium.person({ signedIn: world.people.ada, phone: widths.phone });
    await ada.page.clock.setFixedTime(world.now());
    const { page } = ada;
    const first = page.getByLabel('First day');
    const last = page.getByLabel('Last day');
    const days = async () => [await first.inputValue(), await last.inputValue()];
    await ada.go('/absences?month=2026-12');
    await page.locator('[data-date="2026-12-28"]').tap();
    await page.getByRole('button', { name: 'Later' }).tap();
    await page.locator('[data-date="2027-01-04"]').tap();
    expect(await days()).toEqual(['28/12/2026', '04/01/2027']);
    await page.getByText('left afterwards in 2026').waitFor();
    expect(await faultsOf(ada, 'absences-over-new-year')).toEqual([]);
    await page.getByRole('button', { name: 'Clear' }).click();

    await page.setViewportSize(widths.desk);
    await ada.follow('/absences?month=2026-12');
    await page.locator('[data-date="2026-12-30"]').click();
    await page.keyboard.press('Shift+ArrowDown');
    expect(await days()).toEqual(['30/12/2026', '06/01/2027']);
    expect(await page.locator('[data-date="2027-01-06"]:focus').count()).toBe(1);
    await page.keyboard.press('Escape');
    await ada.follow('/absences?month=2026-12');
    await drag(page, '2026-12-21', '2026-12-23');
    await page.getByRole('button', { name: 'Later' }).click();
    await page.locator('[data-date="2027-01-05"]').click();
    expect(await days()).toEqual(['21/12/2026', '05/01/2027']);
    // The next press begins a new choice.
    await page.locator('[data-date="2027-01-11"]').click();
    expect(await days()).toEqual(['11/01/2027', '11/01/2027']);

    // What is still being typed chooses no day.
    await first.fill('30/11');
    await first.press('Tab');
    expect(await days()).toEqual(['11/01/2027', '11/01/2027']);
    await first.fill('30/11/2026');
    await last.fill('2/12/2026');
    await last.press('Tab');
    expect(await days()).toEqual(['30/11/2026', '02/12/2026']);
    await page.getByRole('button', { name: 'Request 3 days' }).press('Enter');
    await page.getByText('Your request was sent.').waitFor();
    await page.getByRole('row', { name: /30 Nov.*2 Dec/ }).waitFor();
  });

  it('a person changes a pending absence', async () => {
    const ada = await browserOf(world.people.ada);
    const { page } = ada;
    await ada.go('/absences');
    await drag(page, '2026-12-02', '2026-12-03');
    await page.getByLabel('Comment (optional)').fill('Moving');
    await page.getByRole('button', { name: 'Request 2 days' }).click();
    await page.getByText('Your request was sent.').waitFor();
    await page.getByRole('button', { name: /^Change Vacation/ }).click();
    const form = page.getByRole('form', { name: 'Change request' });
    expect(await form.getByLabel('Comment (optional)').inputValue()).toBe('Moving');
    await drag(page, '2026-12-03', '2026-12-07');
    await form.getByLabel('Kind').selectOption('special_leave');
    await form.getByText('3 days', { exact: true }).waitFor();
    expect(await faultsOf(ada, 'absences-change')).toEqual([]);
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your request was changed.').waitFor();
    await page
      .getByRole('row', { name: /3 – .*7 Dec.*Special leave/ })
      .getByText('Waiting')
      .waitFor();
    await form.waitFor({ state: 'detached' });
  });

  it('a substitute without a role decides about absences, and sees nothing else', async () => {
    const cleo = await addUser(world, 'Cleo');
    const ada = await browserOf(world.people.ada);
    await ada.go('/absences');
    await drag(ada.page, '2026-12-02', '2026-12-03');
    await ada.page.getByRole('button', { name: 'Request 2 days' }).click();
    await ada.page.getByText('Your request was sent.').waitFor();
    await ada.follow('/');
    await ada.page.getByRole('link', { name: 'An absence is waiting for a decision' }).click();
    await ada.page.getByRole('heading', { name: 'Absences', level: 1 }).waitFor();

    const boss = await browserOf(bo);
    await boss.go('/team/substitutes');
    await boss.page.getByLabel('Substitute', { exact: true }).selectOption('Cleo Test');
    await boss.page.getByLabel('When').selectOption('span');
    await boss.page.getByLabel('First day').fill('23/11/2026');
    // Its calendar lies over the button.
    await boss.page.getByRole('heading', { name: 'Name a substitute' }).click();
    await boss.page.getByRole('button', { name: 'Name substitute' }).click();
    await boss.page.getByRole('region', { name: 'My substitutes' }).getByText('Cleo Test').waitFor();

    const person = await browserOf(cleo);
    const { page } = person;
    await person.go('/');
    await page.getByRole('link', { name: 'One request is waiting for you', exact: true }).click();
    await page.getByRole('region', { name: 'Ada Lang' }).waitFor();
    expect(await page.getByRole('navigation').getByRole('link', { name: 'My people' }).count()).toBe(0);
    expect(await faultsOf(person, 'approvals-of-substitute')).toEqual([]);
    await page.getByRole('button', { name: 'Approve', exact: true }).click();
    await ada.follow('/absences');
    await ada.page
      .getByRole('row', { name: /2 .*– .*3 Dec/ })
      .getByText('Approved')
      .waitFor();
  });

  it('absences and corrections are found from the start page', async () => {
    const person = await signIn(world, world.people.ada, createBrowser(world.url));
    const body = { start: '2026-11-20T08:00:00Z', end: '2026-11-20T12:00:00Z', reason: 'Forgotten' };
    expect((await person.call('POST', '/app/me/corrections', { body })).status).toBe(201);
    const ada = await browserOf(world.people.ada);
    await ada.go('/');
    expect(await ada.page.getByText('An absence is waiting').count()).toBe(0);
    await ada.page.getByRole('link', { name: 'A correction is waiting for a decision' }).click();
    await ada.page.getByText('Forgotten').waitFor();
  });

  it('the record of a re-hired person stays complete, and the page names the holder of a number', async () => {
    const oldRecord = await chief.call('POST', '/app/admin/people', {
      body: {
        company_id: world.nord,
        first_name: 'Mia',
        last_name: 'Neu',
        email: 'mia@clockproof.example',
        personnel_number: 'N-7',
        employment_start: '2026-11-02',
      },
    });
    const hr = await browserOf(bo);
    const { page } = hr;
    await hr.go('/company/people/new');
    const add = async () => {
      await page.getByLabel('First name').fill('Mia');
      await page.getByLabel('Last name').fill('Neu');
      await page.getByLabel('Number').fill('N-7');
      await page.getByLabel('E-mail').fill('mia@clockproof.example');
      await page.getByLabel('First day of employment').fill('01/12/2026');
      await page.getByLabel('First name').click();
      await page.getByRole('button', { name: 'Add person' }).click();
    };
    await add();
    await page.getByRole('alert').getByRole('link', { name: 'Mia Neu' }).first().waitFor();
    expect(await faultsOf(hr, 'new-person-taken')).toEqual([]);
    const path = `/app/admin/people/${String(oldRecord.body['id'])}/deactivation`;
    expect((await chief.call('POST', path, { body: { employment_end: '2026-11-20' } })).status).toBe(200);
    const answer = page.waitForResponse(
      (response) => response.request().method() === 'POST' && response.url().endsWith('/app/admin/people'),
    );
    await page.getByRole('button', { name: 'Add person' }).click();
    expect((await answer).status()).toBe(201);
    const list = await chief.call('GET', `/app/admin/people?company_id=${world.nord}&search=N-7`);
    expect(list.body['data']).toHaveLength(2);
  });

  it('HR ends an absence early, and chooses what the days become', async () => {
    await addVacation();
    await reportSick();
    const hr = await browserOf(bo);
    const { page } = hr;
    await hr.go(`/company/people/${world.people.ada}?tab=vacation`);
    await page.getByRole('button', { name: /^Change Sickness/ }).click();
    const list = page.getByRole('region', { name: 'Absences', exact: true });
    await list.getByLabel('Last day').fill('04/12/2026');
    await list.getByLabel('Comment').click();
    await list.getByLabel('The freed days become').selectOption('vacation');
    expect(await faultsOf(hr, 'person-absences-freed')).toEqual([]);
    await list.getByRole('button', { name: 'Save' }).click();
    await list.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    await list.getByText(/5 .*– .*8 Dec/).waitFor();
    await page.getByRole('button', { name: /^Change Sickness/ }).click();
    await list.getByRole('button', { name: 'Cancel absence' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('The freed days become').selectOption('work');
    await dialog.getByRole('button', { name: 'Cancel absence' }).click();
    await list.getByText('Cancelled').waitFor();
  });
});
