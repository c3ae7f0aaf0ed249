/**
 * Every form of the application on a bad connection: without one it says so and keeps what was typed, as it does when the
 * session ends; with a slow one it sends once, and the back button asks before it loses anything. The forms are found by
 * their source files, so that a new one cannot be forgotten.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { second } from '@clockproof/platform/time/instant';
import { expect, it } from '@jest/globals';
import type { Locator, Page, Request, Route } from 'playwright-core';
import { addSuperAdmin, signIn } from '../browser.js';
import { openDoor } from '../door.js';
import { describeInBrowser, type Person, settle, speak, useChromium } from './chromium.js';
import { addUser, giveFactors } from './people.js';

interface Form {
  /** The file below service/web/src. */
  readonly file: string;
  readonly path: string;
  /** Which form of the page, where there are several. */
  readonly index?: number;
  readonly open?: (page: Page) => Promise<unknown>;
  /** For its fields of text, in their order; what is missing or undefined is filled by its kind. */
  readonly values?: readonly (string | undefined)[];
  /** The address of what it reads, where it changes nothing. */
  readonly readUrl?: RegExp;
}

const button = (page: Page, name: RegExp) => page.getByRole('button', { name }).first().click();

interface Ids {
  readonly ada: number;
  readonly extension: string;
  readonly terminal: string;
}

/** Forms that are not in this walk, and why. */
const exclusions: Readonly<Record<string, string>> = {
  'terminals/badges-page.tsx': 'searches, and sends nothing',
  'terminals/issue-badge.tsx': 'starts a dialogue with a reader',
  'clock/bulk-table.tsx': 'corrects several people, see bulk-corrections.browser.test.ts',
  'clock/missing-clock-out.tsx': 'is there after a forgotten clock-out, see employee.browser.test.ts',
  'inbox/decide-form.tsx': 'decides after five seconds, in which the decision can be taken back',
  'inbox/reject-dialog.tsx': 'the same',
  'inbox/unresolved-stamps-page.tsx': 'decides about stamps of a door, see unresolved-stamps.browser.test.ts',
  'hr/people-bulk.tsx': 'asks once for each person, and says who was not changed',
  'hr/erase-person.tsx': 'a dialog with a reason, for a person who has left long ago',
  'months/reopen-dialog.tsx': 'a dialog with a reason, for a closed month',
  'absences/person-absences.tsx': 'opens below an absence',
  'absences/end-early.tsx': 'opens below an absence',
  'access/consent-page.tsx': 'leads back to an app',
  'proofs/proof-list.tsx': 'says what a file hides, and sends nothing',
  'parts/factor-form.tsx': 'takes a code, which is good once',
  'access/enrolment.tsx': 'takes a code, which is good once',
  'parts/passkey-form.tsx': 'a device answers first',
  'access/passkeys-section.tsx': 'belongs to a passkey',
  'access/company-page.tsx': 'is open to visitors',
  'access/sign-in-page.tsx': 'is open to visitors',
  'access/set-up-page.tsx': 'is there once, behind a link',
  'access/new-password-form.tsx': 'is there once, behind a link',
  'access/reset-page.tsx': 'is there once, behind a link',
};

