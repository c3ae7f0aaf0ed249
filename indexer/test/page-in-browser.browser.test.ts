/**
 * The page in a real browser, as a person with a report in hand meets it. Needs Debian's chromium; says so if there is
 * none.
 */
import { silentLog } from '@clockproof/platform/log';
import { chromiumPath } from '@clockproof/platform/testing/chromium';
import { createTestDatabase, type TestDatabase } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { createSimulatedNode } from '../simulator/node.js';
import { readConfig } from '../src/config.js';
import { type Indexer, startIndexer } from '../src/indexer.js';
import { anchors, asFetch, createGround, expectedProofs, growProofs, proofEvent } from './world.js';

const inBrowser = chromiumPath !== undefined ? describe : describe.skip;
if (inBrowser === describe.skip) console.warn('Chromium is missing: the page is not tried in a browser');

inBrowser('the page in a browser', () => {
  // Ledger and index stand at one instant: however long the browser takes, the index has just read the ledger.
  const time = Date.now();
  const clock = () => time;
  const ground = createGround(1, 'test', clock);
  growProofs(ground, 20);
  const [first, second] = ['0', '1'].map(
    () =>
      ground.chain.append([
        { sender: anchors[0]!, called: ground.package, events: [proofEvent(ground.random, 'ct_twice', '2026-10')] },
      ])[0]!,
  );
  const proof = expectedProofs(ground)[4]!;
  let home: TestDatabase;
  let indexer: Indexer;
  let browser: Browser;
  const complaints: string[] = [];

  beforeAll(async () => {
    home = await createTestDatabase('sqlite');
    indexer = await startIndexer({
      config: {
        ...readConfig({
          ACCEPT_TERMS: 'true',
          CHAIN_ANCHOR_PACKAGE: ground.package,
          CHAIN_NETWORK: 'devnet',
          LISTEN_ADDR: '127.0.0.1:0',
          RATE_IP_PER_MINUTE: '1000',
        }),
        DB_DSN: home.settings.dsn,
      },
      log: silentLog,
      clock,
      fetch: asFetch(createSimulatedNode(ground.chain, { dialect: 'flat' })),
      follow: false,
    });
    await indexer.follower.pass();
    browser = await chromium.launch({
      executablePath: chromiumPath!,
      args: ['--no-sandbox', '--disable-background-networking'],
    });
  });
  afterAll(async () => {
    await browser.close();
    await indexer.close();
    await home.drop();
    expect(complaints).toEqual([]);
  });

  async function open(path: string, locale = 'en-GB'): Promise<Page> {
    const page = await browser.newPage({ locale });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('400')) complaints.push(message.text());
    });
    await page.goto(indexer.url + path);
    return page;
  }
  async function compare(page: Page, tx: string, root: string): Promise<string> {
    await page.fill('#tx', tx);
    await page.fill('#root', root);
    const response = page.waitForResponse((response) => response.url().includes('/verify/'));
    await page.click('[type=submit]');
    await response;
    await page.waitForSelector('#answer:not([hidden])');
    await page.waitForFunction("!document.querySelector('[type=submit]').disabled");
    return (await page.textContent('#headline'))!;
  }

  it('compares what was pasted, spaces and the link of an explorer included', async () => {
    const page = await open('/');
    expect(await compare(page, ` ${proof.tx} `, `${proof.merkle_root.toUpperCase()}\n`)).toBe(
      'The fingerprints are equal.',
    );
    const spacedRoot = proof.merkle_root.replace(/.{2}/g, '$& ');
    expect(await compare(page, `https://explorer.example/txblock/${proof.tx}?network=devnet`, spacedRoot)).toBe(
      'The fingerprints are equal.',
    );
    expect([await page.inputValue('#tx'), await page.inputValue('#root')]).toEqual([proof.tx, proof.merkle_root]);
    expect(await page.textContent('#proofs')).toContain(proof.merkle_root);
    expect(await page.textContent('#status')).toMatch(/^\s*2\d proofs indexed on devnet/);
    // Times say in which zone they are.
    for (const place of ['#status', '#proofs'])
      expect(await page.textContent(place)).toMatch(/\d{2}:\d{2}:\d{2} (?:UTC|GMT|[A-Z]{3,4})/);
    if (process.env['SCREENSHOT'] !== undefined)
      await page.screenshot({ path: process.env['SCREENSHOT'], fullPage: true });
    expect(await compare(page, proof.tx, '0'.repeat(64))).toBe('The fingerprints differ.');
    expect(await compare(page, proof.tx, '')).toBe('This transaction anchored a proof.');
    expect(await compare(page, proof.tx, 'abc')).toBe('This is no fingerprint.');
    expect(await compare(page, 'abc', '')).toBe('This is no transaction.');
    expect(await compare(page, '1'.repeat(32), '')).toBe('There is no such proof.');
    await page.close();
  });

  it('shows an answer only beside its own question', async () => {
    const otherProof = expectedProofs(ground)[7]!;
    const page = await open(`/#tx=${proof.tx}&root=${proof.merkle_root}`);
    await page.waitForSelector('#answer.good');
    expect(await page.textContent('#about')).toBe(`Transaction ${proof.tx}`);
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `tx=${otherProof.tx}&root=${proof.merkle_root}`);
    await page.waitForSelector('#answer.bad');
    expect([await page.textContent('#headline'), await page.textContent('#about')]).toEqual([
      'The fingerprints differ.',
      `Transaction ${otherProof.tx}`,
    ]);
    await page.fill('#root', otherProof.merkle_root);
    expect(await page.isVisible('#answer')).toBe(false);
    await page.close();
  });

  it('tells of other fingerprints for the same company and period, and leads to them', async () => {
    const page = await open('/', 'de-DE');
    const [firstProof, secondProof] = [first, second].map(
      (transaction) => expectedProofs(ground).find(({ tx }) => tx === transaction!.digest)!,
    );
    expect(await compare(page, firstProof!.tx, firstProof!.merkle_root)).toBe('Die Fingerabdrücke sind gleich.');
    expect(await page.textContent('#others')).toContain(`${secondProof!.merkle_root}, verankert von ${anchors[0]}`);
    if (process.env['SCREENSHOT'] !== undefined)
      await page.screenshot({ path: `${process.env['SCREENSHOT']}.others.png`, fullPage: true });
    await page.click('#others a');
    await page.waitForSelector(`#about:has-text("${secondProof!.tx}")`);
    expect(await page.textContent('#headline')).toBe('In dieser Transaktion steht ein Beweis.');
    expect(await compare(page, proof.tx, proof.merkle_root)).toBe('Die Fingerabdrücke sind gleich.');
    expect(await page.isVisible('#others')).toBe(false);
    await page.close();
  });

  it('speaks German to Germans and keeps the answer when the language changes', async () => {
    const page = await open('/', 'de-DE');
    expect(await page.textContent('h1')).toBe('Einen Beweis prüfen');
    expect(await compare(page, proof.tx, proof.merkle_root)).toBe('Die Fingerabdrücke sind gleich.');
    await page.click('[data-language=en]');
    expect(await page.textContent('#headline')).toBe('The fingerprints are equal.');
    expect(await page.getAttribute('html', 'lang')).toBe('en');
    await page.close();
  });

  it('answers a link that carries the question', async () => {
    const page = await open(`/#tx=${proof.tx}&root=${proof.merkle_root}`);
    await page.waitForSelector('#answer.good');
    await page.close();
  });

  it('the page shows the months of a company, how often each was anchored, and which are missing', async () => {
    for (const period of ['2026-03', '2026-06'])
      ground.chain.append([
        { sender: anchors[0]!, called: ground.package, events: [proofEvent(ground.random, 'ct_months', period)] },
      ]);
    await indexer.follower.pass();
    const page = await open('/');
    const ask = async (token: string) => {
      await page.fill('#company-token', token);
      await page.click('#company [type=submit]');
      await page.waitForSelector('#months:not([hidden])');
      return page.textContent('#months-said');
    };
    expect(await ask(' ct_months ')).toBe('2 periods were anchored.');
    expect(await page.textContent('#months-missing')).toBe('Missing in between: 2026-04 to 2026-05.');
    const { merkle_root: root } = expectedProofs(ground).find(
      ({ company_token: token, period }) => token === 'ct_months' && period === '2026-03',
    )!;
    expect(await page.textContent('#months-list')).toContain(root);
    expect(await ask('ct_twice')).toBe('One period was anchored.');
    expect(await page.textContent('#months-list')).toContain('2026-10 – 2 different fingerprints');
    if (process.env['SCREENSHOT'] !== undefined) {
      await page.setViewportSize({ width: 390, height: 844 });
      await page.screenshot({ path: `${process.env['SCREENSHOT']}.months.png`, fullPage: true });
    }
    expect(await ask('ct_nobody')).toContain('This index knows no fingerprint of this company.');
    await page.close();
  });

  it('shows markup in a token as text', async () => {
    ground.chain.append([
      {
        sender: ground.package,
        called: ground.package,
        events: [
          {
            fields: [
              { name: 'company_token', type: 'string', text: '<img src=x onerror=alert(1)>' },
              { name: 'period', type: 'string', text: '2026-10' },
              { name: 'merkle_root', type: 'bytes', bytes: new Uint8Array(32) },
            ],
          },
        ],
      },
    ]);
    await indexer.follower.pass();
    const page = await open('/');
    await compare(page, expectedProofs(ground).at(-1)!.tx, '');
    expect(await page.textContent('#proofs')).toContain('<img src=x onerror=alert(1)>');
    expect(await page.$$('#proofs img')).toEqual([]);
    await page.close();
  });
});
