/**
 * Every screen of the door in a real browser, as the page draws it from what it gets: both languages, both themes,
 * the reader on every side. `door.browser.test.ts` goes through them as people do.
 */
import { fileURLToPath } from 'node:url';
import { differenceOf } from '@clockproof/platform/testing/pictures';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openScreenServer, type ScreenServer } from '../../src/screen/server.js';
import type { Frame, Screen } from '../../src/screen/view.js';
import { chromiumThere, faultsOf, type Kiosk, openKiosk } from './chromium.js';

const artefacts = {
  folder: fileURLToPath(new URL('pictures/', import.meta.url)),
  reports: fileURLToPath(new URL('../../../.reports/pictures/', import.meta.url)),
  colours: ['--bg', '--surface', '--text', '--accent', '--accent-weak', '--warn', '--refuse', '--refuse-bg'],
};

const now = Date.UTC(2026, 10, 23, 10, 10);
const closes = { left: 2_000, total: 3_000 };
const person = { firstName: 'Leonie-Sophie' };
/** Every screen of the agent, with the longest texts of each. */
const screens: Readonly<Record<string, Screen>> = {
  starting: { name: 'starting' },
  idle: { name: 'idle', issuing: undefined },
  'idle-issuing': { name: 'idle', issuing: 'Leonie-Sophie' },
  checking: { name: 'checking' },
  offline: { name: 'offline', stopped: false, records: true, waiting: 4 },
  'offline-not-here': { name: 'offline', stopped: false, records: false, waiting: 0 },
  stopped: { name: 'offline', stopped: true, records: true, waiting: 2 },
  'stopped-not-here': { name: 'offline', stopped: true, records: false, waiting: 0 },
  'no-reader': { name: 'no_reader' },
  unpaired: { name: 'unpaired', busy: false, message: 'wrong' },
  'unpaired-refused': { name: 'unpaired', busy: false, message: 'refused' },
  confirming: { name: 'confirming', fingerprint: 'AS3N-N9TM-CD3M-R0M5', code: '7K3M-Q9XT' },
  choice: {
    name: 'choice',
    ...person,
    state: 'in',
    since: now - 11_520_000,
    actions: ['out', 'break_start'],
    default: 'out',
    countdown: { left: 5_000, total: 6_000 },
    account: true,
  },
  'choice-break': {
    name: 'choice',
    ...person,
    state: 'on_break',
    since: now,
    actions: ['break_end', 'out'],
    default: 'break_end',
    countdown: undefined,
    account: true,
  },
  'choice-forgotten': {
    name: 'choice',
    ...person,
    state: 'in',
    since: now - 4 * 86_400_000,
    actions: ['in', 'out'],
    default: undefined,
    countdown: undefined,
    account: true,
  },
  pin: { name: 'pin', ...person, purpose: 'account', wrong: { triesLeft: 3 } },
  saving: { name: 'saving', ...person, purpose: 'break_end', late: true },
  done: {
    name: 'done',
    ...person,
    action: 'break_end',
    repeat: false,
    time: now,
    warning: 'Zwischen Feierabend und Arbeitsbeginn lagen nur 9 Stunden und 30 Minuten Ruhezeit.',
    account: true,
    closes,
  },
  repeat: {
    name: 'done',
    ...person,
    action: 'break_start',
    repeat: true,
    time: now,
    warning: undefined,
    account: true,
    closes,
  },
  account: {
    name: 'account',
    ...person,
    info: { worked_today_minutes: 192, balance_minutes: 760, vacation_days_left: 11.5 },
    closes,
  },
  refused: { name: 'refused' },
  removed: { name: 'removed' },
  issued: { name: 'issued' },
  'choose-pin': { name: 'choose_pin', ...person, again: false, differs: true },
  'choose-pin-again': { name: 'choose_pin', ...person, again: true, differs: false },
  'saving-pin': { name: 'saving_pin', ...person },
  'pin-chosen': { name: 'pin_chosen' },
  'pin-not-chosen': { name: 'pin_not_chosen' },
  'no-account': { name: 'no_account', stamped: true, noPin: false },
  'no-account-no-pin': { name: 'no_account', stamped: true, noPin: true },
  locked: { name: 'locked', ...person, minutes: 59 },
  unsure: { name: 'unsure', ...person },
  'offline-choice': { name: 'offline_choice' },
  'offline-saved': { name: 'offline_saved', action: 'break_start', time: now, closes },
  ...Object.fromEntries(
    (
      [
        'month_closed',
        'department_not_allowed',
        'changed',
        'unreachable',
        'not_written',
        'switched_off',
        'stopped',
        'no_pin',
        'other',
      ] as const
    ).map((why) => [`failed-${why}`, { name: 'failed', why } satisfies Screen]),
  ),
};

