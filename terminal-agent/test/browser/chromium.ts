/** A real Chromium in front of the page of the door. */
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromiumFlags, chromiumPath } from '@clockproof/platform/testing/chromium';
import { chromium, type Page } from 'playwright-core';

/** Without Chromium the tests are skipped, which CI counts as failed. */
export const chromiumThere = chromiumPath !== undefined;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** PICTURES=1 keeps a picture of every screen that is looked at, in terminal-agent/dist/pictures. */
const takesPictures = process.env['PICTURES'] !== undefined;
const pictures = fileURLToPath(new URL('../../dist/pictures/', import.meta.url));
const sizes = [
  { width: 1024, height: 600 },
  { width: 800, height: 480 },
  { width: 1280, height: 800 },
  { width: 600, height: 1024 },
] as const;

export interface Kiosk {
  readonly page: Page;
  /** Addresses the page asked for. */
  readonly addresses: Set<string>;
  /** The page's complaints: failed scripts, and everything that its policy refused. */
  readonly complaints: string[];
  close(): Promise<void>;
}

export async function openKiosk(url: string): Promise<Kiosk> {
  const browser = await chromium.launch({
    executablePath: chromiumPath!,
    args: [
      ...chromiumFlags,
      '--no-sandbox',
      '--disable-gpu',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-sync',
    ],
  });
  const context = await browser.newContext({ viewport: sizes[0], reducedMotion: 'reduce' });
  await context.addInitScript({ content: axe });
  const page = await context.newPage();
  const addresses = new Set<string>();
  const complaints: string[] = [];
  page.on('request', (request) => addresses.add(request.url()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  await page.goto(url, { waitUntil: 'load' });
  return { page, addresses, complaints, close: () => browser.close() };
}

/**
 * Looks at the screen as it stands, in three sizes and upright.
 * @returns findings of axe-core, overflowing texts, and targets smaller than 88 pixels; nothing on a good screen
 */
export async function faultsOf(page: Page, name: string): Promise<string[]> {
  const faults: string[] = [];
  // Until then another face stands there, which is wider.
  await page.evaluate('document.fonts.ready.then(() => undefined)');
  for (const size of sizes) {
    await page.setViewportSize(size);
    const pictureName = `${name}-${size.width}`;
    faults.push(...(await page.evaluate<string[]>(fits)).map((fault) => `${pictureName}: ${fault}`));
    if (takesPictures) {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `${pictureName}.png`) });
    }
  }
  await page.setViewportSize(sizes[0]);
  const violations = await page.evaluate<readonly string[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary).join('; ')))`,
  );
  await page.evaluate("document.documentElement.dataset.theme = 'dark'");
  const darkFaults = await page.evaluate<readonly string[]>(
    `axe.run(document, { runOnly: ['color-contrast'], resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ nodes }) => nodes.map(({ html, failureSummary }) => html + ' ' + failureSummary)))`,
  );
  if (takesPictures) await page.screenshot({ path: join(pictures, `${name}-dark-1024.png`) });
  await page.evaluate("document.documentElement.dataset.theme = 'light'");
  return [
    ...faults,
    ...violations.map((fault) => `${name}: ${fault}`),
    ...darkFaults.map((fault) => `${name}, dark: ${fault}`),
  ];
}

/** In the page: everything inside the window, and no text that is cut off. */
const fits = `(() => {
  const faults = [];
  const scale = Math.min(innerWidth / 1024, innerHeight / 600);
  for (const element of document.querySelectorAll('main *, footer *')) {
    const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
    if (width === 0 || element.closest('svg')) continue;
    const name = element.tagName + '.' + element.className + ' ' + (element.textContent || '').slice(0, 30);
    if (left < -2 || top < -12 || right > innerWidth + 2 || bottom > innerHeight + 2)
      faults.push('outside: ' + name + ' ' + [left, top, right, bottom].map(Math.round));
    if (element.tagName === 'BUTTON' && Math.min(width, height) < 88 * scale - 1)
      faults.push('small: ' + name + ' ' + Math.round(width) + 'x' + Math.round(height));
    if (element.scrollWidth > element.clientWidth + 2 && getComputedStyle(element).display !== 'inline')
      faults.push('cut: ' + name);
  }
  const main = document.querySelector('main');
  if (main.scrollHeight > main.clientHeight + 2) faults.push('main is too high: ' + main.scrollHeight);
  return faults;
})()`;
