/**
 * The pages of a company with 2,000 people, in a real Chromium: how soon a list is there, how much it loads and draws,
 * and the longest task while it is scrolled from one end to the other. `make bench-pages` prints the table; nothing
 * fails because a machine is slow.
 */
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { chromium, type Page } from 'playwright-core';
import { requestAbsence } from '../src/absences/request-absence.js';
import { addPerson } from '../src/people/people.js';
import { webBuild } from '../src/service.js';
import { baseUrl, createBrowser, factorKeysOf, giveCredentials, signIn } from '../test/browser.js';
import { createWorld, dataKey, type World } from '../test/world.js';

const people = 2_000;
const executablePath = '/usr/bin/chromium';
const only = process.argv.slice(2);
/** What each page scrolls: the box of its list, or the page itself. */
const pages: readonly (readonly [path: string, ready: string])[] = [
  ['/company/people', '.people-row[data-index]'],
  ['/team/presence', 'main li, main tbody tr'],
  ['/team/calendar', 'main [role=row], main tbody tr'],
  ['/team/approvals', '.inbox-item'],
  ['/company/months', 'main tbody tr, main li'],
  ['/company/rules?tab=vacation', 'main form'],
  ['/company/people/invite', '.choice-list li, .empty'],
  ['/admin/badges', '.badges tbody tr'],
  ['/admin/audit', 'main li, main tbody tr'],
];

async function fill(world: World): Promise<number> {
  const { store } = world.service;
  const cause = { actor: { kind: 'system' } as const, at: world.now() };
  const departments = [world.office, world.office + 1];
  const ids: number[] = [];
  for (let first = 0; first < people; first += 200)
    await store.write(cause, async (write) => {
      for (let index = first; index < first + 200; index++)
        ids.push(
          await addPerson(write, {
            companyId: world.nord,
            firstName: `First${index % 97}`,
            lastName: `Last${String(index).padStart(4, '0')}`,
            email: `p${index}@clockproof.example`,
            personnelNumber: String(10_000 + index),
            departmentId: departments[index % 2]!,
            role: 'employee',
            language: 'en',
            employmentStart: '2020-01-01',
          }),
        );
    });
  const admin = await store.write(cause, (write) =>
    addPerson(write, {
      companyId: world.nord,
      firstName: 'Alma',
      lastName: 'Admin',
      email: 'alma@clockproof.example',
      role: 'super_admin',
      language: 'en',
    }),
  );
  for (const [index, personId] of ids.entries()) {
    if (index % 3 !== 0)
      await world.call('POST', '/api/v1/clock/in', { key: world.planner.key, body: { user_id: personId } });
    const day = `2026-12-${String(1 + (index % 4)).padStart(2, '0')}`;
    const draft = { type: 'vacation', startDate: day, endDate: day, halfDay: null, comment: null };
    await store.write(cause, (write) =>
      requestAbsence(write, {
        personId,
        companyId: world.nord,
        draft: draft as never,
        author: { kind: 'person', personId },
      }),
    );
    await world.db.write((tx) =>
      tx.run(
        `INSERT INTO badges (id, company_id, person_id, uid_hash, state, family, key_number, key_version, created_at, issued_at)
         VALUES (:id, :company, :person, :id, 'active', 'desfire-ev2', :number, 1, :at, :at)`,
        { id: `bdg_${index}`, company: world.nord, person: personId, number: index + 1, at: world.now() },
      ),
    );
  }
  await giveCredentials(world, [admin], await factorKeysOf(world, dataKey));
  return admin;
}

interface Watched {
  readonly longest: number;
  readonly tasks: number;
}

const watch = `(() => {
  window.longTasks = [];
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) window.longTasks.push(Math.round(entry.duration));
  }).observe({ type: 'longtask', buffered: true });
})()`;

/** The tasks of more than 50 ms since the last look. */
async function longTasks(page: Page): Promise<Watched> {
  const tasks = (await page.evaluate('longTasks.splice(0)')) as number[];
  return { longest: Math.max(0, ...tasks), tasks: tasks.length };
}

/** Wheels to the end of what can be scrolled, and as far as it grows meanwhile; at most 400 turns. */
async function scroll(page: Page): Promise<void> {
  const box = await page.evaluate(`(() => {
    const main = document.querySelector('main');
    const boxes = [...main.querySelectorAll('*')].filter((one) =>
      one.scrollHeight > one.clientHeight + 40 && /auto|scroll/.test(getComputedStyle(one).overflowY));
    const rect = (boxes[0] ?? main).getBoundingClientRect();
    return { x: rect.x + rect.width / 2, y: Math.min(innerHeight - 60, rect.y + Math.min(rect.height, innerHeight) / 2) };
  })()`);
  const { x, y } = box as { x: number; y: number };
  await page.mouse.move(x, y);
  for (let turn = 0; turn < 200; turn++) {
    await page.mouse.wheel(0, 700);
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
  }
}

if (!existsSync(executablePath)) throw new Error(`there is no Chromium at ${executablePath}`);
if (!existsSync(webBuild)) throw new Error('the pages are not built: make build');
console.log(`${people} people; ${cpus().length} × ${cpus()[0]?.model}; SQLite`);
const world = await createWorld('sqlite', {
  pages: true,
  unchecked: true,
  env: { RATE_API_PER_MINUTE: '1000000', RATE_IP_PER_MINUTE: '1000000' },
});
const admin = await fill(world);
const { cookies } = await signIn(world, admin, createBrowser(world.url));
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', `--host-resolver-rules=MAP localhost:8080 ${new URL(world.url).host}`],
});
const context = await browser.newContext({
  baseURL: baseUrl,
  locale: 'en-GB',
  viewport: { width: 1280, height: 900 },
  reducedMotion: 'reduce',
});
await context.addCookies([{ name: 'session', value: cookies.get('session')!, url: baseUrl, httpOnly: true }]);
await context.addInitScript(watch);

const rows: string[][] = [];
for (const [path, ready] of pages) {
  if (only.length > 0 && !only.includes(path)) continue;
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.clock.setFixedTime(world.now());
  let requests = 0;
  let bytes = 0;
  page.on('response', async (response) => {
    if (!response.url().includes('/app/') || response.url().endsWith('/app/live')) return;
    requests += 1;
    bytes += (await response.body().catch(() => Buffer.alloc(0))).length;
  });
  const began = performance.now();
  await page.goto(path);
  const there = await page
    .locator(ready)
    .first()
    .waitFor()
    .then(
      () => performance.now() - began,
      () => Number.NaN,
    );
  await page.waitForLoadState('load');
  await page.waitForTimeout(1_000);
  const first = await longTasks(page);
  const loaded = `${requests} / ${Math.round(bytes / 1024)} KB`;
  const drawn = await page.evaluate('document.querySelectorAll("main *").length');
  await scroll(page);
  const scrolled = await longTasks(page);
  rows.push([
    path,
    `${Math.round(there)} ms`,
    loaded,
    String(drawn),
    String(first.longest),
    `${requests} / ${Math.round(bytes / 1024)} KB`,
    String(await page.evaluate('document.querySelectorAll("main *").length')),
    `${scrolled.longest} (${scrolled.tasks})`,
  ]);
  console.log(rows.at(-1)!.join(' | '));
  await page.close();
}
await browser.close();
await world.close();

const head = ['page', 'rows there', 'asked at first', 'elements', 'longest task', 'asked in all', 'elements in all'];
console.log(`\n| ${[...head, 'longest task while scrolling, ms (tasks over 50)'].join(' | ')} |`);
console.log(`|${'---|'.repeat(head.length + 1)}`);
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