const forms = ({ ada, extension, terminal }: Ids): readonly Form[] => {
  const person = (tab: string) => `/company/people/${ada}?tab=${tab}`;
  return [
    { file: 'hr/departments-page.tsx', path: '/company/departments' },
    { file: 'hr/new-person-page.tsx', path: '/company/people/new' },
    { file: 'hr/person-profile.tsx', path: person('profile'), values: ['Adele'] },
    { file: 'working-time/schedules.tsx', path: person('hours') },
    { file: 'working-time/special-rules.tsx', path: person('hours'), index: 1 },
    { file: 'working-time/person-schedules.tsx', path: person('hours'), index: 2, values: [undefined, '1:30'] },
    { file: 'absences/person-vacation.tsx', path: person('vacation') },
    { file: 'absences/person-vacation.tsx', path: person('vacation'), index: 1 },
    { file: 'absences/vacation-booking.tsx', path: person('vacation'), index: 2 },
    { file: 'months/person-account.tsx', path: person('account'), values: ['1:30'] },
    { file: 'hr/person-access.tsx', path: person('access') },
    { file: 'hr/company-settings.tsx', path: '/company/rules', values: ['Nordlicht SE'] },
    { file: 'working-time/schedules.tsx', path: '/company/rules?tab=hours' },
    { file: 'working-time/holidays.tsx', path: '/company/rules?tab=holidays' },
    { file: 'months/flexitime-limits.tsx', path: '/company/rules?tab=accounts', values: ['40', '-10'] },
    { file: 'absences/vacation-rules.tsx', path: '/company/rules?tab=vacation', values: [undefined, '31.03.'] },
    { file: 'absences/entitlements.tsx', path: '/company/rules?tab=vacation', index: 1 },
    { file: 'absences/absence-types.tsx', path: '/company/rules?tab=types' },
    { file: 'months/payroll-page.tsx', path: '/company/payroll', readUrl: /payroll\/export/ },
    { file: 'months/payroll-page.tsx', path: '/company/payroll', index: 1 },
    { file: 'access/sign-in-settings-page.tsx', path: '/company/sign-in' },
    {
      file: 'hr/companies-page.tsx',
      path: '/company/companies',
      open: (page) => button(page, /^(Add company|Unternehmen hinzufügen)$/),
    },
    { file: 'extensions/new-extension-page.tsx', path: '/admin/extensions/new' },
    { file: 'extensions/extension-page.tsx', path: `/admin/extensions/${extension}?tab=settings` },
    { file: 'extensions/extension-keys.tsx', path: `/admin/extensions/${extension}?tab=keys` },
    { file: 'terminals/terminal-page.tsx', path: `/admin/terminals/${terminal}` },
    { file: 'terminals/new-terminal-page.tsx', path: '/admin/terminals/new' },
    { file: 'inbox/substitutes-page.tsx', path: '/team/substitutes' },
    { file: 'access/password-page.tsx', path: '/profile/password' },
    { file: 'terminals/my-badges-page.tsx', path: '/profile/badges', values: ['271828', '271828'] },
    {
      file: 'clock/correction-form.tsx',
      path: '/time',
      open: (page) => button(page, /^(Details of|Einzelheiten)/),
      values: ['0800', '1630'],
    },
    { file: 'absences/request-form.tsx', path: '/absences', open: chooseDays },
    // Last: a person who has removed the authenticator sets up another before anything else.
    { file: 'access/authenticator-section.tsx', path: '/profile/second-factor' },
  ];
};

async function chooseDays(page: Page): Promise<void> {
  await settle(page);
  await page
    .getByRole('gridcell', { name: /3(\.)? De[cz]ember 2026/ })
    .first()
    .hover();
  await page.mouse.down();
  await page.mouse.up();
}

/** What stands in a form, and whether it is secret. */
const valuesOf = (form: Locator): Promise<readonly (readonly [value: unknown, secret: boolean])[]> =>
  form.evaluate((element: { elements: Iterable<{ value?: string; checked?: boolean; type: string }> }) =>
    [...element.elements]
      .filter(({ type }) => type !== 'button' && type !== 'submit' && type !== 'fieldset')
      .map(({ value, checked, type }) => [/checkbox|radio/.test(type) ? checked : value, type === 'password'] as const),
  );
const serialize = (values: unknown) => JSON.stringify(values);

/** @param kind the type of a field; of one for text, its example or its keyboard */
function usualValueOf(kind: string, language: 'de' | 'en'): string {
  const day = language === 'de' ? '01.12.2026' : '01/12/2026';
  const usualValues: Readonly<Record<string, string>> = {
    'DD/MM/YYYY': day,
    'TT.MM.JJJJ': day,
    password: 'nine tame otters swim',
    email: 'new.person@clockproof.example',
    time: '08:00',
    number: '12',
    numeric: '12',
    decimal: '12',
  };
  return usualValues[kind] ?? 'Something';
}

async function fill(form: Locator, { values = [] }: Form, language: 'de' | 'en'): Promise<void> {
  const fields = form.locator('input:not([type=checkbox], [type=radio], [type=hidden]), textarea');
  let index = 0;
  for (const field of await fields.all()) {
    if (!(await field.isVisible()) || !(await field.isEditable())) continue;
    const { kind, hint, mode } = await field.evaluate(
      ({ type, placeholder, inputMode }: { type: string; placeholder: string; inputMode: string }) => ({
        kind: type,
        hint: placeholder,
        mode: inputMode,
      }),
    );
    const usualValue = usualValueOf(kind === 'text' ? hint || mode : kind, language);
    const value = values[index] ?? ((await field.inputValue()) === '' ? usualValue : undefined);
    index += 1;
    if (value === undefined) continue;
    await field.fill(value);
    if (hint.length === 10) await field.press('Tab');
  }
}

