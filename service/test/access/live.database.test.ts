/** Open pages: who gets news of what, and when their stream ends. */
import { DatabaseUnavailable, type Reader } from '@clockproof/platform/database/database';
import { type Log, silentLog } from '@clockproof/platform/log';
import { dialects } from '@clockproof/platform/testing/databases';
import { minute, second } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { authenticatePerson } from '../../src/access/authenticate-person.js';
import { createLive } from '../../src/access/live.js';
import { notify, notifyCompany } from '../../src/inbox/notices.js';
import { type Browser, createBrowser } from '../browser.js';
import { sendAbsence, sendStamp } from '../builders.js';
import { createWorld, type World } from '../world.js';

interface Page {
  /** Families of the changes received, in order. */
  readonly families: readonly string[];
  waitFor(family: string): Promise<void>;
  readonly streamEnd: Promise<void>;
  leave(): void;
}

describe.each(dialects)('open pages on %s', (dialect) => {
  let world: World;
  const pages: Page[] = [];
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(async () => {
    for (const page of pages.splice(0)) page.leave();
    await world.close();
  });

  const person = async (firstName: string, more: object) => {
    const id = await world.hire({ firstName, email: `${firstName}@clockproof.example`, ...more });
    return browserOf(id);
  };
  const browserOf = async (id: number) => {
    return world.as(id);
  };
  const open = async ({ cookies }: Browser, url = world.url): Promise<Page> => {
    const controller = new AbortController();
    const response = await fetch(`${url}/app/live`, {
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      signal: controller.signal,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const families: string[] = [];
    let look = () => {};
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    // Changes are sent from the first line on. It may arrive together with one.
    const firstChunk = (await reader.read()).value ?? '';
    expect(firstChunk.slice(0, 3)).toBe(':\n\n');
    const streamEnd = (async () => {
      for (let rest = firstChunk.slice(3); ; ) {
        const { done, value = '' } = await reader.read();
        if (done) return;
        rest += value;
        for (let end = rest.indexOf('\n\n'); end >= 0; end = rest.indexOf('\n\n')) {
          const data = /^event: changed\ndata: (.*)$/.exec(rest.slice(0, end))?.[1];
          rest = rest.slice(end + 2);
          if (data !== undefined) families.push(...(JSON.parse(data) as { families: string[] }).families);
        }
        look();
      }
    })().catch(() => undefined);
    const page = {
      families,
      waitFor: (family: string) =>
        new Promise<void>((resolve) => {
          look = () => {
            if (families.includes(family)) resolve();
          };
          look();
        }),
      streamEnd,
      leave: () => controller.abort(),
    };
    pages.push(page);
    return page;
  };
  const readerUnless = (isBroken: () => boolean): Reader => {
    const ask = <Result>(query: () => Promise<Result>) =>
      isBroken() ? Promise.reject(new DatabaseUnavailable('busy')) : query();
    return {
      dialect: world.db.dialect,
      all: (sql, parameters) => ask(() => world.db.all(sql, parameters)),
      get: (sql, parameters) => ask(() => world.db.get(sql, parameters)),
    };
  };
  const clockIn = (id: number) => sendStamp(world, 'in', id);

  it('open pages receive news of what the person may see, and of nothing else', async () => {
    const admin = await open(await person('Nora', { role: 'company_admin' }));
    const root = await open(await person('Rhea', { companyId: world.sued, role: 'super_admin' }));
    const ada = await open(await browserOf(world.people.ada));
    const ben = await open(await browserOf(world.people.ben));
    const zoe = await open(await browserOf(world.people.zoe));
    await clockIn(world.people.ada);
    await Promise.all([admin, root, ada].map((page) => page.waitFor('clock')));
    // A page that hears of the next change did not hear of the first.
    await sendAbsence(world, { user_id: world.people.ben });
    await ben.waitFor('absence');
    expect(ben.families).not.toContain('clock');
    await clockIn(world.people.zoe);
    await zoe.waitFor('clock');
    expect(zoe.families).not.toContain('absence');
    expect(ada.families).not.toContain('absence');
  });

  it('open pages tell an approver of the people they decide for', async () => {
    const boss = await person('Bo', { role: 'employee' });
    const row = await world.db.get<{ id: number }>("SELECT id FROM people WHERE first_name = 'Bo'");
    await world.db.write((tx) =>
      tx.run(
        `INSERT INTO role_grants (person_id, role, company_id, department_id) VALUES (${row!.id}, 'approver', ${world.nord}, ${world.office})`,
      ),
    );
    const page = await open(boss);
    await clockIn(world.people.ben);
    await sendAbsence(world);
    await page.waitFor('absence');
    expect(page.families).not.toContain('clock');
  });

  it('open pages tell nobody else of a stamp where the company has switched presence off', async () => {
    const admin = await open(await person('Nora', { role: 'company_admin' }));
    const approver = await open(await person('Bo', { role: 'approver' }));
    const ada = await open(await browserOf(world.people.ada));
    await world.db.write((tx) => tx.run(`INSERT INTO evaluation_switches VALUES (${world.nord}, 'presence', 0, 1, 1)`));
    await clockIn(world.people.ada);
    await ada.waitFor('clock');
    await sendAbsence(world, { user_id: world.people.ben });
    for (const page of [admin, approver]) {
      await page.waitFor('absence');
      expect(page.families).not.toContain('clock');
    }
  });

  it.each([
    [
      'the company no longer shows it',
      (nord: number) => `UPDATE companies SET colleagues_see = 'nothing' WHERE id = ${nord}`,
    ],
    [
      'the evaluation is switched off',
      (nord: number) => `INSERT INTO evaluation_switches VALUES (${nord}, 'presence', 0, 1, 1)`,
    ],
  ])('open pages tell of the presence of colleagues until %s', async (_, change) => {
    const run = (sql: string) => world.db.write((tx) => tx.run(sql));
    await run(`UPDATE companies SET colleagues_see = 'absences_and_presence' WHERE id = ${world.nord}`);
    const ole = await person('Ole', { departmentId: world.office });
    const page = await open(ole);
    await clockIn(world.people.ada);
    await page.waitFor('clock');
    await run(change(world.nord));
    const familiesBefore = page.families.length;
    await sendStamp(world, 'out');
    const absence = { type: 'vacation', start_date: '2026-12-01', end_date: '2026-12-01' };
    expect((await ole.call('POST', '/app/me/absences', { body: absence })).status).toBe(201);
    // What is their own comes behind it.
    await page.waitFor('absence');
    expect(page.families.slice(familiesBefore)).not.toContain('clock');
    expect(page.families.slice(familiesBefore)).not.toContain('entry');
  });

  it('open pages tell a substitute without a role of requests alone', async () => {
    const lead = await person('Lea', { role: 'approver' });
    const ole = await person('Ole', {});
    const { data } = (await lead.call('GET', '/app/me/substitute-candidates')).body as {
      data: { id: number; name: string }[];
    };
    const body = {
      user_id: data.find(({ name }) => name.startsWith('Ole'))!.id,
      start_date: '2026-11-23',
      end_date: '2026-11-23',
    };
    expect((await lead.call('POST', '/app/me/substitutes', { body })).status).toBe(201);
    const page = await open(ole);
    await clockIn(world.people.ada);
    await sendAbsence(world);
    await page.waitFor('absence');
    expect(page.families).not.toContain('clock');
  });

  it("open pages tell of colleagues' absences where the company shows them, and when it stops", async () => {
    const admin = await person('Nora', { role: 'company_admin' });
    const show = async (visibility: string) => {
      const body = { colleagues_see: visibility };
      expect((await admin.call('PATCH', `/app/admin/companies/${world.nord}`, { body })).status).toBe(200);
    };
    const ole = await person('Ole', { departmentId: world.office });
    const page = await open(ole);
    const otherPage = await open(await browserOf(world.people.ben));
    const addAbsence = (day: string) => sendAbsence(world, { start_date: day });
    // As it is set at first; who is there is not theirs to see.
    await clockIn(world.people.ada);
    await addAbsence('2026-12-01');
    await page.waitFor('absence');
    expect(page.families).not.toContain('clock');
    await show('nothing');
    await Promise.all([page, otherPage].map((openPage) => openPage.waitFor('company')));
    expect(otherPage.families).not.toContain('absence');
    const familiesBefore = page.families.length;
    await addAbsence('2026-12-02');
    expect((await ole.call('POST', '/app/me/clock/in')).status).toBe(200);
    // What is their own comes behind it.
    await page.waitFor('clock');
    expect(page.families.slice(familiesBefore)).toEqual(['clock']);
  });

  it('open pages end with the session, which they do not prolong', async () => {
    const ada = await browserOf(world.people.ada);
    const page = await open(ada);
    world.advance(31 * minute);
    await clockIn(world.people.ada);
    await page.streamEnd;
    expect(page.families).not.toContain('clock');
    expect((await ada.call('GET', '/app/session')).status).toBe(401);
    expect((await ada.call('GET', '/app/live')).status).toBe(401);
  });

  it('opening a live page does not prolong the session either', async () => {
    const ada = await browserOf(world.people.ada);
    world.advance(29 * minute);
    await open(ada);
    world.advance(2 * minute);
    expect((await ada.call('GET', '/app/session')).status).toBe(401);
  });

  it('open pages receive notices for their person, and no others', async () => {
    const [ada, ben] = [await open(await browserOf(world.people.ada)), await open(await browserOf(world.people.ben))];
    await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
      write.unaudited('progress');
      await notify(write, [world.people.ada], { kind: 'webhooks_disabled', extension: 'ext_1', because: 'gone' });
    });
    await ada.waitFor('notice');
    await clockIn(world.people.ben);
    await ben.waitFor('clock');
    expect(ben.families).not.toContain('notice');
  });

  it('open pages receive notices for everyone in their company', async () => {
    const [ada, zoe] = [await open(await browserOf(world.people.ada)), await open(await browserOf(world.people.zoe))];
    await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, async (write) => {
      write.unaudited('progress');
      await notifyCompany(write, world.nord, {
        kind: 'month_reopened',
        month: '2026-10',
        by: undefined,
        reason: 'Late shift',
      });
    });
    await ada.waitFor('notice');
    await clockIn(world.people.zoe);
    await zoe.waitFor('clock');
    expect(zoe.families).not.toContain('notice');
  });

  it('a session has ten open pages at most: one more ends the oldest', async () => {
    const browser = await browserOf(world.people.ada);
    const [oldestPage, ...otherPages] = [await open(browser), await open(browser)];
    for (let count = 2; count < 10; count++) otherPages.push(await open(browser));
    await clockIn(world.people.ada);
    await Promise.all([oldestPage!, ...otherPages].map((page) => page.waitFor('clock')));
    otherPages.push(await open(browser));
    await oldestPage!.streamEnd;
    await sendAbsence(world);
    await Promise.all(otherPages.map((page) => page.waitFor('absence')));
  });

  it('silent open pages end without news as well', async () => {
    const ada = await browserOf(world.people.ada);
    const page = await open(ada);
    await ada.call('POST', '/app/sign-out');
    world.advance(26 * second);
    await world.tick();
    await page.streamEnd;
  });

  it('open pages survive a fault of the database', async () => {
    let isBroken = false;
    let now = world.now();
    const db = readerUnless(() => isBroken);
    const live = createLive({ db, hub: world.service.hub, clock: () => now, log: silentLog });
    const token = (await browserOf(world.people.ada)).cookies.get('session')!;
    const page = live.follow(await authenticatePerson(db, token, now), token)[Symbol.asyncIterator]();
    expect((await page.next()).value).toBe(':\n\n');
    now += 26 * second;
    isBroken = true;
    await live.tick();
    isBroken = false;
    await live.tick();
    expect((await page.next()).value).toBe(':\n\n');
    live.close();
  });

  it('open pages learn of a change that a fault of the database kept from them', async () => {
    let isBroken = false;
    const db = readerUnless(() => isBroken);
    let logFailure = () => {};
    const failure = new Promise<void>((resolve) => (logFailure = resolve));
    const log: Log = { ...silentLog, warn: () => logFailure() };
    const live = createLive({ db, hub: world.service.hub, clock: world.now, log });
    const token = (await browserOf(world.people.ada)).cookies.get('session')!;
    const page = live.follow(await authenticatePerson(db, token, world.now()), token)[Symbol.asyncIterator]();
    expect((await page.next()).value).toBe(':\n\n');
    isBroken = true;
    await clockIn(world.people.ada);
    await failure;
    await live.tick();
    isBroken = false;
    await live.tick();
    expect((await page.next()).value).toContain('{"families":["*"]}');
    live.close();
  });

  it('open pages end when the service stops', async () => {
    const replica = await world.replica();
    const ada = await browserOf(world.people.ada);
    const page = await open(ada, replica.url);
    await world.stop(replica);
    await page.streamEnd;
  });

  it('open pages do not exist for visitors', async () => {
    expect((await createBrowser(world.url).call('GET', '/app/live')).status).toBe(401);
  });
});
