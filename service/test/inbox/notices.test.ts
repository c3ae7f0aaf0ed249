/** What people get a notice of, once each: requests to decide, re-opened months, ended links, forgotten clock-outs. */
import { silentLog } from '@clockproof/platform/log';
import { oneDialect } from '@clockproof/platform/testing/databases';
import { day, hour, minute, parseInstant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { requestDecision } from '../../src/absences/record-transition.js';
import { endLinks } from '../../src/access/oauth/links.js';
import { tellForgottenClockOuts } from '../../src/clock/forgotten-clock-outs.js';
import { purgeExpired } from '../../src/housekeeping.js';
import { resolveRequest } from '../../src/inbox/approvals.js';
import { notify } from '../../src/inbox/notices.js';
import { findPerson } from '../../src/people/rows.js';
import { allCompanies } from '../../src/store/every-company.js';
import type { Browser } from '../browser.js';
import { closeMonth, reopenMonth, sendStamp } from '../builders.js';
import { addApp, link } from '../linking.js';
import { type MailServer, startMailServer } from '../mail-server.js';
import { createWorld, type World } from '../world.js';

const system = { kind: 'system' } as const;

describe.each(oneDialect)('notices on %s', (dialect) => {
  let world: World;
  let server: MailServer;
  let cases = 0;
  const browsers = new Map<number, Browser>();
  beforeEach(async () => {
    server = await startMailServer();
    world = await createWorld(dialect, {
      env: { SMTP_URL: server.url, MAIL_FROM: 'Clockproof <time@clockproof.example>' },
    });
    browsers.clear();
  });
  afterEach(async () => {
    await world.close();
    await server.close();
  });

  const person = (firstName: string, more: object = {}) =>
    world.hire({ firstName, email: `${firstName.toLowerCase()}${++cases}@clockproof.example`, ...more });
  const browserOf = async (id: number) => {
    const existingBrowser = browsers.get(id);
    if (existingBrowser !== undefined) return existingBrowser;
    const browser = await world.as(id);
    browsers.set(id, browser);
    return browser;
  };
  const call = async (id: number, method: string, path: string, body?: object) =>
    (await browserOf(id)).call(method, `/app/${path}`, body === undefined ? {} : { body });
  const noticesOf = async (id: number) =>
    (await call(id, 'GET', 'notices')).body['data'] as { kind: string; read_at?: string }[];
  const rows = (kind: string) =>
    world.db.all<{ person_id: number; read_at: number | null }>(
      'SELECT person_id, read_at FROM notices WHERE kind = :kind ORDER BY person_id',
      { kind },
    );
  const recipients = async (kind: string) => (await rows(kind)).map((row) => row.person_id);
  const mailRecipients = async (kind: string) =>
    (
      await world.db.all<{ person_id: number; facts: string }>(
        "SELECT person_id, facts FROM mail_outbox WHERE kind = 'notice' ORDER BY person_id",
      )
    ).flatMap((row) => ((JSON.parse(row.facts) as { kind: string }).kind === kind ? [row.person_id] : []));
  const requestAbsence = async (id: number, date: string) => {
    const answer = await call(id, 'POST', 'me/absences', { type: 'vacation', start_date: date, end_date: date });
    expect(answer.status).toBe(201);
    return answer.body['id'] as string;
  };

  it('notices inform the deciders of a pending request, until one of them has decided', async () => {
    const { ada } = world.people;
    const boss = await person('Bo', { role: 'company_admin' });
    const officeApprover = await person('Lea', { role: 'approver', departmentId: world.office });
    const companyApprover = await person('Max', { role: 'approver' });
    await person('Yan', { role: 'approver', departmentId: world.office + 1 });
    const substitute = await person('Sam', { role: 'approver', departmentId: world.office + 1 });
    await call(officeApprover, 'POST', 'me/substitutes', {
      user_id: substitute,
      start_date: '2026-11-23',
      end_date: '2026-11-23',
    });
    await call(companyApprover, 'PUT', 'notices/mail', { kinds: [{ kind: 'request_waiting', mail: false }] });
    await requestAbsence(ada, '2026-12-14');
    expect(await recipients('request_waiting')).toEqual([officeApprover, companyApprover, substitute]);
    expect(await mailRecipients('request_waiting')).toEqual([officeApprover, substitute]);
    expect(await noticesOf(officeApprover)).toMatchObject([
      {
        kind: 'request_waiting',
        waiting: {
          kind: 'absence',
          person: { id: ada, name: 'Ada Lang' },
          start_date: '2026-12-14',
          end_date: '2026-12-14',
        },
      },
    ]);
    expect(await noticesOf(boss)).toEqual([]);
    const [request] = (await call(companyApprover, 'GET', 'approvals')).body['data'] as { id: string }[];
    expect((await call(companyApprover, 'POST', `approvals/${request!.id}/approve`, {})).status).toBe(200);
    expect((await rows('request_waiting')).map((row) => row.read_at)).toEqual(Array(3).fill(world.now()));
    // Nobody decides about themselves: the request of the only approver left goes to the others.
    await requestAbsence(companyApprover, '2026-12-15');
    expect(await recipients('request_waiting')).toEqual(
      [officeApprover, companyApprover, substitute, boss].sort((a, b) => a - b),
    );
  });

  it('notices inform admins of a request without an approver, until it is withdrawn', async () => {
    const boss = await person('Bo', { role: 'company_admin' });
    const absence = await requestAbsence(world.people.ada, '2026-12-14');
    expect(await rows('request_waiting')).toEqual([{ person_id: boss, read_at: null }]);
    await call(world.people.ada, 'DELETE', `me/absences/${absence}`);
    expect(await rows('request_waiting')).toEqual([{ person_id: boss, read_at: world.now() }]);
  });

  it('notices ask no substitute about their own request, nor outside their days', async () => {
    const officeApprover = await person('Lea', { role: 'approver', departmentId: world.office });
    const otherDepartment = world.office + 1;
    const sam = await person('Sam', { role: 'approver', departmentId: otherDepartment });
    const tom = await person('Tom', { role: 'approver', departmentId: otherDepartment });
    const yas = await person('Yas', { role: 'approver', departmentId: otherDepartment });
    // Sam asks for a day in the office, and decides for Lea today; Tom does tomorrow, Yas did yesterday.
    await world.db.write((tx) =>
      tx.run('UPDATE people SET department_id = :office WHERE id = :sam', { office: world.office, sam }),
    );
    for (const [substitute, date] of [
      [sam, '2026-11-23'],
      [tom, '2026-11-24'],
      [yas, '2026-11-23'],
    ] as const) {
      const days = { user_id: substitute, start_date: date, end_date: date };
      expect((await call(officeApprover, 'POST', 'me/substitutes', days)).status).toBe(201);
    }
    await world.db.write((tx) =>
      tx.run(
        "UPDATE approval_substitutes SET from_date = '2026-11-22', to_date = '2026-11-22' WHERE substitute_id = :yas",
        { yas },
      ),
    );
    await requestAbsence(sam, '2026-12-14');
    expect(await recipients('request_waiting')).toEqual([officeApprover]);
    await requestAbsence(world.people.ada, '2026-12-14');
    expect(await recipients('request_waiting')).toEqual([officeApprover, officeApprover, sam]);
  });

  it('notices inform once of pending offline stamps, until all of the person are decided', async () => {
    const { ada, ben } = world.people;
    const boss = await person('Bo', { role: 'company_admin' });
    const write = <Result>(effect: Parameters<typeof world.service.store.write<Result>>[1]) => world.write(effect);
    const stamps = (id: number, subjectId: number, kind: 'offline_stamp' | 'absence' = 'offline_stamp') =>
      write(async (tx) => {
        const date = '2026-11-20' as LocalDate;
        const requester = (await findPerson(tx, id, allCompanies))!;
        const facts = { companyId: world.nord, personId: id, from: date, to: date, at: tx.at };
        await requestDecision(tx, requester, { kind, subjectId, ...facts });
        await tx.audit({ companyId: world.nord, action: 'offline_stamp.missing', details: { from: 1, to: 1 } });
      });
    const decide = (subjectId: number) =>
      write(async (tx) => {
        const resolution = { kind: 'offline_stamp', subjectId, outcome: 'approved', by: boss, at: tx.at } as const;
        expect(await resolveRequest(tx, resolution)).toBe(true);
        await tx.audit({ companyId: world.nord, action: 'entry.approved', details: { entry: subjectId } });
      });
    const countNotices = async () => (await rows('request_waiting')).length;
    await stamps(ada, 901);
    await stamps(ada, 902);
    expect([await countNotices(), await mailRecipients('request_waiting')]).toEqual([1, [boss]]);
    // Somebody else's, and another kind of request, are other news.
    await stamps(ben, 903);
    await stamps(ada, 904, 'absence');
    await stamps(ada, 905, 'absence');
    expect(await countNotices()).toBe(4);
    await decide(901);
    await stamps(ada, 906);
    expect(await countNotices()).toBe(4);
    await decide(902);
    await decide(906);
    await stamps(ada, 907);
    expect(await countNotices()).toBe(5);
  });

  it('a notice keeps its reading time if the request is decided later, and is deleted after 90 days', async () => {
    const boss = await person('Bo', { role: 'company_admin' });
    const otherAdmin = await person('Uma', { role: 'company_admin' });
    for (const id of [world.people.ada, boss, otherAdmin]) await browserOf(id);
    await requestAbsence(world.people.ada, '2026-12-14');
    const readAt = world.now();
    const [notice] = (await call(boss, 'GET', 'notices')).body['data'] as { id: number }[];
    await call(boss, 'POST', 'notices/read', { ids: [notice!.id] });
    world.advance(minute);
    const [request] = (await call(otherAdmin, 'GET', 'approvals')).body['data'] as { id: string }[];
    expect((await call(otherAdmin, 'POST', `approvals/${request!.id}/approve`, {})).status).toBe(200);
    expect(await rows('request_waiting')).toEqual([
      { person_id: boss, read_at: readAt },
      { person_id: otherAdmin, read_at: readAt + minute },
    ]);
    const purge = async () => (await purgeExpired(world.service.store, world.now(), silentLog)).notices;
    world.set(readAt + 90 * day);
    expect(await purge()).toBe(0);
    world.advance(1);
    expect([await purge(), await recipients('request_waiting')]).toEqual([2, []]);
    // The decision came a minute later.
    expect(await recipients('request_decided')).toEqual([world.people.ada]);
  });

  it('recipients choose notices for e-mail', async () => {
    const officeApprover = await person('Lea', { role: 'approver', departmentId: world.office });
    const boss = await person('Bo', { role: 'company_admin' });
    const root = await person('Rhea', { role: 'super_admin' });
    const kinds = async (id: number) =>
      ((await call(id, 'GET', 'notices/mail')).body['kinds'] as { kind: string }[]).map(({ kind }) => kind).sort();
    const common = [
      'clock_out_missing',
      'link_ended',
      'month_reopened',
      'pin_reset',
      'proof_contradicted',
      'proofs_to_keep',
      'request_decided',
      'stamp_unresolved',
      'time_corrected',
    ];
    const deciders = [...common, 'request_waiting', 'stamp_undecided'].sort();
    const admins = [...deciders, 'proofs_stopped', 'key_copied', 'badge_failing', 'proof_overdue'].sort();
    expect(await kinds(world.people.ada)).toEqual(common);
    expect(await kinds(officeApprover)).toEqual(deciders);
    expect(await kinds(boss)).toEqual(admins);
    expect(await kinds(root)).toEqual([...admins, 'webhooks_disabled', 'log_contradicted', 'log_overdue'].sort());
  });

  it('notices inform everyone in the company of a re-opened month, by whom and why', async () => {
    const boss = await person('Bo', { role: 'company_admin' });
    const leaver = await person('Gus');
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :leaver', { leaver }));
    await world.db.write((tx) => tx.run("UPDATE people SET tracking_start = '2026-10-01' WHERE company_id = 1"));
    const { ada, ben, cem } = world.people;
    await call(ben, 'PUT', 'notices/mail', { kinds: [{ kind: 'month_reopened', mail: false }] });
    const step = { month: '2026-10', personId: boss };
    await closeMonth(world, step);
    const reopen = () => reopenMonth(world, { ...step, reason: 'Two stamps were missing' });
    await reopen();
    await expect(reopen()).rejects.toMatchObject({ code: 'month_not_closed' });
    const activePeople = (await world.db.all<{ id: number; email: string | null }>(
      'SELECT id, email FROM people WHERE company_id = :company AND active = 1 ORDER BY id',
      { company: world.nord },
    )) as { id: number; email: string | null }[];
    expect(activePeople.map(({ id }) => id)).toEqual(expect.arrayContaining([ada, ben, cem, boss]));
    expect(await recipients('month_reopened')).toEqual(activePeople.map(({ id }) => id));
    expect(await mailRecipients('month_reopened')).toEqual(
      activePeople.flatMap(({ id, email }) => (email === null || id === ben ? [] : [id])),
    );
    expect(await noticesOf(ada)).toMatchObject([
      {
        kind: 'month_reopened',
        reopened: { month: '2026-10', by: { id: boss, name: 'Bo Test' }, reason: 'Two stamps were missing' },
      },
    ]);
    const expectedRecipients = await mailRecipients('month_reopened');
    expect(await world.mail()).toBe(expectedRecipients.length);
    expect(await world.mail()).toBe(0);
    expect(new Set(server.mails.map(({ subject }) => subject))).toEqual(new Set(['A closed month is open again']));
  });

  it('a notice informs a person that a link ended, unless they ended it', async () => {
    const { ada } = world.people;
    const app = await addApp(world, 'Shift planner');
    const linkAda = async () => {
      await link(world, app, ada, ['read:clock_states'], await browserOf(ada));
      const [linkedApp] = (await call(ada, 'GET', 'linked-apps')).body['data'] as { id: string }[];
      return linkedApp!.id;
    };
    const linkId = await linkAda();
    expect((await call(ada, 'DELETE', `linked-apps/${linkId}`)).status).toBe(204);
    expect(await noticesOf(ada)).toEqual([]);
    await linkAda();
    await world.write((write) => endLinks(write, { extensionId: app.id }, 'extension_deleted'));
    await world.db.write((tx) => tx.run('UPDATE extensions SET deleted_at = 1 WHERE id = :id', { id: app.id }));
    expect(await noticesOf(ada)).toMatchObject([
      { kind: 'link_ended', extension: { id: app.id, name: 'Shift planner' }, ended: 'extension_deleted' },
    ]);
    expect(await mailRecipients('link_ended')).toEqual([ada]);
  });

  it.each(['replaced', 'person_left', 'company_deactivated'] as const)(
    'notices omit a link that ended because of %s',
    async (reason) => {
      const app = await addApp(world, 'Shift planner');
      await link(world, app, world.people.ada, ['read:clock_states'], await browserOf(world.people.ada));
      const count = await world.write((write) => endLinks(write, { extensionId: app.id }, reason));
      expect(count).toBe(1);
      expect(await rows('link_ended')).toEqual([]);
    },
  );

  it('notices are sorted newest first', async () => {
    const { ada } = world.people;
    for (const notice of [{ kind: 'pin_reset' }, { kind: 'access_changed', change: 'reset' }] as const)
      await world.write(async (write) => {
        write.unaudited('progress');
        await notify(write, [ada], notice);
      });
    expect((await noticesOf(ada)).map(({ kind }) => kind)).toEqual(['access_changed', 'pin_reset']);
  });

  it('notices are read by their own person only', async () => {
    const boss = await person('Bo', { role: 'company_admin' });
    await requestAbsence(world.people.ada, '2026-12-14');
    const [notice] = (await call(boss, 'GET', 'notices')).body['data'] as { id: number }[];
    await call(world.people.ada, 'POST', 'notices/read', { ids: [notice!.id] });
    expect(await rows('request_waiting')).toEqual([{ person_id: boss, read_at: null }]);
  });

  it('notices omit the clock of leavers, and reach a substitute only while employed', async () => {
    const { ada } = world.people;
    await sendStamp(world, 'in');
    const officeApprover = await person('Lea', { role: 'approver', departmentId: world.office });
    const substitute = await person('Sam', { role: 'approver', departmentId: world.office + 1 });
    const days = { user_id: substitute, start_date: '2026-11-23', end_date: '2026-11-23' };
    expect((await call(officeApprover, 'POST', 'me/substitutes', days)).status).toBe(201);
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :substitute', { substitute }));
    await requestAbsence(ada, '2026-12-14');
    expect(await recipients('request_waiting')).toEqual([officeApprover]);
    await world.db.write((tx) => tx.run('UPDATE people SET active = 0 WHERE id = :ada', { ada }));
    world.set(parseInstant('2026-11-24T09:00:00Z')!);
    await tellForgottenClockOuts(world.service.store, world.now());
    expect(await rows('clock_out_missing')).toEqual([]);
  });

  it('notices are not sent to people of a deactivated company', async () => {
    const { ada } = world.people;
    const boss = await person('Bo', { role: 'company_admin' });
    await world.db.write((tx) => tx.run("UPDATE people SET tracking_start = '2026-10-01' WHERE company_id = 1"));
    await sendStamp(world, 'in');
    const cause = { actor: system, at: world.now() };
    const october = { month: '2026-10', personId: boss };
    await closeMonth(world, october);
    await world.service.store.write(cause, async (write) => {
      write.unaudited('progress');
      await notify(write, [ada], { kind: 'pin_reset' });
    });
    const setActive = (active: number) =>
      world.db.write((tx) =>
        tx.run('UPDATE companies SET active = :active WHERE id = :id', { active, id: world.nord }),
      );
    await setActive(0);
    await reopenMonth(world, { ...october, reason: 'Two stamps' });
    expect(await rows('month_reopened')).toEqual([]);
    world.set(parseInstant('2026-11-24T09:00:00Z')!);
    await tellForgottenClockOuts(world.service.store, world.now());
    expect(await rows('clock_out_missing')).toEqual([]);
    expect([await world.mail(), server.mails]).toEqual([0, []]);
    await setActive(1);
    await tellForgottenClockOuts(world.service.store, world.now());
    expect(await recipients('clock_out_missing')).toEqual([ada]);
  });

  it('notices omit a clock that stopped while they were written', async () => {
    const { ada, ben } = world.people;
    const clock = (id: number, kind: 'in' | 'out') => sendStamp(world, kind, id);
    await clock(ada, 'in');
    await clock(ben, 'in');
    world.set(parseInstant('2026-11-24T09:00:00Z')!);
    const { store } = world.service;
    const all: typeof store.all = async (...query) => {
      const result = await store.all<never>(...query);
      await clock(ada, 'out');
      return result;
    };
    await tellForgottenClockOuts({ ...store, all }, world.now());
    expect(await recipients('clock_out_missing')).toEqual([ben]);
  });

  it('a notice says once, in the morning after, that a person is still clocked in', async () => {
    const { ada, ben } = world.people;
    const at = (time: string) => world.set(parseInstant(time)!);
    const clock = (id: number, kind: 'in' | 'out') => sendStamp(world, kind, id);
    const tell = () => tellForgottenClockOuts(world.service.store, world.now());
    // Monday, 08:00 in Hamburg; Ben goes home.
    await clock(ada, 'in');
    await clock(ben, 'in');
    world.advance(8 * hour);
    await clock(ben, 'out');
    // Long enough, and night.
    at('2026-11-24T04:59:59Z');
    await tell();
    expect(await rows('clock_out_missing')).toEqual([]);
    at('2026-11-24T05:00:00Z');
    await Promise.all([tell(), tell()]);
    await tell();
    expect(await recipients('clock_out_missing')).toEqual([ada]);
    expect(await mailRecipients('clock_out_missing')).toEqual([ada]);
    expect(await noticesOf(ada)).toMatchObject([{ kind: 'clock_out_missing', day: '2026-11-23' }]);
    // A shift of the evening ends in the morning: 14 hours must be over as well.
    await clock(ada, 'out');
    at('2026-11-24T21:00:00Z');
    await clock(ada, 'in');
    at('2026-11-25T10:59:00Z');
    await tell();
    expect(await recipients('clock_out_missing')).toEqual([ada]);
    at('2026-11-25T11:01:00Z');
    await tell();
    expect(await recipients('clock_out_missing')).toEqual([ada, ada]);
  });
});