const source = new URL('../../web/src/', import.meta.url).pathname;
const filesWithForms = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.tsx') && readFileSync(join(source, file), 'utf8').includes('<form'))
  .sort();

describeInBrowser('every form, in a browser', () => {
  const stage = useChromium();

  /** What is wrong with a form: nothing with a good one. */
  async function faultsOf({ page, context, follow }: Person, entry: Form, language: 'de' | 'en'): Promise<string[]> {
    const faults: string[] = [];
    await follow('/');
    await follow(entry.path);
    await entry.open?.(page);
    const form = page.locator('main form:visible').nth(entry.index ?? 0);
    await form.waitFor();
    await settle(page);
    const valuesBefore = await valuesOf(form);
    await fill(form, entry, language);
    await settle(page);
    const filledValues = await valuesOf(form);
    // Nobody is asked about a password.
    const openText = (values: typeof valuesBefore) => serialize(values.filter(([, secret]) => !secret));
    const hasOpenInput = openText(valuesBefore) !== openText(filledValues);
    const requests: Request[] = [];
    const isSent = (request: Request) =>
      entry.readUrl === undefined ? request.method() !== 'GET' : entry.readUrl.test(request.url());
    const note = (request: Request) => isSent(request) && requests.push(request);
    page.on('request', note);
    const sendButton = form.locator('[type=submit]').first();

    await context.setOffline(true);
    await sendButton.click();
    await page
      .getByText(language === 'de' ? 'Der Dienst ist nicht erreichbar.' : 'The service cannot be reached.')
      .waitFor();
    if (serialize(await valuesOf(form)) !== serialize(filledValues)) faults.push('what was typed is gone');
    const offlineRequests = requests.splice(0);
    if (hasOpenInput) {
      await page.evaluate('history.back()');
      const question = page.getByRole('dialog', { name: /^(Discard what you typed|Eingaben verwerfen)/ });
      await question.waitFor();
      await question.getByRole('button', { name: /^(Keep editing|Weiter bearbeiten)$/ }).click();
      if (serialize(await valuesOf(form)) !== serialize(filledValues)) faults.push('the back button lost it');
    }
    await context.setOffline(false);

    // The session ends; in another tab the person signs in again.
    const expiry = { error: 'Your session has expired.', code: 'token_expired', request_id: 'req_1' };
    const expireSession = (route: Route) =>
      isSent(route.request()) ? route.fulfill({ status: 401, json: expiry }) : route.continue();
    await page.route('**/app/**', expireSession);
    await sendButton.click();
    const notice = page.getByText(
      language === 'de' ? /nach einer Zeit ohne Aktivität/ : /after a time without activity/,
    );
    await notice.waitFor();
    await page.unroute('**/app/**', expireSession);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await notice.waitFor({ state: 'hidden' });
    await settle(page);
    if (serialize(await valuesOf(form)) !== serialize(filledValues)) faults.push('the end of the session lost it');
    requests.splice(0);

    let release = () => {};
    const releaseSignal = new Promise<void>((resolve) => {
      release = resolve;
    });
    const delay = async (route: Route) => {
      if (isSent(route.request())) await releaseSignal;
      await route.continue();
    };
    await page.route('**/app/**', delay);
    const request = page.waitForRequest(isSent);
    // In one go, and again when the page has painted that it is busy.
    await form.evaluate((element: { requestSubmit(): void }) => {
      element.requestSubmit();
      element.requestSubmit();
    });
    await request;
    await sendButton.and(page.locator('[data-loading], [aria-disabled=true], :disabled')).waitFor();
    await sendButton.press('Enter', { noWaitAfter: true });
    await form.evaluate((element: { requestSubmit(): void }) => element.requestSubmit());
    if (requests.length !== 1) faults.push(`sent ${requests.length} times`);
    if (requests[0]?.url() !== offlineRequests[0]?.url() || requests[0]?.postData() !== offlineRequests[0]?.postData())
      faults.push(`sent ${requests[0]?.postData()} after ${offlineRequests[0]?.postData()}`);
    const answer = requests[0]?.response();
    release();
    const status = (await answer)?.status() ?? 0;
    await page.unroute('**/app/**', delay);
    page.off('request', note);
    if (status >= 500 || status === 0) faults.push(`answered with ${status}`);
    await settle(page);
    return faults.map((fault) => `${entry.file} at ${entry.path}: ${fault}`);
  }

  it('every form keeps its input offline and after sign-out, sends it once, and survives the back button', async () => {
    const rhea = await addSuperAdmin(stage.world, { companyId: stage.world.nord });
    await giveFactors(stage.world, [stage.world.people.ada]);
    await addUser(stage.world, 'Lea', { role: 'approver' });
    const person = await stage.person({ signedIn: rhea });
    const { page } = person;
    await page.clock.setFixedTime(stage.world.now());
    await person.go('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settle(page);
    const answer = await (await signIn(stage.world, rhea)).call('POST', '/app/admin/extensions', {
      body: {
        name: 'Hall display',
        scopes: ['read:clock_states'],
        acting: 'everyone',
        company_id: stage.world.nord,
        mode: 'api',
      },
    });
    expect(answer.status).toBe(201);
    const extension = String((answer.body['extension'] as { id: unknown }).id);
    const terminal = (await openDoor(stage.world, 'hall 8')).terminalId;
    const table = forms({ ada: stage.world.people.ada, extension, terminal });
    const faults: string[] = [];
    for (const [index, entry] of table.entries()) {
      // The second half in German.
      const language = index < table.length / 2 ? 'en' : 'de';
      if (index === Math.ceil(table.length / 2)) await speak(page, 'de');
      // Limits count by the world's time.
      stage.world.advance(20 * second);
      try {
        faults.push(...(await faultsOf(person, entry, language)));
      } catch (problem) {
        faults.push(`${entry.file} at ${entry.path}: ${String(problem).slice(0, 300)}`);
        await person.context.setOffline(false);
        await page.unrouteAll();
      }
    }
    expect(faults).toEqual([]);
  });

  it('every form is in this list', () => {
    const listedFiles = [
      ...new Set([
        ...forms({ ada: 1, extension: '', terminal: '' }).map(({ file }) => file),
        ...Object.keys(exclusions),
      ]),
    ];
    expect(listedFiles.sort()).toEqual(filesWithForms);
  });

  it('a form saves what was changed in it, and no earlier value of the fields that another admin has changed', async () => {
    const { world } = stage;
    const rhea = await addSuperAdmin(world, { companyId: world.nord });
    const colleague = await signIn(world, rhea);
    const paths = [`/app/admin/people/${world.people.ada}`, `/app/admin/companies/${world.nord}`] as const;
    const change = async (path: string, body: object) =>
      expect(await colleague.call('PATCH', path, { body })).toMatchObject({ status: 200 });
    const person = await stage.person({ signedIn: rhea });
    const { page } = person;
    const save = async () => {
      await page.getByRole('button', { name: 'Save' }).first().click();
      await page.getByText('Saved.').waitFor();
    };

    await person.go(`/company/people/${world.people.ada}`);
    await page.getByLabel('Last name').fill('Lang-Voss');
    await change(paths[0], { personnel_number: 'NL-77', department_id: null });
    await save();
    const { body: ada } = await colleague.call('GET', paths[0]);
    expect(ada).toMatchObject({ last_name: 'Lang-Voss', personnel_number: 'NL-77' });
    expect(ada).not.toHaveProperty('department');

    await person.follow('/company/rules');
    await page.getByLabel('Name of the company').fill('Nordlicht SE');
    // The page hears of the change, and reads again while the form is open.
    const read = page.waitForResponse((response) => response.url().endsWith(paths[1]));
    await change(paths[1], { idle_minutes: 240 });
    await read;
    await settle(page);
    expect(await page.getByLabel('Name of the company').inputValue()).toBe('Nordlicht SE');
    await save();
    expect((await colleague.call('GET', paths[1])).body).toMatchObject({ name: 'Nordlicht SE', idle_minutes: 240 });
  });
});
