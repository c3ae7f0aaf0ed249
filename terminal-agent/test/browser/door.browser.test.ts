/** The door as people meet it: a real browser, a simulated card, a small service, and time that the test moves. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { fetch } from 'undici';
import { readRunConfig } from '../../src/config.js';
import { deviceFacts } from '../../src/device-facts.js';
import { type SimulatedReader, simulatedReader } from '../../src/reader/simulated.js';
import type { Fetch } from '../../src/request.js';
import { runWithScreen } from '../../src/screen/terminal.js';
import { badge, badgeKeys, newCard } from '../door.js';
import { type FakeService, startFakeService } from '../fake-service.js';
import { type TestClock, testClock } from '../test-clock.js';
import { chromiumThere, faultsOf, type Kiosk, openKiosk } from './chromium.js';

const random = (length: number): Uint8Array => Uint8Array.from(randomBytes(length));
let folder: string;
let service: FakeService;
let reader: SimulatedReader;
let clock: TestClock;
let kiosk: Kiosk;
let page: Page;
const stop = new AbortController();
let run: Promise<void>;
let address: string;
const faults: string[] = [];

const look = async (name: string): Promise<void> => {
  faults.push(...(await faultsOf(page, name)));
};
const waitForScreen = (name: string) => page.locator(`.screen.${name}`).waitFor();
const heading = () => page.locator('h1').textContent();

/** Holds a badge to the reader for a moment. */
function hold(card: ReturnType<typeof newCard>): void {
  reader.place({ card, uid: card.memory.uid, store: () => Promise.resolve() });
}

/** The admin pages are elsewhere; this is the service's answer to them. */
async function online(isOnline: boolean): Promise<void> {
  service.failures.set('status', isOnline ? [] : Array.from({ length: 1_000 }, () => 'drop' as const));
  await clock.pass(31_000);
}

/**
 * By typing the code; it shows the fingerprint of its own key. The technician cancels at the door, and the administrator
 * confirms all the same. Every test begins at a terminal in service.
 */
async function pairByCode(): Promise<void> {
  await waitForScreen('unpaired');
  await page.getByRole('button', { name: '7', exact: true }).click();
  await page.keyboard.type('k3mq');
  await look('pairing-code');
  await page.keyboard.press('Backspace');
  await page.keyboard.type('aaaa');
  await page.getByRole('button', { name: 'Koppeln' }).click();
  await page.getByText('Code nicht gültig').waitFor();
  expect(await page.locator('.cell').allTextContents()).toEqual(Array.from({ length: 8 }, () => ''));
  await page.keyboard.type('7k3mq9xt');
  await page.keyboard.press('Enter');
  await waitForScreen('confirming');
  await look('pairing');
  const text = await page.locator('.fingerprint').textContent();
  expect(text?.replaceAll('-', '')).toMatch(/^[0-9A-HJKMNP-TV-Z]{16}$/);
  await page.getByRole('button', { name: 'Abbrechen' }).click();
  await waitForScreen('unpaired');
  await clock.pass(4_000);
  await waitForScreen('unpaired');
  service.terminal.confirmed = true;
  await clock.pass(2_000);
  await waitForScreen('idle');
}

const describeThere = chromiumThere ? describe : describe.skip;

