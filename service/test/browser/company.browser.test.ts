/** The tasks of a supervisor and of an admin, from the first request to a closed month, by roles and labels. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createBrowser, signIn } from '../browser.js';
import { sendStamp } from '../builders.js';
import { createWorld, type World } from '../world.js';
import { type Chromium, describeInBrowser, faultsOf, settle, speak, startChromium, widths } from './chromium.js';
import { differenceOf, type Look } from './looks.js';
import { addUser, giveFactors } from './people.js';

const hour = 3_600_000;

describeInBrowser('the pages of supervisors and admins, in a browser', () => {
  let world: World;
  let chromium: Chromium;
  let lea: number;
  let tom: number;
  beforeAll(async () => {
    chromium = await startChromium(() => world);
  });
  afterAll(() => chromium.close());
  beforeEach(async () => {
    world = await createWorld('sqlite', { pages: true });
    lea = await addUser(world, 'Lea', { role: 'approver' });
    tom = await addUser(world, 'Tom', { role: 'company_admin' });
    await giveFactors(world, [world.people.ada, world.people.ben]);
  });
  afterEach(async () => {
    expect(await chromium.leave()).toEqual([]);
  });
  afterEach(() => world.close());
  const ask = async (person: number, ...days: readonly string[]) => {
    const browser = await signIn(world, person, createBrowser(world.url));
    for (const day of days)
      expect(
        (
          await browser.call('POST', '/app/me/absences', {
            body: { type: 'vacation', start_date: day, end_date: day, comment: `Reason of ${day}` },
          })
        ).status,
      ).toBe(201);
  };
  const statuses = async () =>
    (await world.db.all<{ status: string }>('SELECT status FROM approvals ORDER BY id')).map(({ status }) => status);

  it('a supervisor takes a decision back, decides by key, and decides all the others at once', async () => {
    await ask(world.people.ada, '2026-12-01', '2026-12-03', '2026-12-07', '2026-12-09');
    const person = await chromium.person({ signedIn: lea });
    const { page } = person;
    await page.clock.install();
    await person.go('/team/people');
    await page.getByRole('row', { name: 'Lang, Ada' }).getByRole('link', { name: '4 requests' }).waitFor();
    expect(await faultsOf(person, 'my-people')).toEqual([]);
    await page.getByRole('link', { name: '4 requests', exact: true }).click();
    await page.getByText('Reason of 2026-12-01').waitFor();
    await page.getByRole('button', { name: 'Show everyone' }).click();
    expect(new URL(page.url()).search).toBe('');
    await page.getByText('Here, of').waitFor();
    expect(await faultsOf(person, 'approvals')).toEqual([]);
    await page.keyboard.press('a');
    await page.getByText('Approving: Ada Lang, Vacation').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('Reason of 2026-12-01').waitFor();
    // Taken back in time: six seconds later the service still has not heard of it.
    await page.clock.fastForward(6_000);
    expect(await statuses()).toEqual(['waiting', 'waiting', 'waiting', 'waiting']);
    await page.keyboard.press('r');
    await page.keyboard.press('Enter');
    await page.getByText('Say why: the person reads it.').waitFor();
    await page.keyboard.type('Stocktaking');
    const rejection = page.waitForResponse('**/decisions');
    await page.keyboard.press('Enter');
    await page.getByText('Rejecting: Ada Lang, Vacation').waitFor();
    await page.clock.fastForward(5_000);
    await rejection;
    expect(await statuses()).toEqual(['rejected', 'waiting', 'waiting', 'waiting']);
    await page.getByRole('checkbox', { name: 'Select all' }).check();
    await page.getByRole('button', { name: 'Approve 3' }).click();
    // Leaving the page does not lose the decision.
    const approval = page.waitForResponse('**/decisions');
    await page.getByRole('link', { name: 'Presence' }).first().click();
    await page.clock.fastForward(5_000);
    await approval;
    expect(await statuses()).toEqual(['rejected', 'approved', 'approved', 'approved']);
    await page.getByRole('row', { name: 'Ada Lang' }).or(page.getByText('Ada Lang').first()).first().waitFor();
    expect(await faultsOf(person, 'presence')).toEqual([]);
    await person.follow('/team/calendar?from=2026-11-30');
    await page.getByText('Vacation, Thu 3 Dec').first().waitFor({ state: 'attached' });
    expect(await faultsOf(person, 'calendar')).toEqual([]);
  });

  it('an admin adds, invites and finds a person, and sees the effects of an end of employment', async () => {
    await ask(world.people.ben, '2026-12-01');
    const person = await chromium.person({ signedIn: tom });
    const { page } = person;
    await person.go('/company/people');
    await page.getByRole('button', { name: 'Kurz, Ben' }).waitFor();
    expect(await faultsOf(person, 'people')).toEqual([]);
    await page.getByRole('link', { name: 'Add person' }).click();
    // What is missing stands at the field in the language of the page, whatever language the browser speaks.
    await page.getByLabel('E-mail').fill('ada');
    await page.getByRole('button', { name: 'Add person' }).click();
    const firstName = page.getByLabel('First name');
    await page.getByText('Enter a complete e-mail address').waitFor();
    expect(await firstName.evaluate((field) => field.matches(':focus'))).toBe(true);
    const readDescription = async (field: typeof firstName) => [
      await field.getAttribute('aria-invalid'),
      await field.evaluate((at) => [...at.ariaDescribedByElements!].map(({ textContent }) => textContent).at(-1)),
    ];
    expect(await readDescription(firstName)).toEqual(['true', 'Fill in this field.']);
    await speak(page, 'de');
    await page.getByText('Geben Sie eine vollständige E-Mail-Adresse an').waitFor();
    expect(await readDescription(page.getByLabel('Vorname'))).toEqual(['true', 'Füllen Sie dieses Feld aus.']);
    await page.getByLabel('Vorname').fill('‹Mona›');
    await page.getByText('Füllen Sie dieses Feld aus.').nth(1).waitFor({ state: 'detached' });
    expect(await page.getByLabel('Vorname').getAttribute('aria-invalid')).toBeNull();
    expect(await faultsOf(person, 'person-new')).toEqual([]);
    await page.getByLabel('Last name').fill('Neu');
    await page.getByLabel('E-mail').fill('mona@clockproof.example');
    await page.getByRole('button', { name: 'Add person' }).click();
    const link = page.getByLabel('Invitation link', { exact: true }).last();
    expect(await link.textContent()).toMatch(/^http:\/\/localhost:8080\/invitation#inv_/);
    await page.getByRole('link', { name: 'People', exact: true }).last().click();
    await page.getByLabel('Name, number or e-mail').fill('kur');
    await page.getByText('One person', { exact: true }).waitFor();
    expect(new URL(page.url()).search).toBe('?search=kur');
    await page.getByRole('button', { name: 'Kurz, Ben' }).click();
    await page.getByRole('link', { name: 'Open person' }).click();
    await page.getByRole('button', { name: 'Deactivate' }).click();
    const dialog = page.getByRole('dialog', { name: 'Deactivate Ben Kurz?' });
    await dialog.getByText('is withdrawn').waitFor();
    await dialog.getByText('Balance').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('button:focus', { hasText: 'Deactivate' }).waitFor();
    // A last day that is known ahead is recorded, and taken back.
    const plan = page.getByRole('dialog', { name: 'Last day of Ben Kurz' });
    await page.getByRole('button', { name: 'Record last day' }).click();
    await plan.getByLabel('Last day of employment').fill('31/12/2026');
    await plan.getByText('Until then the person records time as usual').waitFor();
    expect(await faultsOf(person, 'person-last-day')).toEqual([]);
    await plan.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Last day of employment: 31 Dec 2026').waitFor();
    await page.getByRole('button', { name: 'Record last day' }).click();
    await plan.getByLabel('Last day of employment').fill('');
    await plan.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Last day of employment: 31 Dec 2026').waitFor({ state: 'detached' });
    expect(
      await world.db.get('SELECT active, employment_end FROM people WHERE id = :id', { id: world.people.ben }),
    ).toEqual({ active: 1, employment_end: null });
    // A last day that an import or a program has set is shown, and deactivating does not move it to today.
    await page.evaluate(`fetch(location.pathname.replace('/company/', '/app/admin/'), {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"employment_end":"2026-11-18"}',
    })`);
    await page.getByText('Last day of employment: 18 Nov 2026').waitFor();
    await page.getByRole('button', { name: 'Deactivate' }).click();
    expect(await dialog.getByLabel('Last day of employment').inputValue()).toBe('18/11/2026');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await faultsOf(person, 'person')).toEqual([]);
    for (const tab of ['Target hours', 'Absences', 'Time', 'Time account', 'Access']) {
      await page.getByRole('tab', { name: tab, exact: true }).click();
      await settle(page);
      expect(await faultsOf(person, `person-${tab}`)).toEqual([]);
    }
  });

  it('an admin books hours with a reason, cancels the booking and sets limits, and the person reads it', async () => {
    const person = await chromium.person({ signedIn: tom });
    const { page } = person;
    await page.clock.setFixedTime(world.now());
    await person.go(`/company/people/${world.people.ada}?tab=account`);
    await page.getByLabel('Kind of booking').selectOption('payout');
    await page.getByRole('form', { name: 'Book hours' }).getByLabel('Reason').fill('Paid with November');
    await page.getByLabel('Hours', { exact: true }).fill('0:00');
    await page.getByRole('button', { name: 'Book', exact: true }).click();
    // What is refused carries the label of its field, not its name in the contract.
    const refusal = page.getByRole('alert').getByRole('listitem');
    await refusal.waitFor();
    expect(await refusal.innerText()).toBe('Hours: This is outside of what is allowed.');
    await page.getByLabel('Hours', { exact: true }).fill('2:30');
    await page.getByRole('button', { name: 'Book', exact: true }).click();
    await page.getByText('Booked. The balance is now').waitFor();
    await page.getByText('Paid with November').waitFor();
    expect(await faultsOf(person, 'person-account')).toEqual([]);
    await page.getByRole('button', { name: /Cancel booking of .*−2:30/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel a booking' });
    await dialog.getByLabel('Reason').fill('Paid twice');
    await dialog.getByRole('button', { name: 'Cancel the booking' }).click();
    await page.getByText('Paid twice').waitFor();
    await person.follow('/company/rules?tab=accounts');
    await page.getByLabel('Upper limit').first().fill('40');
    await page.getByLabel('Above the upper limit').selectOption('cut');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    expect(await faultsOf(person, 'rules-accounts')).toEqual([]);

    const ada = await chromium.person({ signedIn: world.people.ada });
    await ada.page.clock.setFixedTime(world.now());
    await ada.go('/time/account');
    for (const text of ['Paid with November', 'Paid twice', '+40:00']) await ada.page.getByText(text).first().waitFor();
    expect(await faultsOf(ada, 'account')).toEqual([]);
  });

  it('a super admin opens another company, and reads the effects before deactivating one', async () => {
    const root = await addUser(world, 'Rhea', { role: 'super_admin' });
    const person = await chromium.person({ signedIn: root });
    const { page } = person;
    const { name } = (await world.db.get<{ name: string }>('SELECT name FROM companies WHERE id = :id', {
      id: world.sued,
    }))!;
    await person.go('/company/companies');
    await page.getByRole('button', { name: `Open: ${name}` }).waitFor();
    expect(await faultsOf(person, 'companies')).toEqual([]);
    await page.getByRole('button', { name: `Open: ${name}` }).click();
    await page.getByText('You are administering').waitFor();
    await page.getByRole('button', { name: /, Zoe$/ }).waitFor();
    expect(await page.getByRole('button', { name: 'Kurz, Ben' }).count()).toBe(0);
    expect(await faultsOf(person, 'people-elsewhere')).toEqual([]);
    // The company stands in the address: a reload, another tab and the way back show the same.
    expect(new URL(page.url()).searchParams.get('company')).toBe(String(world.sued));
    await page.reload();
    await page.getByRole('button', { name: /, Zoe$/ }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Rules' }).click();
    await page.waitForURL(`**/company/rules?company=${world.sued}`);
    const tab = await person.context.newPage();
    await tab.goto(page.url());
    await tab.getByRole('textbox', { name: 'Name of the company' }).waitFor();
    expect(await tab.getByRole('textbox', { name: 'Name of the company' }).inputValue()).toBe(name);
    await tab.close();
    await page.getByRole('button', { name: /^Back to/ }).click();
    await page.waitForURL('**/company/rules');
    await page.goBack();
    await page.getByText('You are administering').waitFor();
    await person.go('/company/companies');
    await page.getByRole('button', { name: `Deactivate: ${name}` }).click();
    const dialog = page.getByRole('dialog', { name: `Deactivate ${name}?` });
    await dialog.getByText('signed out at once').waitFor();
    await dialog.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByRole('button', { name: `Activate: ${name}`, exact: true }).waitFor();
    expect(await world.db.get('SELECT active FROM companies WHERE id = :id', { id: world.sued })).toEqual({
      active: 0,
    });
    // The pages are those of the own company again.
    await person.go('/company/people');
    await page.getByRole('button', { name: 'Kurz, Ben' }).waitFor();
  });

  it('a keyboard search finds people, pages and actions, within the rights of each person', async () => {
    const lead = await chromium.person({ signedIn: lea });
    const { page } = lead;
    const searchField = page.getByRole('combobox', { name: 'Find people, pages and actions' });
    const open = async (text: string) => {
      await page.getByRole('button', { name: 'Find', exact: false }).waitFor();
      // Over a dialog that is still closing the key means nothing.
      await page.waitForFunction('document.querySelector("dialog[open]") === null');
      await page.keyboard.press('Control+k');
      await searchField.fill(text);
    };
    // What is painted before any script: the frame, with nothing of the person in it.
    await page.route('**/*.js', (route) => route.abort());
    await lead.go('/');
    await page.locator('.frame.before-script .skeleton').waitFor();
    expect(await page.locator('.bar.before-script').isVisible()).toBe(false);
    await page.unroute('**/*.js');
    await lead.go('/time');
    await open('KÚRZ');
    await page.getByRole('option', { name: 'Ben Kurz' }).waitFor();
    expect(await faultsOf(lead, 'find')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/team/presence?name=Ben+Kurz');
    await open('cal');
    await page.getByRole('option', { name: 'Calendar' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Team calendar' }).waitFor();
    // An action and a page of admins, and somebody of another company.
    for (const text of ['add person', 'audit', 'Zoe']) {
      await open(text);
      await page.getByText(`Nothing matches “${text}”.`).waitFor();
      expect(await page.locator('dialog').getByRole('option').count()).toBe(0);
      await page.keyboard.press('Escape');
      await searchField.waitFor({ state: 'detached' });
    }
    const admin = await chromium.person({ signedIn: tom });
    await admin.go('/');
    await admin.page.getByRole('button', { name: 'Find', exact: false }).click();
    const field = admin.page.getByRole('combobox');
    await field.fill('kurz');
    await admin.page.getByRole('option', { name: 'Ben Kurz' }).click();
    await admin.page.waitForURL(`**/company/people/${world.people.ben}`);
  });

  it('an admin shortens and cancels an approved absence, and gives vacation back for sickness', async () => {
    const lead = await signIn(world, lea, createBrowser(world.url));
    const days = { type: 'vacation', start_date: '2026-12-07', end_date: '2026-12-11' };
    expect((await lead.call('POST', `/app/people/${world.people.ada}/absences`, { body: days })).status).toBe(201);
    const person = await chromium.person({ signedIn: tom });
    const { page } = person;
    await person.go(`/company/people/${world.people.ada}?tab=vacation`);
    await page.getByRole('tab', { name: 'Absences' }).click();
    await page.getByRole('button', { name: /^Change Vacation/ }).click();
    expect(await faultsOf(person, 'person-absences')).toEqual([]);
    const form = page.getByRole('region', { name: 'Absences' });
    await form.getByLabel('Comment').fill('Moved');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^Change Vacation/ }).click();
    await form.getByRole('button', { name: 'Cancel absence' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel absence' }).click();
    await form.getByText('Cancelled').waitFor();
    await page.getByLabel('Kind', { exact: true }).selectOption('sickness');
    expect(await page.getByLabel('Give back vacation on these days').isChecked()).toBe(true);
  });

  it('HR sees how the days of many people are calculated, sets them, and books days', async () => {
    const { ada, ben } = world.people;
    const chief = await signIn(world, tom, createBrowser(world.url));
    const policy = { days: 30, pro_rata: 'statutory', carry_over_until: '03-31' };
    const answer = await chief.call('PUT', `/app/admin/companies/${world.nord}/vacation-policy`, { body: policy });
    expect(answer.status).toBe(200);
    const employmentEnd = { body: { employment_end: '2027-05-31' } };
    expect((await chief.call('PATCH', `/app/admin/people/${ben}`, employmentEnd)).status).toBe(200);
    const person = await chromium.person({ signedIn: tom });
    const { page } = person;
    await person.go('/company/rules?tab=vacation');
    const form = page.getByRole('form', { name: 'Set the days of many people' });
    await form.getByRole('button', { name: 'Calculate' }).click();
    await form.getByText('5/12 of 30 = 12½, rounded 13').waitFor();
    await form.getByLabel('Set for Ada Lang').uncheck();
    expect(await faultsOf(person, 'entitlements')).toEqual([]);
    await form.getByRole('button', { name: /^Set for \d+ people$/ }).click();
    await form.getByText(/^Set for \d+ people\.$/).waitFor();
    const daysOf = async (id: number) =>
      (await chief.call('GET', `/app/admin/people/${id}/entitlements`)).body['data'] as { year: number }[];
    expect([await daysOf(ben), (await daysOf(ada)).filter(({ year }) => year === 2027)]).toMatchObject([
      [{ year: 2027, days: 13 }],
      [],
    ]);

    await person.follow(`/company/people/${ada}?tab=vacation`);
    const booking = page.getByRole('form', { name: 'Book days' });
    await booking.getByLabel('Kind of booking').selectOption('payout');
    await booking.getByLabel('Days to book').fill('2.5');
    await booking.getByLabel('Reason').fill('Paid with the salary of <b>November</b>');
    await booking.getByRole('button', { name: 'Book', exact: true }).click();
    const lines = page.getByRole('region', { name: 'Every line of the account' });
    await lines.getByText('Paid out: Paid with the salary of <b>November</b>').waitFor();
    await lines.getByText('−2½').waitFor();
    expect(await faultsOf(person, 'vacation-bookings')).toEqual([]);
    const employee = await chromium.person({ signedIn: ada });
    await employee.go('/absences');
    await employee.page.getByText('Every line of the account').click();
    await employee.page.getByText('Paid out: Paid with the salary of <b>November</b>').waitFor();
    expect(await faultsOf(employee, 'vacation-statement')).toEqual([]);
  });

  it('an admin imports people from a correct file, and invites them', async () => {
    const person = await chromium.person({ signedIn: tom });
    const { page } = person;
    // The page of one person leads on to that of many.
    await person.go('/company/people/new');
    await page.getByRole('main').getByRole('link', { name: 'Import CSV' }).click();
    await page.getByRole('heading', { name: 'Import people' }).waitFor();
    const header = 'Vorname;Nachname;E-Mail;Abteilung;Eintritt\r\n';
    const choose = (rows: string, encoding: BufferEncoding = 'utf8') =>
      page.locator('input[type=file]').setInputFiles({
        name: 'people.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(header + rows, encoding),
      });
    await choose('Eva;Groß;eva@clockproof.example;Office;01.12.2026\r\n‹b›;Neu;eva;Packing;12/01/2026\r\n');
    await page.getByText('One line has a fault, of 2.').waitFor();
    await page.getByText('E-mail: cannot be read; Department: unknown; First day: cannot be read').waitFor();
    expect(await page.getByRole('button', { name: 'Correct the faults first' }).isDisabled()).toBe(true);
    expect(await faultsOf(person, 'people-import')).toEqual([]);
    await page.getByLabel('Line 3: E-mail').fill('neu@clockproof.example');
    await page.keyboard.press('Tab');
    await page.getByText('Department: unknown; First day: cannot be read', { exact: true }).waitFor();
    // In one go: the second one is made while the first is checked.
    await page.getByLabel('Line 3: Department').fill('Office');
    await page.getByLabel('Line 3: First day').fill('01.12.2026');
    await page.keyboard.press('Tab');
    await page.getByText('2 people can be added.').waitFor();
    // As Excel saves it in Germany.
    await choose(
      'Eva;Groß;eva@clockproof.example;Office;01.12.2026\r\nIda;Neu;ida@clockproof.example;Packing;01.12.2026',
      'latin1',
    );
    await page.getByText('One line has a fault, of 2.').waitFor();
    await page.getByLabel('Add departments that do not exist yet').check();
    await page.getByText('2 people can be added.').waitFor();
    await page.getByText('New departments: Packing.').waitFor();
    await page.getByText('Groß').waitFor();
    // Dates as the pages write them, whatever the file has.
    expect(await page.getByRole('cell', { name: '1 Dec 2026', exact: true }).count()).toBe(2);
    await page.getByRole('button', { name: 'Add 2 people' }).click();
    await page.getByText('2 people were added.').waitFor();
    await page.getByLabel('Eva Groß').uncheck();
    await page.getByRole('button', { name: 'Invite one person' }).click();
    await page.getByText('One link was created.').waitFor();
    expect(await page.locator('code').allTextContents()).toEqual([
      expect.stringMatching(/^http:\/\/localhost:8080\/invitation#inv_/),
    ]);
    await person.follow('/company/people/invite');
    await page.getByLabel('Eva Groß').waitFor();
    expect(await faultsOf(person, 'people-invite')).toEqual([]);
  });

  it('an admin changes several people together, and reads who was not changed and why', async () => {
    const { ada, ben } = world.people;
    const person = await chromium.person({ signedIn: tom });
    const { page } = person;
    await person.go('/company/people');
    await page.getByLabel('Select Ada Lang').check();
    // The row of the name that has the focus.
    await page.getByRole('button', { name: 'Kurz, Ben' }).focus();
    await page.keyboard.press('Space');
    const bar = page.getByRole('region', { name: 'Selected people' });
    await bar.getByText('2 selected').waitFor();
    expect(await faultsOf(person, 'people-bulk')).toEqual([]);
    await bar.getByRole('button', { name: 'Department' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Department').selectOption({ label: 'Yard' });
    await dialog.getByRole('button', { name: 'Change 2 people' }).click();
    await dialog.getByText('2 people were changed.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    expect(await bar.count()).toBe(0);
    const departments = await world.db.all(
      'SELECT p.id, d.name FROM people p JOIN departments d ON d.id = p.department_id WHERE p.id IN (:ada, :ben) ORDER BY p.id',
      { ada, ben },
    );
    expect(departments).toEqual([
      { id: ada, name: 'Yard' },
      { id: ben, name: 'Yard' },
    ]);

    // A last day that has passed stays. A super admin is above those who may do this.
    await world.db.write((tx) => tx.run("UPDATE people SET employment_end = '2026-11-19' WHERE id = :ada", { ada }));
    const root = await addUser(world, 'Rhea', { role: 'super_admin' });
    await page.reload();
    await page.getByLabel('Select everyone in the list').check();
    await page.getByLabel('Select Tom Test').uncheck();
    for (const name of ['Lea Test', 'Cem Ende']) await page.getByLabel(`Select ${name}`).uncheck();
    await bar.getByRole('button', { name: 'Deactivate' }).click();
    await dialog.getByRole('button', { name: 'Deactivate 3 people' }).click();
    await dialog.getByText('One person was not changed, and is still selected:').waitFor();
    await dialog.getByText('2 people were changed.').waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([expect.stringMatching(/^Rhea Test: ./)]);
    expect(await faultsOf(person, 'people-bulk-refused')).toEqual([]);
    const activePeople = await world.db.all<{ id: number }>(
      'SELECT id FROM people WHERE company_id = :nord AND active = 1',
      { nord: world.nord },
    );
    expect(new Set(activePeople.map(({ id }) => id))).toEqual(new Set([world.people.cem, lea, tom, root]));
    expect(
      await world.db.all('SELECT employment_end FROM people WHERE id IN (:ada, :ben) ORDER BY id', { ada, ben }),
    ).toEqual([{ employment_end: '2026-11-19' }, { employment_end: '2026-11-23' }]);
  });

  it('an admin closes a month, re-opens it with a reason, and sets the rules', async () => {
    const person = await chromium.person({ signedIn: tom });
    const { page } = person;
    await page.clock.setFixedTime(new Date('2026-12-02T09:00:00Z'));
    world.set(Date.parse('2026-12-02T08:59:00Z'));
    const { cookies } = await signIn(world, tom, createBrowser(world.url));
    await person.context.addCookies([
      {
        name: 'session',
        value: cookies.get('session')!,
        url: 'http://localhost:8080',
        httpOnly: true,
        sameSite: 'Lax',
      },
    ]);
    await person.go('/company/months');
    await page.getByRole('heading', { name: 'November 2026', exact: true }).waitFor();
    await page.getByText('Every request is decided').waitFor();
    expect(await faultsOf(person, 'months')).toEqual([]);
    await page.getByRole('button', { name: 'Close month' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Close month' }).click();
    await page.getByText('Closed by Tom Test').waitFor();
    await page.getByRole('button', { name: 'Re-open' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('A stamp came late');
    await page.getByRole('dialog').getByRole('button', { name: 'Re-open' }).click();
    await page.getByText('A stamp came late').waitFor();
    await person.go(`/company/people/${world.people.ada}?tab=hours`);
    await page.getByText('No own target hours').waitFor();
    await page.getByRole('link', { name: 'Target hours of the company' }).click();
    await page.getByText('None are set: eight hours').waitFor();
    await page.getByLabel('Fri', { exact: true }).fill('5:30');
    await page.getByRole('button', { name: 'Set target hours' }).click();
    await page.getByText('37:30 h a week', { exact: true }).first().waitFor();
    await person.follow('/company/rules?tab=holidays');
    await page.getByRole('textbox', { name: 'Day', exact: true }).fill('24/12/2026');
    await page.getByRole('textbox', { name: 'Name in German' }).fill('Heiligabend');
    await page.getByRole('textbox', { name: 'Name in English' }).fill('Christmas Eve');
    await page.getByRole('switch', { name: 'Every year on this day' }).check();
    await page.getByRole('button', { name: 'Add holiday' }).click();
    await page.getByText('Half a day off, every year').waitFor();
    await page.getByRole('button', { name: 'Change Christmas Eve' }).click();
    await page.getByRole('combobox', { name: 'Kind of day' }).selectOption('day_off');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Day off given by the company, every year').waitFor();
    await page.getByRole('button', { name: 'Remove Christmas Eve' }).click();
    await page.getByRole('button', { name: 'Remove Christmas Eve' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Change Ascension Day' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Working day, no holiday here').first().waitFor();
    for (const [path, text] of [
      ['/company/rules', 'Deduct missing breaks'],
      ['/company/rules?tab=hours', 'For everyone without target hours of their own.'],
      ['/company/rules?tab=types', 'Home office'],
      ['/company/rules?tab=vacation', 'Vacation days a year'],
      ['/company/rules?tab=holidays', 'From the region and municipality of the company, with its own.'],
      ['/company/departments', 'Yard'],
      ['/company/start', 'Set country and region'],
    ] as const) {
      await person.follow(path);
      await page.getByText(text).first().waitFor();
      expect(await faultsOf(person, path.replaceAll(/\W+/g, '-').slice(1))).toEqual([]);
    }
    await person.follow('/company/rules');
    await page.getByLabel('People see of their department').selectOption('nothing');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await person.follow('/team/calendar');
    await page.getByText('Colleagues do not see this page.').waitFor();
    expect(await faultsOf(person, 'calendar-not-shown')).toEqual([]);
    const ada = await chromium.person({ signedIn: world.people.ada });
    await ada.go('/');
    await ada.page.getByRole('navigation').getByRole('link', { name: 'Absences' }).first().waitFor();
    expect(await ada.page.getByRole('navigation').getByRole('link', { name: 'Calendar' }).count()).toBe(0);
    await ada.follow('/team/calendar');
    await ada.page.getByText('Your company does not show it to colleagues.').waitFor();
    expect(await faultsOf(ada, 'calendar-off')).toEqual([]);
  });

  it('the pages look as in their stored pictures', async () => {
    const { ada, ben } = world.people;
    const clock = (kind: 'in' | 'out', id: number) => sendStamp(world, kind, id);
    await clock('in', ada);
    world.advance(4 * hour);
    await clock('out', ada);
    world.advance(20 * hour);
    await clock('in', ada);
    await clock('in', ben);
    await ask(ada, '2026-12-01', '2026-12-03');
    await ask(ben, '2026-12-03');
    const pages: readonly (readonly [personId: number, path: string, text: RegExp, looks: readonly Look[]])[] = [
      [ada, '/', /At work since/, ['phone-de-light', 'desk-en-dark']],
      [ada, '/time', /4:00/, ['desk-de-light', 'phone-en-dark']],
      [ada, '/absences', /Thursday, 3 December 2026/, ['desk-en-light', 'phone-de-dark']],
      [lea, '/team/approvals', /Here, of/, ['desk-de-light', 'phone-en-light']],
      [lea, '/team/presence', /Ada Lang/, ['desk-en-dark']],
      [lea, '/team/calendar', /Ada Lang/, ['desk-de-light']],
      [tom, '/company/people', /Lang, Ada/, ['desk-en-light', 'phone-de-dark']],
      [tom, `/company/people/${ada}`, /First name/, ['desk-de-dark']],
      [tom, '/admin/audit', /Ada Lang/, ['desk-en-light', 'phone-de-light']],
    ];
    const differences: (string | undefined)[] = [];
    for (const personId of new Set(pages.map(([id]) => id))) {
      const person = await chromium.person({ signedIn: personId });
      await person.page.clock.setFixedTime(world.now());
      for (const [, path, text, looks] of pages.filter(([id]) => id === personId)) {
        await person.page.setViewportSize(widths.desk);
        await person.go(path);
        await speak(person.page, 'en');
        await person.page.getByText(text).or(person.page.getByLabel(text)).first().waitFor();
        for (const look of looks)
          differences.push(await differenceOf(person, path.replaceAll('/', '-').slice(1), look));
      }
      await person.context.close();
    }
    expect(differences.filter((difference) => difference !== undefined)).toEqual([]);
  });
});
