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
import { describeInBrowser, type Person, settled, speak, useChromium } from './chromium.js';
import { addUser, giveFactors } from './people.js';

interface Form {
  /** The file below service/web/src. */
  readonly of: string;
  readonly path: string;
  /** Which form of the page, where there are several. */
  readonly at?: number;
  readonly open?: (page: Page) => Promise<unknown>;
  /** For its fields of text, in their order; what is missing or undefined is filled by its kind. */
  readonly values?: readonly (string | undefined)[];
  /** The address of what it reads, where it changes nothing. */
  readonly reads?: RegExp;
}

const button = (page: Page, name: RegExp) => page.getByRole('button', { name }).first().click();

interface Ids {
  readonly ada: number;
  readonly extension: string;
  readonly terminal: string;
}

/** Forms that are not in this walk, and why. */
const others: Readonly<Record<string, string>> = {
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
    { of: 'hr/departments-page.tsx', path: '/company/departments' },
    { of: 'hr/new-person-page.tsx', path: '/company/people/new' },
    { of: 'hr/person-profile.tsx', path: person('profile') },
    { of: 'working-time/schedules.tsx', path: person('hours') },
    { of: 'working-time/special-rules.tsx', path: person('hours'), at: 1 },
    { of: 'working-time/person-schedules.tsx', path: person('hours'), at: 2, values: [undefined, '1:30'] },
    { of: 'absences/person-vacation.tsx', path: person('vacation') },
    { of: 'absences/person-vacation.tsx', path: person('vacation'), at: 1 },
    { of: 'absences/vacation-booking.tsx', path: person('vacation'), at: 2 },
    { of: 'months/person-account.tsx', path: person('account'), values: ['1:30'] },
    { of: 'hr/person-access.tsx', path: person('access') },
    { of: 'hr/company-settings.tsx', path: '/company/rules' },
    { of: 'working-time/schedules.tsx', path: '/company/rules?tab=hours' },
    { of: 'working-time/holidays.tsx', path: '/company/rules?tab=holidays' },
    { of: 'months/flexitime-limits.tsx', path: '/company/rules?tab=accounts', values: ['40', '-10'] },
    { of: 'absences/vacation-rules.tsx', path: '/company/rules?tab=vacation', values: [undefined, '31.03.'] },
    { of: 'absences/entitlements.tsx', path: '/company/rules?tab=vacation', at: 1 },
    { of: 'absences/absence-types.tsx', path: '/company/rules?tab=types' },
    { of: 'months/payroll-page.tsx', path: '/company/payroll', reads: /payroll\/export/ },
    { of: 'months/payroll-page.tsx', path: '/company/payroll', at: 1 },
    { of: 'access/sign-in-settings-page.tsx', path: '/company/sign-in' },
    {
      of: 'hr/companies-page.tsx',
      path: '/company/companies',
      open: (page) => button(page, /^(Add company|Unternehmen hinzufügen)$/),
    },
    { of: 'extensions/new-extension-page.tsx', path: '/admin/extensions/new' },
    { of: 'extensions/extension-page.tsx', path: `/admin/extensions/${extension}?tab=settings` },
    { of: 'extensions/extension-keys.tsx', path: `/admin/extensions/${extension}?tab=keys` },
    { of: 'terminals/terminal-page.tsx', path: `/admin/terminals/${terminal}` },
    { of: 'terminals/new-terminal-page.tsx', path: '/admin/terminals/new' },
    { of: 'inbox/substitutes-page.tsx', path: '/team/substitutes' },
    { of: 'access/password-page.tsx', path: '/profile/password' },
    { of: 'terminals/my-badges-page.tsx', path: '/profile/badges', values: ['271828', '271828'] },
    {
      of: 'clock/correction-form.tsx',
      path: '/time',
      open: (page) => button(page, /^(Details of|Einzelheiten)/),
      values: ['0800', '1630'],
    },
    { of: 'absences/request-form.tsx', path: '/absences', open: chooseDays },
    // Last: a person who has removed the authenticator sets up another before anything else.
    { of: 'access/authenticator-section.tsx', path: '/profile/second-factor' },
  ];
};