const describeHere = chromiumThere ? describe : describe.skip;

describeHere('each screen of the door', () => {
  let server: ScreenServer;
  let kiosk: Kiosk;
  let visit = 0;
  let frame: Frame;

  beforeAll(async () => {
    frame = frameOf({ name: 'starting' });
    server = await openScreenServer({ port: 0, frame: () => frame, act: () => undefined });
    kiosk = await openKiosk(`http://127.0.0.1:${server.port}/`);
  });
  afterAll(async () => {
    await kiosk.close();
    await server.close();
  });

  const frameOf = (screen: Screen, more: Partial<Frame> = {}): Frame => ({
    theme: 'light',
    reader: 'right',
    sound: 'off',
    timeZone: 'Europe/Berlin',
    service: 'time.nordlicht-logistik.example',
    visit: ++visit,
    language: 'de',
    now,
    place: 'Eingang Halle 2',
    line: screen.name === 'unpaired' || screen.name === 'confirming' ? screen.name : 'online',
    offlineSince: undefined,
    played: undefined,
    screen,
    ...more,
  });
  const show = async (screen: Screen, more: Partial<Frame>) => {
    frame = frameOf(screen, more);
    server.show(frame);
    await kiosk.page.locator(`.screen.${screen.name}`).waitFor();
    await kiosk.page.locator(`html[lang=${frame.language}][data-reader=${frame.reader}]`).waitFor();
  };

  it.each(Object.entries(screens))('%s fits, and is accessible, in English on a dark page', async (name, screen) => {
    await show(screen, { language: 'en', theme: 'dark' });
    expect(await faultsOf(kiosk.page, `screen-${name}-en-dark`)).toEqual([]);
    expect(kiosk.complaints).toEqual([]);
  });

  it('says the day of a stamp that is not of today', async () => {
    const readStanding = async (since: number, language: 'de' | 'en') => {
      const forgottenScreen = screens['choice-forgotten'] as Extract<Screen, { name: 'choice' }>;
      await show({ ...forgottenScreen, actions: ['out', 'break_start'], since }, { language });
      return kiosk.page.locator('.standing').innerText();
    };
    expect(await readStanding(now - 600_000, 'de')).toBe('Eingestempelt seit 11:00 · 0:10 h');
    expect(await readStanding(now - 86_400_000, 'de')).toBe('Eingestempelt seit So 11:10 · 24:00 h');
    expect(await readStanding(now - 4 * 86_400_000, 'en')).toBe('Clocked in since Thu 11:10 · 96:00 h');
    expect(await readStanding(now - 7 * 86_400_000, 'en')).toBe('Clocked in since 16 Nov 11:10 · 168:00 h');
  });

  /** The others stand in `door.browser.test.ts` in German. */
  const germanHere = Object.entries(screens).filter(([name]) =>
    /^(choose-pin|saving-pin|pin-|failed|no-account|issued|locked|removed|idle-|repeat|stopped|unpaired)/.test(name),
  );
  it.each(germanHere)('%s fits, and is accessible, in German', async (name, screen) => {
    await show(screen, {});
    expect(await faultsOf(kiosk.page, `screen-${name}`)).toEqual([]);
  });

  it('load themselves again after an upgrade of the agent, and not after a restart', async () => {
    await show({ name: 'idle', issuing: undefined }, {});
    const { port } = server;
    const loads: string[] = [];
    kiosk.page.on('load', () => loads.push('load'));
    const restart = async (version?: string) => {
      await server.close();
      await kiosk.page.locator('.screen.starting').waitFor();
      frame = frameOf({ name: 'idle', issuing: undefined });
      const options = { port, frame: () => frame, act: () => undefined };
      server = await openScreenServer(version === undefined ? options : { ...options, version });
      await kiosk.page.locator('.screen.idle').waitFor();
    };
    await restart();
    expect(loads).toEqual([]);
    const load = kiosk.page.waitForEvent('load');
    await restart('1.2.1');
    await load;
    await kiosk.page.locator('.screen.idle').waitFor();
  });

  it('look as in the pictures that are kept of them', async () => {
    const { page } = kiosk;
    const differences: (string | undefined)[] = [];
    for (const [name, language, theme] of [
      ['idle', 'de', 'light'],
      ['choice-break', 'en', 'light'],
      ['pin', 'de', 'dark'],
      ['refused', 'de', 'light'],
      ['offline', 'en', 'dark'],
      ['unpaired', 'en', 'light'],
    ] as const) {
      await show(screens[name]!, { language, theme });
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      await page.mouse.move(0, 0);
      await page.evaluate('document.activeElement?.blur(); document.fonts.ready.then(() => undefined)');
      differences.push(await differenceOf(page, `${name}-${language}-${theme}.png`, artefacts));
    }
    expect(differences.filter((difference) => difference !== undefined)).toEqual([]);
  });

  it.each(['left', 'below'] as const)('shows the way to a reader that is %s', async (reader) => {
    for (const name of ['idle', 'checking', 'offline', 'no-reader']) {
      await show(screens[name]!, { reader });
      expect(await faultsOf(kiosk.page, `screen-${name}-${reader}`)).toEqual([]);
    }
    await show(screens['idle']!, { reader });
    const panel = (await kiosk.page.locator('.panel').boundingBox())!;
    const front = (await kiosk.page.locator('.front').boundingBox())!;
    if (reader === 'left') expect(panel.x + panel.width).toBeLessThanOrEqual(front.x + 1);
    else expect(panel.x).toBeGreaterThanOrEqual(front.x);
  });

  it('writes digits of one width, told apart, in a face of its own', async () => {
    await show(screens['confirming']!, {});
    const readFont = (selector: string) =>
      kiosk.page.evaluate<{ readonly family: string; readonly features: string; readonly loaded: boolean }>(
        `(async () => {
          await document.fonts.ready;
          const { fontFamily: family, fontFeatureSettings: features } = getComputedStyle(document.querySelector('${selector}'));
          return { family, features, loaded: document.fonts.check('20px "Inter Variable"') };
        })()`,
      );
    const fingerprint = await readFont('.fingerprint');
    expect(fingerprint.family).toMatch(/^"Inter Variable"/);
    expect(fingerprint.loaded).toBe(true);
    for (const feature of ['tnum', 'cv11', 'zero']) expect(fingerprint.features).toContain(`"${feature}"`);
    await show(screens['unpaired']!, {});
    for (const feature of ['tnum', 'cv11', 'zero'])
      expect((await readFont('.cells')).features).toContain(`"${feature}"`);
    await show(screens['idle']!, {});
    for (const feature of ['tnum', 'cv11']) expect((await readFont('.clock')).features).toContain(`"${feature}"`);
    // The face has the requested features: another a, another zero, and digits of one width.
    for (const [feature, text] of [
      ['cv11', 'aaaa'],
      ['zero', '0000'],
      ['tnum', '1111'],
    ] as const) {
      const redraw = async (settings: string) => {
        await kiosk.page.evaluate(
          `(() => {
            const text = document.createElement('div');
            text.id = 'drawn';
            text.textContent = '${text}';
            text.style.cssText = 'position: fixed; inset: 0 auto auto 0; z-index: 9; width: 400px; background: white; font-size: 60px';
            text.style.fontFeatureSettings = '${settings}';
            document.body.append(text);
          })()`,
        );
        const picture = await kiosk.page.locator('#drawn').screenshot();
        await kiosk.page.evaluate(`document.getElementById('drawn').remove()`);
        return picture;
      };
      expect([feature, (await redraw('normal')).equals(await redraw(`"${feature}"`))]).toEqual([feature, false]);
    }
    // Times do not jump from minute to minute.
    const widths = await kiosk.page.evaluate<readonly number[]>(
      `['11:11', '00:00', '20:48'].map((text) => {
        const clock = document.querySelector('.clock').cloneNode();
        clock.style.cssText = 'position: absolute; width: max-content';
        clock.textContent = text;
        document.body.append(clock);
        const { width } = clock.getBoundingClientRect();
        clock.remove();
        return Math.round(width);
      })`,
    );
    expect(new Set(widths).size).toBe(1);
  });

  it('leaves the elements of a screen alone while nothing on it changes', async () => {
    const { page } = kiosk;
    for (const name of ['idle', 'offline', 'no-reader', 'unpaired', 'confirming', 'locked', 'issued']) {
      await show(screens[name]!, {});
      const changes = page.evaluate<number>(
        `new Promise((resolve) => {
          let changes = 0;
          new MutationObserver((records) => { changes += records.length; }).observe(document.getElementById('screen'),
            { subtree: true, childList: true, attributes: true, characterData: true });
          setTimeout(() => resolve(changes), 350);
        })`,
      );
      server.show(frame);
      expect([name, await changes]).toEqual([name, 0]);
    }
  });

  it('writes a name with a narrow hyphen', async () => {
    for (const name of ['idle-issuing', 'choice', 'pin', 'saving', 'done', 'account']) {
      await show(screens[name]!, {});
      const features = await kiosk.page.evaluate<readonly string[]>(
        `[...document.querySelectorAll('*')]
          .filter(({ childNodes }) => [...childNodes].some(({ nodeType, data }) => nodeType === 3 && data.includes('${person.firstName}')))
          .map((element) => getComputedStyle(element).fontFeatureSettings)`,
      );
      expect([name, features]).toEqual([name, ['"cv11"']]);
    }
  });
});
