/**
 * A real Chromium in front of the real service. It reaches the test world under the address people would use, so that
 * origin, cookies and policy are what they are in life.
 * Pages opened here are watched: scripts that fail and anything the policy refuses make the test fail.
 */

import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromiumFlags, chromiumPath } from '@clockproof/platform/testing/chromium';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from '@jest/globals';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
  type Request,
  type ViewportSize,
} from 'playwright-core';
import { webBuild } from '../../src/service.js';
import { baseUrl, createBrowser, signIn } from '../browser.js';
import { createWorld, type World } from '../world.js';

/** Where there is no Chromium the tests are skipped, which CI counts as failed. */
const hasChromium = chromiumPath !== undefined;
export const describeInBrowser: (name: string, tests: () => void) => void = hasChromium ? describe : describe.skip;

/**
 * A page lives for seconds: what compiling it to faster code saves it, it does not live to see. Only what runs very
 * often, as in axe-core, is compiled. No process is started for a page that nobody has opened.
 */
const frugalFlags = ['--js-flags=--no-turbofan,--invocation-count-for-maglev=4000', '--renderer-process-limit=1'];

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** PICTURES=1 keeps a picture of every page that is looked at, in service/dist/pictures. */
const takesPictures = process.env['PICTURES'] !== undefined;
const pictures = fileURLToPath(new URL('../../dist/pictures/', import.meta.url));
export const widths = {
  phone: { width: 390, height: 844 },
  tablet: { width: 800, height: 1000 },
  desk: { width: 1280, height: 900 },
} as const;

export interface Person {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Opens an address of the installation. */
  go(path: string): Promise<void>;
  /** Goes to another page of the application, as a link in it would: nothing is loaded again. */
  follow(path: string): Promise<void>;
}