describeThere('the door', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'door-'));
    service = await startFakeService();
    Object.assign(service.offers, { info: true, offline: true });
    service.sealKey = 'NYBy1jZYgNGu6jKa35EhODhR7SGijjt16WXQ0s0WYlQ=';
    // The service takes signatures of the real time; the door counts from there.
    clock = testClock(Date.now());
    reader = simulatedReader(clock.sleep);
    const config = readRunConfig({
      SERVICE_URL: service.address.href,
      STATE_DIR: folder,
      SCREEN_PORT: '0',
      TIME_ZONE: 'Europe/Berlin',
      SOUND: 'quiet',
    });
    const lines: string[] = [];
    const world = {
      fetch: fetch as Fetch,
      now: clock.now,
      elapsed: clock.elapsed,
      uptime: clock.elapsed,
      sleep: clock.sleep,
      random,
      device: 'a test',
      print: (line: string) => void lines.push(line),
    };
    run = runWithScreen(
      { ...config, screen: config.screen! },
      world,
      { reader, facts: deviceFacts(reader) },
      stop.signal,
    );
    while (!lines.some((line) => line.startsWith('Screen: '))) await clock.pass(1);
    address = lines.find((line) => line.startsWith('Screen: '))!.replace('Screen: ', '');
    kiosk = await openKiosk(address);
    page = kiosk.page;
    await pairByCode();
  });
  beforeEach(() => void reader.take());
  afterAll(async () => {
    // On none of the screens: nothing from elsewhere, no breach of the policy, nothing that axe-core finds, too wide or
    // too small for fingers.
    expect([...kiosk.addresses].filter((url) => !url.startsWith(address))).toEqual([]);
    expect(kiosk.complaints).toEqual([]);
    expect(faults).toEqual([]);
    await kiosk.close();
    stop.abort();
    await run;
    await service.close();
    await rm(folder, { recursive: true });
  });

  it('takes a badge, offers what is possible, and says what is recorded', async () => {
    const jana = badge(service, {
      firstName: 'Jana',
      state: 'in',
      since: new Date(clock.now() - 11_520_000).toISOString(),
    });
    expect(await heading()).toBe('Ausweis vorhalten');
    await look('idle');
    hold(jana);
    await waitForScreen('choice');
    expect(await heading()).toBe('Hallo Jana');
    await look('choice');
    const actions = page.locator('.action .name');
    expect(await actions.allTextContents()).toEqual(['Gehen', 'Pause']);
    await page.getByRole('button', { name: /^Pause/ }).click();
    await waitForScreen('done');
    expect(await heading()).toBe('Pause beginnt');
    await look('done');
    await clock.pass(3_000);
    await waitForScreen('idle');
    expect(await page.content()).not.toContain('Jana');
    expect(service.badges.get('04958caa5c5e80')!.state).toBe('on_break');
  });

  it('speaks English where somebody asks for it, and makes the default with a second hold', async () => {
    await page.getByRole('button', { name: 'English' }).click();
    await page.locator('html[lang="en"]').waitFor({ state: 'attached' });
    expect(await heading()).toBe('Hold your badge to the reader');
    await look('idle-en');
    const emil = badge(service, { firstName: 'Emil', state: 'out' }, '04000000000001');
    hold(emil);
    await waitForScreen('choice');
    expect(await page.locator('.action .name').allTextContents()).toEqual(['Clock in']);
    await look('choice-en');
    reader.take();
    hold(emil);
    await waitForScreen('done');
    expect(await heading()).toBe('Clocked in');
    await look('done-en');
    await clock.pass(3_000);
    await page.locator('html[lang="de"]').waitFor({ state: 'attached' });
  });

  it('makes the default after the countdown, and never after a touch', async () => {
    const ada = badge(service, { firstName: 'Ada', state: 'out', language: 'en' }, '04000000000002');
    hold(ada);
    await waitForScreen('choice');
    await page.locator('html[lang="en"]').waitFor({ state: 'attached' });
    await page.locator('h1').click();
    await page.locator('.countdown').waitFor({ state: 'detached' });
    await clock.pass(6_000);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await waitForScreen('idle');
    expect(service.badges.get('04000000000002')!.state).toBe('out');
    reader.take();
    hold(ada);
    await waitForScreen('choice');
    await clock.pass(6_000);
    await waitForScreen('done');
    expect(service.badges.get('04000000000002')!.state).toBe('in');
    await clock.pass(3_000);
    await waitForScreen('idle');
    await page.locator('html[lang="de"]').waitFor({ state: 'attached' });
  });

  it('shows no name longer because the clock of the PC is set back', async () => {
    hold(badge(service, { firstName: 'Ines', state: 'out' }, '04000000000006'));
    await waitForScreen('choice');
    await page.locator('h1').click();
    await page.locator('.countdown').waitFor({ state: 'detached' });
    clock.set(-24 * 3_600_000);
    await clock.pass(30_000);
    await waitForScreen('idle');
    expect(await page.content()).not.toContain('Ines');
    clock.set(24 * 3_600_000);
  });

  it('shows the time account after the PIN, by keyboard alone', async () => {
    const kim = badge(service, { firstName: 'Kim', state: 'in', pin: '012345' }, '04000000000003');
    hold(kim);
    await waitForScreen('choice');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('Gehen');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await waitForScreen('pin');
    await page.keyboard.type('99');
    expect(await page.locator('.digits').getAttribute('aria-label')).toBe('2 von 6 Ziffern');
    await page.keyboard.type('9999');
    await page.keyboard.press('Enter');
    await page.getByText('Noch 4 Versuche').waitFor();
    expect(await page.locator('.digits .full').count()).toBe(0);
    await page.keyboard.type('01');
    await look('pin');
    await page.keyboard.type('2345');
    await page.keyboard.press('Enter');
    await waitForScreen('account');
    expect(await page.locator('dd').allTextContents()).toEqual(['3:34 h', '−1:35 h', '12½ Tage']);
    await look('account');
    await page.keyboard.press('Escape');
    await waitForScreen('idle');
    expect(service.bodies.filter(({ operation }) => operation === 'stamp').at(-1)?.body ?? {}).not.toMatchObject({
      session: service.bodies.filter(({ operation }) => operation === 'info').at(-1)!.body['session'],
    });
  });

  it('lets the holder of a new badge choose a PIN, twice, and sends it once', async () => {
    const rosa = newCard('desfire-ev3', '04000000000007');
    service.issuing = {
      holder: { firstName: 'Rosa', family: 'desfire', keys: badgeKeys, state: 'out' },
      choosesPin: true,
    };
    await clock.pass(5_000);
    await page.getByText('Neuen Ausweis für Rosa vorhalten').waitFor();
    hold(rosa);
    await waitForScreen('choose_pin');
    expect(await heading()).toBe('PIN wählen');
    await look('choose-pin');
    await page.keyboard.type('406318');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'PIN wiederholen' }).waitFor();
    expect(await page.locator('.digits .full').count()).toBe(0);
    await page.keyboard.type('406319');
    await page.keyboard.press('Enter');
    await page.getByText('Die beiden PINs sind verschieden').waitFor();
    const pinRequests = () =>
      service.bodies.filter(({ operation }) => operation === 'pin').map(({ body }) => body['pin']);
    expect(pinRequests()).toEqual([]);
    for (const title of ['PIN wählen', 'PIN wiederholen']) {
      await page.getByRole('heading', { name: title }).waitFor();
      for (const digit of '271828') await page.getByRole('button', { name: digit, exact: true }).click();
      await page.getByRole('button', { name: 'OK' }).click();
    }
    await waitForScreen('pin_chosen');
    await look('pin-chosen');
    expect(pinRequests()).toEqual(['271828']);
    expect(await page.content()).not.toContain('Rosa');
    await clock.pass(6_000);
    await waitForScreen('idle');
  });

  it('refuses every badge alike, and shows no name', async () => {
    hold(newCard('desfire-ev3', '04111111111111'));
    await waitForScreen('refused');
    expect(await page.locator('[role=alert]').textContent()).toContain('Es wurde nichts gestempelt.');
    await look('refused');
    await clock.pass(6_000);
    await waitForScreen('idle');
  });

  it('repeats the same stamp while the answer is lost, and admits it when nobody can tell', async () => {
    const mo = badge(service, { firstName: 'Mo', state: 'out' }, '04000000000004');
    service.failures.set('stamp', ['lose', ...Array.from({ length: 40 }, () => 'drop' as const)]);
    hold(mo);
    await waitForScreen('choice');
    await page.getByRole('button', { name: /^Kommen/ }).click();
    await waitForScreen('saving');
    await clock.pass(1_500);
    await page.getByText('Antwort wird geprüft').waitFor();
    await look('saving');
    await clock.pass(9_000);
    await waitForScreen('unsure');
    await look('unsure');
    service.failures.set('stamp', []);
    await clock.pass(6_000);
    await waitForScreen('idle');
    // Next time nothing is done without a choice.
    reader.take();
    hold(mo);
    await waitForScreen('choice');
    expect(await page.locator('.action.usual').count()).toBe(0);
    await page.keyboard.press('Escape');
    await waitForScreen('idle');
  });

  it('warns in the words of the service', async () => {
    service.warnings.push({
      code: 'w',
      message: 'Zwischen Feierabend und Arbeitsbeginn lagen nur 9 Stunden und 30 Minuten Ruhezeit.',
    });
    hold(badge(service, { firstName: 'Lena', state: 'on_break' }, '04000000000005'));
    await waitForScreen('choice');
    await look('choice-break');
    await page.getByRole('button', { name: /Pause beenden/ }).click();
    await page.getByText('9 Stunden und 30 Minuten').waitFor();
    await look('done-warned');
    service.warnings.length = 0;
    await clock.pass(6_000);
    await waitForScreen('idle');
  });

  it('records stamps without the service, sealed, and uploads them when it is back', async () => {
    await online(false);
    await waitForScreen('offline');
    expect(await page.locator('main').textContent()).toContain('Stempel werden gespeichert');
    await look('offline');
    const jana = newCard('desfire-ev3', '04958caa5c5e80');
    hold(jana);
    await waitForScreen('offline_choice');
    await look('offline-choice');
    expect(await page.locator('.action .name').allTextContents()).toEqual([
      'Kommen',
      'Pause',
      'Gehen',
      'Pause beenden',
    ]);
    await page.getByRole('button', { name: 'Pause beenden' }).click();
    await waitForScreen('offline_saved');
    await look('offline-saved');
    await clock.pass(3_000);
    await waitForScreen('offline');
    await page.getByText('1 Stempel wartet').waitFor();
    const [name] = await readdir(join(folder, 'offline'));
    const journal = await readFile(join(folder, 'offline', name!), 'utf8');
    expect(journal).toContain('"number":1');
    for (const secret of ['04958caa5c5e80', 'break_end', new Date().toISOString().slice(0, 10)])
      expect(journal).not.toContain(secret);
    await online(true);
    await waitForScreen('idle');
    await clock.pass(100);
    expect([...service.offline.keys()]).toEqual([1]);
  });

  it('says so where there is no reader', async () => {
    reader.fail('no card reader is connected');
    await waitForScreen('no_reader');
    await look('no-reader');
    await reader.start();
    await waitForScreen('idle');
  });
});