async function chooseDays(page: Page): Promise<void> {
  await settled(page);
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
const shown = (values: unknown) => JSON.stringify(values);

/** @param kind the type of a field; of one for text, its example or its keyboard */
function usualOf(kind: string, language: 'de' | 'en'): string {
  const day = language === 'de' ? '01.12.2026' : '01/12/2026';
  const usual: Readonly<Record<string, string>> = {
    'DD/MM/YYYY': day,
    'TT.MM.JJJJ': day,
    password: 'nine tame otters swim',
    email: 'new.person@clockproof.example',
    time: '08:00',
    number: '12',
    numeric: '12',
    decimal: '12',
  };
  return usual[kind] ?? 'Something';
}

async function fill(form: Locator, { values = [] }: Form, language: 'de' | 'en'): Promise<void> {
  const fields = form.locator('input:not([type=checkbox], [type=radio], [type=hidden]), textarea');
  let at = 0;
  for (const field of await fields.all()) {
    if (!(await field.isVisible()) || !(await field.isEditable())) continue;
    const { kind, hint, mode } = await field.evaluate(
      ({ type, placeholder, inputMode }: { type: string; placeholder: string; inputMode: string }) => ({
        kind: type,
        hint: placeholder,
        mode: inputMode,
      }),
    );
    const usual = usualOf(kind === 'text' ? hint || mode : kind, language);
    const value = values[at] ?? ((await field.inputValue()) === '' ? usual : undefined);
    at += 1;
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
  const at = useChromium();

  /** What is wrong with a form: nothing with a good one. */
  async function faultsOf({ page, context, follow }: Person, one: Form, language: 'de' | 'en'): Promise<string[]> {
    const faults: string[] = [];
    await follow('/');
    await follow(one.path);
    await one.open?.(page);
    const form = page.locator('main form:visible').nth(one.at ?? 0);
    await form.waitFor();
    await settled(page);
    const before = await valuesOf(form);
    await fill(form, one, language);
    await settled(page);
    const filled = await valuesOf(form);
    // Nobody is asked about a password.
    const open = (values: typeof before) => shown(values.filter(([, secret]) => !secret));
    const typed = open(before) !== open(filled);
    const asked: Request[] = [];
    const isSent = (request: Request) =>
      one.reads === undefined ? request.method() !== 'GET' : one.reads.test(request.url());
    const note = (request: Request) => isSent(request) && asked.push(request);
    page.on('request', note);
    const send = form.locator('[type=submit]').first();

    await context.setOffline(true);
    await send.click();
    await page
      .getByText(language === 'de' ? 'Der Dienst ist nicht erreichbar.' : 'The service cannot be reached.')
      .waitFor();
    if (shown(await valuesOf(form)) !== shown(filled)) faults.push('what was typed is gone');
    const first = asked.splice(0);
    if (typed) {
      await page.evaluate('history.back()');
      const question = page.getByRole('dialog', { name: /^(Discard what you typed|Eingaben verwerfen)/ });
      await question.waitFor();
      await question.getByRole('button', { name: /^(Keep editing|Weiter bearbeiten)$/ }).click();
      if (shown(await valuesOf(form)) !== shown(filled)) faults.push('the back button lost it');
    }
    await context.setOffline(false);

    // The session ends; in another tab the person signs in again.
    const over = { error: 'Your session has expired.', code: 'token_expired', request_id: 'req_1' };
    const end = (route: Route) =>
      isSent(route.request()) ? route.fulfill({ status: 401, json: over }) : route.continue();
    await page.route('**/app/**', end);
    await send.click();
    const why = page.getByText(language === 'de' ? /nach einer Zeit ohne Aktivität/ : /after a time without activity/);
    await why.waitFor();
    await page.unroute('**/app/**', end);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await why.waitFor({ state: 'hidden' });
    await settled(page);
    if (shown(await valuesOf(form)) !== shown(filled)) faults.push('the end of the session lost it');
    asked.splice(0);

    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = async (route: Route) => {
      if (isSent(route.request())) await released;
      await route.continue();
    };
    await page.route('**/app/**', slow);
    const request = page.waitForRequest(isSent);
    // In one go, and again when the page has painted that it is busy.
    await form.evaluate((element: { requestSubmit(): void }) => {
      element.requestSubmit();
      element.requestSubmit();
    });
    await request;
    await send.and(page.locator('[data-loading], [aria-disabled=true], :disabled')).waitFor();
    await send.press('Enter', { noWaitAfter: true });
    await form.evaluate((element: { requestSubmit(): void }) => element.requestSubmit());
    if (asked.length !== 1) faults.push(`sent ${asked.length} times`);
    if (asked[0]?.url() !== first[0]?.url() || asked[0]?.postData() !== first[0]?.postData())
      faults.push(`sent ${asked[0]?.postData()} after ${first[0]?.postData()}`);
    const answer = asked[0]?.response();
    release();
    const status = (await answer)?.status() ?? 0;
    await page.unroute('**/app/**', slow);
    page.off('request', note);
    if (status >= 500 || status === 0) faults.push(`answered with ${status}`);
    await settled(page);
    return faults.map((fault) => `${one.of} at ${one.path}: ${fault}`);
  }

  it('every form keeps its input offline and after sign-out, sends it once, and survives the back button', async () => {
    const rhea = await addSuperAdmin(at.world, { companyId: at.world.nord });
    await giveFactors(at.world, [at.world.people.ada]);
    await addUser(at.world, 'Lea', { role: 'approver' });
    const person = await at.person({ signedIn: rhea });
    const { page } = person;
    await page.clock.setFixedTime(at.world.now());
    await person.go('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await settled(page);
    const made = await (await signIn(at.world, rhea)).call('POST', '/app/admin/extensions', {
      body: {
        name: 'Hall display',
        scopes: ['read:clock_states'],
        acting: 'everyone',
        company_id: at.world.nord,
        mode: 'api',
      },
    });
    expect(made.status).toBe(201);
    const extension = String((made.body['extension'] as { id: unknown }).id);
    const terminal = (await openDoor(at.world, 'hall 8')).terminalId;
    const table = forms({ ada: at.world.people.ada, extension, terminal });
    const faults: string[] = [];
    for (const [index, one] of table.entries()) {
      // The second half in German.
      const language = index < table.length / 2 ? 'en' : 'de';
      if (index === Math.ceil(table.length / 2)) await speak(page, 'de');
      // Limits count by the world's time.
      at.world.advance(20 * second);
      try {
        faults.push(...(await faultsOf(person, one, language)));
      } catch (problem) {
        faults.push(`${one.of} at ${one.path}: ${String(problem).slice(0, 300)}`);
        await person.context.setOffline(false);
        await page.unrouteAll();
      }
    }
    expect(faults).toEqual([]);
  });

  it('every form is in this list', () => {
    const listed = [
      ...new Set([...forms({ ada: 1, extension: '', terminal: '' }).map(({ of }) => of), ...Object.keys(others)]),
    ];
    expect(listed.sort()).toEqual(filesWithForms);
  });
});