export interface Chromium {
  /** A person's own browser, with nothing in it; signed in if an id is given. */
  person(options?: {
    readonly signedIn?: number;
    readonly locale?: string;
    /** The pages that nobody has opened are not loaded, unless this is false. */
    readonly savesData?: boolean;
    /** The size of a screen that is touched. */
    readonly phone?: ViewportSize;
  }): Promise<Person>;
  /** Closes every person's browser. @returns what their pages complained about, which must be nothing */
  leave(): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** One browser, for whatever world is there when a page asks. */
export async function startChromium(world: () => World): Promise<Chromium> {
  if (!existsSync(join(webBuild, 'index.html'))) throw new Error('the pages are not built: make build');
  const tunnel = await openTunnel(() => Number(new URL(world().url).port));
  const browser: Browser = await chromium.launch({
    executablePath: chromiumPath!,
    args: [
      ...chromiumFlags,
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...frugalFlags,
      `--host-resolver-rules=MAP localhost:8080 127.0.0.1:${tunnel.port}`,
    ],
  });
  const complaints: string[] = [];
  return {
    async leave() {
      for (const context of browser.contexts()) await context.close();
      return complaints.splice(0);
    },
    async person({ signedIn, locale = 'en-GB', savesData = true, phone } = {}) {
      const context = await browser.newContext({
        baseURL: baseUrl,
        locale,
        viewport: phone ?? widths.desk,
        hasTouch: phone !== undefined,
        isMobile: phone !== undefined,
        reducedMotion: 'reduce',
        acceptDownloads: true,
      });
      if (signedIn !== undefined) {
        const { cookies } = await signIn(world(), signedIn, createBrowser(world().url));
        await context.addCookies([
          { name: 'session', value: cookies.get('session')!, url: baseUrl, httpOnly: true, sameSite: 'Lax' },
        ]);
      }
      if (savesData)
        await context.addInitScript('Object.defineProperty(navigator.connection, "saveData", { get: () => true })');
      await context.addInitScript(runClockAhead, world().now() - Date.now());
      const page = await context.newPage();
      page.setDefaultTimeout(300_000);
      tellWhenStuck(page);
      countRequests(page);
      page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`));
      page.on('console', (message) => {
        // Refused requests are part of what is tested; the browser notes each of them.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
          complaints.push(`${page.url()}: ${message.text()}`);
      });
      return {
        page,
        context,
        go: async (path) => {
          await page.goto(path, { waitUntil: 'load' });
        },
        follow: async (path) => {
          await page.evaluate(
            `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new Event('clockproof:moved'))`,
          );
        },
      };
    },
    async close() {
      await browser.close();
      tunnel.close();
    },
  };
}

/** The clock of a page runs as any does, beginning with the world's time: no test depends on the day it runs. In the page. */
function runClockAhead(milliseconds: number): void {
  const now = Date.now;
  globalThis.Date = new Proxy(Date, {
    construct: (date, args, newTarget) =>
      Reflect.construct(date, args.length === 0 ? [now() + milliseconds] : args, newTarget) as object,
    get: (date, name, receiver) =>
      name === 'now' ? () => now() + milliseconds : (Reflect.get(date, name, receiver) as unknown),
  });
}

export interface Stage {
  readonly world: World;
  readonly person: Chromium['person'];
}

/** One browser for the tests of a block, a new world for each of them. A page that complains fails its test. */
export function useChromium(prepare: (world: World) => Promise<unknown> = async () => undefined): Stage {
  let world: World;
  let chromium: Chromium;
  beforeAll(async () => {
    chromium = await startChromium(() => world);
  });
  afterAll(() => chromium.close());
  beforeEach(async () => {
    world = await createWorld('sqlite', { pages: true });
    await prepare(world);
  });
  afterEach(async () => {
    expect(await chromium.leave()).toEqual([]);
  });
  afterEach(() => world.close());
  return {
    get world() {
      return world;
    },
    person: (options) => chromium.person(options),
  };
}

/** When nothing has happened on a page for half a minute, a test waits in vain: prints what the page shows and asked for. */
function tellWhenStuck(page: Page): void {
  const requestLines: string[] = [];
  const tell = async () => {
    const visibleText = await page.evaluate<string>(
      '(document.querySelector("main") ?? document.body).innerText.slice(-1500)',
    );
    const pendingUrls = [...(openRequests.get(page) ?? [])].map((request) => request.url());
    console.error(
      `stuck at ${page.url()}, waiting for ${pendingUrls}\n${requestLines.slice(-20).join('\n')}\n--\n${visibleText}`,
    );
  };
  let timer: NodeJS.Timeout | undefined;
  const note = (text: string) => {
    requestLines.push(text);
    clearTimeout(timer);
    timer = setTimeout(() => void tell().catch(() => undefined), 30_000).unref();
  };
  page.on('request', (request) => note(`${request.method()} ${request.url()}`));
  page.on('response', (response) => note(`${response.status()} ${response.url()}`));
  page.on('requestfailed', (request) => note(`${request.failure()?.errorText} ${request.url()}`));
  page.on('close', () => clearTimeout(timer));
}

const openRequests = new WeakMap<Page, Set<Request>>();

function countRequests(page: Page): void {
  const requests = new Set<Request>();
  openRequests.set(page, requests);
  // The stream of live changes never ends.
  page.on('request', (request) => request.resourceType() !== 'eventsource' && requests.add(request));
  page.on('requestfinished', (request) => requests.delete(request));
  page.on('requestfailed', (request) => requests.delete(request));
  // Of a request whose page has gone, the end is not always reported.
  page.on('response', (response) => setTimeout(() => requests.delete(response.request()), 5_000).unref());
}

/** Returns when the page has painted what was asked for, and asks for nothing more. */
export async function settle(page: Page): Promise<void> {
  // Where nothing changes, Chromium may paint no frame. A page whose script has arrived but not run is still busy.
  const paint = () =>
    page.evaluate<boolean>(`new Promise((resolve) => {
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
      setTimeout(resolve, 2_000);
    }).then(() => document.querySelector('[aria-busy="true"]') === null)`);
  await page.waitForLoadState('load');
  const requests = openRequests.get(page)!;
  // What was painted may have asked for more: twice without a request is quiet.
  for (let quietRounds = 0; quietRounds < 2; )
    quietRounds = (await paint()) && requests.size === 0 ? quietRounds + 1 : 0;
}

/** Chromium learns at its start what localhost:8080 is, and outlives the worlds: this leads on to the present one. */
async function openTunnel(targetPort: () => number): Promise<{ readonly port: number; close(): void }> {
  const server = createServer((client) => {
    const upstream = connect(targetPort(), '127.0.0.1');
    const end = (socket: Socket) => () => socket.destroy();
    client.on('error', () => undefined).on('close', end(upstream));
    upstream.on('error', () => undefined).on('close', end(client));
    client.pipe(upstream).pipe(client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

/** Opens the menu behind the person's name, which has their pages, the languages and the way out. */
export async function openAccount(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: /account menu$|Kontomenü$/ });
  await button.waitFor();
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
}

export async function signOutOf(page: Page): Promise<void> {
  await openAccount(page);
  await page.getByRole('button', { name: 'Sign out', exact: true }).click();
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Changes the language, wherever the page has its buttons. */
export async function speak(page: Page, language: 'de' | 'en'): Promise<void> {
  await page
    .locator(`button[lang="${language}"]`)
    .first()
    .evaluate((element: { click(): void }) => element.click());
  await page.locator(`html[lang="${language}"]`).waitFor({ state: 'attached' });
  await settle(page);
}

type Look = readonly [language: 'de' | 'en', colours: 'light' | 'dark', width: keyof typeof widths, withAxe?: boolean];

/**
 * Looks at the page as it stands: in German, light, on a desk, and in English, dark, on a phone.
 * @returns what axe-core finds, what is wider than the screen, and headings that outdo the title; nothing on a good page
 */
export async function faultsOf(person: Person, name: string): Promise<string[]> {
  const faults = await lookAt(person, name, [
    ['de', 'light', 'desk'],
    ['en', 'dark', 'phone'],
  ]);
  await person.page.setViewportSize(widths.desk);
  await dress(person.page, 'light');
  return faults;
}

/** Where axe-core looks at a page, for each language and colours: each width by one of them. It takes most of the time. */
const widthForAxe = {
  'de light': 'desk',
  'de dark': 'phone',
  'en light': 'phone',
  'en dark': 'tablet',
} as const;

/**
 * Looks at the page in all widths where it is light, and in one where it is dark, in each of the languages; on a screen
 * of 320 pixels; and with text of twice the size. @returns as {@link faultsOf}
 */
export async function faultsInAllWidths(
  person: Person,
  name: string,
  dresses: readonly (readonly ['de' | 'en', 'light' | 'dark'])[],
): Promise<string[]> {
  const looks = dresses.flatMap(([language, colours]) =>
    (Object.keys(widths) as (keyof typeof widths)[])
      .map((width) => [language, colours, width, widthForAxe[`${language} ${colours}`] === width] as const)
      // Dark pages are as wide as light ones.
      .filter(([, , , withAxe]) => colours === 'light' || withAxe),
  );
  const faults = await lookAt(person, name, looks);
  const { page } = person;
  for (const [width, textSize] of [
    [320, '100%'],
    [widths.desk.width, '200%'],
    [widths.phone.width, '200%'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate(`document.documentElement.style.fontSize = '${textSize}'`);
    const overflow = await page.evaluate<number>(overflowScript);
    if (overflow > 0)
      faults.push(
        `${name}: ${overflow} pixels wider than a screen of ${width} with text of ${textSize}: ${await page.evaluate<string>(widestScript)}`,
      );
    for (const text of await page.evaluate<string[]>(squeezedTexts))
      faults.push(`${name}: squeezed or overlapping on a screen of ${width} with text of ${textSize}: ${text}`);
  }
  await page.evaluate("document.documentElement.style.fontSize = ''");
  return faults;
}

async function lookAt({ page }: Person, name: string, looks: readonly Look[]): Promise<string[]> {
  const faults: string[] = [];
  await page.locator('h1').waitFor();
  let lastLook = '';
  for (const [language, colours, width, withAxe] of looks) {
    if (lastLook !== `${language} ${colours}`) {
      await dress(page, colours);
      await speak(page, language);
      lastLook = `${language} ${colours}`;
    }
    await page.setViewportSize(widths[width]);
    await settle(page);
    faults.push(...(await look(page, `${name}-${language}-${width}-${colours}`, withAxe)));
  }
  return faults;
}

/** The same in all widths for a page without a choice of language, in the language it has. */
export async function faultsOfPlain({ page }: Person, name: string): Promise<string[]> {
  const faults: string[] = [];
  for (const [width, size] of Object.entries(widths)) {
    await page.setViewportSize(size);
    faults.push(...(await look(page, `${name}-${width}`)));
  }
  return faults;
}

/** The colours of the system, which the pages follow. {@link settle} waits until they are painted. */
async function dress(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' });
}

interface Inspection {
  readonly violations: readonly Violation[];
  /** In pixels. */
  readonly overflow: number;
  /** Texts of several words in figures of one width, which widen hyphens and spaces. */
  readonly wideTexts: readonly string[];
  /** Headings that are larger than the page's title. */
  readonly loudHeadings: readonly string[];
}

const overflowScript = 'document.documentElement.scrollWidth - innerWidth';

/** In the page: what reaches furthest to the right. */
const widestScript = `[...document.querySelectorAll('body *')]
  .toSorted((a, b) => a.getBoundingClientRect().right - b.getBoundingClientRect().right).at(-1).outerHTML.slice(0, 150)`;

/** In the page: texts with hardly more than a letter a line, and labels that are wider than their place. */
const squeezedTexts = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const narrowTexts = [];
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    const text = data.trim();
    if (text.length < 6 || /\\S{50}/.test(text) || !parentElement.checkVisibility() || parentElement.closest('.hidden, select, thead')) continue;
    // Labels that only screen readers read.
    if (parentElement.closest('label')?.offsetWidth === 1) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    if (lines > 3 && lines > text.length / 3) narrowTexts.push(text);
  }
  for (const label of document.querySelectorAll('.thumb > *'))
    if (label.scrollWidth > label.clientWidth + 1) narrowTexts.push(label.textContent);
  return narrowTexts;
})()`;

/** In the page, which may not have axe-core yet: then undefined. */
const inspectionScript = (withAxe: boolean) => `(${
  withAxe ? "globalThis.axe?.run(document, { resultTypes: ['violations'] })" : 'Promise.resolve({ violations: [] })'
})?.then(({ violations }) => {
  const wideTexts = [];
  const nodes = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (nodes.nextNode()) {
    const { parentElement, data } = nodes.currentNode;
    if (!/\\p{L}{2}[- ]\\p{L}{2}/u.test(data)) continue;
    if (parentElement.closest('time, [role="timer"], input, del, ins') !== null) continue;
    if (getComputedStyle(parentElement).fontVariantNumeric.includes('tabular')) wideTexts.push(data);
  }
  const sizeOf = (heading) => parseFloat(getComputedStyle(heading).fontSize);
  const title = document.querySelector('h1');
  const loudHeadings = title === null ? [] : [...document.querySelectorAll('h2, h3, h4')]
    .filter((heading) => sizeOf(heading) >= sizeOf(title))
    .map((heading) => heading.textContent);
  return { violations, overflow: ${overflowScript}, wideTexts, loudHeadings };
})`;

async function look(page: Page, name: string, withAxe = true): Promise<string[]> {
  let report = await page.evaluate<Inspection | undefined>(inspectionScript(withAxe));
  if (report === undefined) {
    // Once a document, and in those that are looked at.
    await page.evaluate(`${axe}; undefined`);
    report = (await page.evaluate<Inspection | undefined>(inspectionScript(withAxe)))!;
  }
  const { violations, overflow, wideTexts, loudHeadings } = report;
  const faults = violations.map(
    (fault) =>
      `${name}: ${fault.id} ${fault.help}\n${fault.nodes.map((node) => `  ${node.html} ${node.failureSummary ?? ''}`).join('\n')}`,
  );
  for (const text of wideTexts) faults.push(`${name}: words in figures of one width: ${text}`);
  for (const text of loudHeadings) faults.push(`${name}: a heading as large as the page's title: ${text}`);
  if (overflow > 0) faults.push(`${name}: ${overflow} pixels wider than the screen`);
  if (takesPictures) {
    mkdirSync(pictures, { recursive: true });
    await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  }
  return faults;
}
