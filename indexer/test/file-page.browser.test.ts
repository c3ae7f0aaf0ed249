/** The page that checks a file, saved to a disk, in a real browser without a network. */
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromiumPath } from '@clockproof/platform/testing/chromium';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium } from 'playwright-core';
import { packageFolder } from '../src/package-folder.js';

const inBrowser = chromiumPath !== undefined ? describe : describe.skip;
if (inBrowser === describe.skip) console.warn('Chromium is missing: the page is not tried in a browser');
const path = join(packageFolder, 'dist/verifier/check-a-file.html');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

inBrowser('the page that checks a file', () => {
  const { cases } = JSON.parse(
    readFileSync(join(packageFolder, '../conformance/vectors/month-proof.json'), 'utf8'),
  ) as { readonly cases: readonly { readonly name: string; readonly input: { readonly file: string } }[] };
  const fileOf = (name: string) => Buffer.from(cases.find((candidate) => candidate.name === name)!.input.file);
  let browser: Browser;
  beforeAll(async () => {
    execFileSync(process.execPath, [join(packageFolder, 'verifier/build.mjs')]);
    browser = await chromium.launch({ executablePath: chromiumPath!, args: ['--no-sandbox'] });
  });
  afterAll(() => browser.close());

  it('is one small file', () => {
    expect(statSync(path).size).toBeLessThan(150_000);
  });

  it.each([
    ['phone', 'light', { width: 360, height: 740 }],
    ['desk', 'dark', { width: 1280, height: 900 }],
  ] as const)('shows steps and sheet on a %s, and connects to nothing', async (name, colorScheme, viewport) => {
    const context = await browser.newContext({ viewport, colorScheme, locale: 'en-GB', offline: true });
    const page = await context.newPage();
    const complaints: string[] = [];
    const requests: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('request', (request) => !/^(file|data):/.test(request.url()) && requests.push(request.url()));
    await page.goto(pathToFileURL(path).href);
    const give = (file: string) =>
      page.setInputFiles('#file', { name: 'file', mimeType: 'application/json', buffer: fileOf(file) });
    const outcomes = async () => (await page.locator('#steps b').allTextContents()).map((text) => text[0]).join('');

    await give('one day is shown');
    await page.fill('#company', 'ks3q7c5m2nfyd4hz6a8x0rgtwe');
    await page.fill('#person', 'jana0000000000000000000000');
    await page.fill('#indexes', 'https://index.example\njavascript:alert(1)');
    expect(await outcomes()).toBe('✓✓✓✓○○○');
    expect(await page.textContent('#sheet')).toContain('hidden');
    expect(
      await page.locator('#asks a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).toEqual(['https://index.example/api/v1/companies/ks3q7c5m2nfyd4hz6a8x0rgtwe/proofs?period=2026-10']);
    await give('a month that was re-opened');
    await page.getByText('Ole forgot a day').waitFor();
    // The clock of the company, not that of the browser.
    expect(await page.textContent('#sheet')).toContain('08:00–16:15 (12:00–12:30)');
    await page.evaluate(axe);
    expect(
      await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))'),
    ).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    if (process.env['SCREENSHOT'] !== undefined)
      await page.screenshot({ path: `${process.env['SCREENSHOT']}.${name}.png`, fullPage: true });
    // A wrong entry is said, and speaks neither for nor against the file.
    await page.fill('#sender', '0xabc…');
    expect(await page.textContent('#sender-help')).toContain('This is no sender');
    await page.fill('#sender', '');
    await page.fill('#indexes', 'index.example https://a.example https://A.example/');
    expect(await page.textContent('#asks')).toContain('address begins with https:// or http://: index.example');
    expect(await page.locator('#asks a').count()).toBe(1);
    expect(await page.getAttribute('#answer', 'class')).toBe('plain');
    // The name beside the button and above the steps is that of the dropped file.
    await page.evaluate(
      (content) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([content], 'dropped.clockproof'));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true }));
      },
      `\ufeff${fileOf('one day is shown').toString()}`,
    );
    await page.getByText('Checked: dropped.clockproof').waitFor();
    expect(await page.inputValue('#file')).toContain('dropped.clockproof');
    expect(await outcomes()).toBe('✓✓✓✓○○○');
    await give('a changed minute');
    await page.waitForSelector('#answer.bad');
    await page.click('[data-language=de]');
    expect(await page.textContent('#headline')).toBe('Etwas stimmt nicht.');
    expect(await page.textContent('#sheet')).toContain('nicht bewiesen');
    expect([complaints, requests]).toEqual([[], []]);
    await context.close();
  });
});
