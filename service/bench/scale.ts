/**
 * The effect of size on speed: 1,000,000 time entries of 2,000 people over three years beside 10,000 entries of the
 * same people. The same requests to both in turns, one at a time; the ratio of their medians shows the growth. Then the
 * month: every balance of a company in one pass, and the delay of a running clock while it is closed.
 */
import { randomBytes } from 'node:crypto';
import type { Database } from '@clockproof/platform/database/database';
import { silentLog } from '@clockproof/platform/log';
import { type Figure, median } from '@clockproof/platform/testing/bench';
import { createTestDatabase, type DialectName, type TestDatabase } from '@clockproof/platform/testing/databases';
import { hour, parseInstant } from '@clockproof/platform/time/instant';
import { addDays, startOfDay } from '@clockproof/platform/time/local-date';
import { switchPeopleAccess } from '../src/access/integrations/people-access.js';
import { readConfig } from '../src/config.js';
import { recordExtension } from '../src/extensions/extensions.js';
import { calculateCompanyMonth, readCompanyMonth } from '../src/months/company-month.js';
import { announcePerson } from '../src/people/announce-person.js';
import { recordCompany } from '../src/people/people.js';
import { insertPerson, listCompanyRows } from '../src/people/rows.js';
import { closeCompanyMonth } from '../src/proofs/close-month.js';
import { type Service, startService } from '../src/service.js';
import { proofToken } from '../src/store/proof-token.js';
import { berlin } from '../test/zones.js';

const people = 2_000;
const lastDay = '2026-11-20';
const now = parseInstant('2026-11-21T09:00:00Z')!;
const system = { kind: 'system' } as const;
const samples = 200;

interface Subject {
  readonly home: TestDatabase;
  readonly service: Service;
  readonly db: Database;
  readonly key: string;
  readonly company: number;
  readonly ids: readonly number[];
  readonly position: string;
}

async function subjectWith(dialect: DialectName, entries: number): Promise<Subject> {
  const home = await createTestDatabase(dialect);
  const config = readConfig({
    DB_DRIVER: home.settings.driver,
    DB_DSN: home.settings.dsn,
    LISTEN_ADDR: '127.0.0.1:0',
    RATE_API_PER_MINUTE: '1000000',
  });
  const service = await startService({ config, log: silentLog, clock: () => now });
  const { db } = service;
  const { company, key, ids } = await service.store.write({ actor: system, at: now }, async (write) => {
    const company = await recordCompany(write, {
      name: 'Scale',
      timeZone: berlin,
      country: 'DE',
      region: 'DE-HH',
    });
    const ids: number[] = [];
    for (let index = 0; index < people; index++) {
      ids.push(
        await insertPerson(write, {
          company_id: company,
          personnel_number: null,
          first_name: 'P',
          last_name: String(index),
          email: null,
          department_id: null,
          role: 'employee',
          language: 'en',
          employment_start: null,
          employment_end: null,
          own_time_zone: null,
          tracking_start: '2023-01-01',
          record_salt: Buffer.from(write.randomBytes(16)).toString('hex'),
          proof_token: proofToken(randomBytes),
          updated_at: now,
        }),
      );
      await announcePerson(write, { id: ids.at(-1)!, companyId: company, type: 'user.created' });
    }
    await switchPeopleAccess(write, { writes: true, links: false, terminals: false });
    const { key } = await recordExtension(
      write,
      {
        name: 'Scale',
        mode: 'api',
        acting: 'everyone',
        companyId: company,
        scopes: ['read:users', 'read:time_entries', 'read:clock_states', 'read:leave_entries', 'write:clock'],
      },
      randomBytes,
    );
    return { company, key, ids };
  });
  // Both spread evenly: the large one over three years, about nine in ten working on a day; the small one as thinly
  // over the same span.
  const days = 1_095;
  const portion = Math.round((entries / days / people) * 1_000);
  let changedPeople = people;
  for (let from = 0; from < days; from += 100) {
    await db.write(async (tx) => {
      for (let index = from; index < Math.min(days, from + 100); index++) {
        const date = addDays(lastDay, index - days + 1);
        const start = startOfDay(date, berlin) + 7 * hour;
        await tx.run(
          `INSERT INTO time_entries (company_id, person_id, date, start_at, end_at, breaks, status, source_kind, source_id, source_name, created_at, updated_at, changed)
           SELECT company_id, id, :date, :start + id, :start + id + ${8 * hour}, '[]', 'recorded', 'extension', 'ext_scale', 'Scale', :start, :start, :changed + id FROM people WHERE (id * 7919 + :index * 104729) % 1000 < :portion`,
          { date, start, changed: changedPeople, index, portion },
        );
        changedPeople += people;
      }
    });
  }
  if (dialect === 'postgres') await db.all('ANALYZE');
  return {
    home,
    service,
    db,
    key,
    company,
    ids,
    position: `s1_${(changedPeople - people).toString(16).padStart(16, '0')}`,
  };
}

async function timeRequest(subject: Subject, method: string, path: string, body?: object): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(subject.service.url + path, {
    method,
    headers: {
      authorization: `Bearer ${subject.key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
  return performance.now() - startedAt;
}

export async function measureScale(dialect: DialectName): Promise<readonly Figure[]> {
  const rows: Figure[] = [];
  const smallSubject = await subjectWith(dialect, 10_000);
  const largeSubject = await subjectWith(dialect, 1_000_000);
  const count = async ({ db }: Subject) => (await db.get<{ n: number }>('SELECT count(*) AS n FROM time_entries'))!.n;
  console.log(`${dialect}: ${await count(smallSubject)} and ${await count(largeSubject)} entries of ${people} people`);
  const requests: [string, (subject: Subject, turn: number) => Promise<number>][] = [
    ['GET /users', (s) => timeRequest(s, 'GET', '/api/v1/users?limit=100')],
    ['GET /clock/states', (s) => timeRequest(s, 'GET', '/api/v1/clock/states?limit=100')],
    [
      'GET /time/entries, a day',
      (s, turn) =>
        timeRequest(
          s,
          'GET',
          `/api/v1/time/entries?from=${addDays(lastDay, -(turn % 300))}&to=${addDays(lastDay, -(turn % 300))}&limit=5`,
        ),
    ],
    [
      'GET /time/entries, a person and year',
      (s, turn) =>
        timeRequest(s, 'GET', `/api/v1/time/entries?from=2025-11-21&to=2026-11-20&user_id=${s.ids[turn]!}&limit=1`),
    ],
    [
      'GET /time/entries, newest changes',
      (s) => timeRequest(s, 'GET', `/api/v1/time/entries?updated_since=${s.position}&limit=5`),
    ],
    ['GET /time/leaves, a month', (s) => timeRequest(s, 'GET', '/api/v1/time/leaves?from=2026-10-01&to=2026-10-31')],
    [
      'POST /clock/in|out',
      (s, turn) =>
        timeRequest(s, 'POST', `/api/v1/clock/${turn % 2 === 0 ? 'in' : 'out'}`, { user_id: s.ids[turn >> 1] }),
    ],
  ];
  for (const [name, ask] of requests) {
    const times: [number[], number[]] = [[], []];
    for (let turn = 0; turn < samples; turn++) {
      for (const [side, subject] of [smallSubject, largeSubject].entries()) times[side]!.push(await ask(subject, turn));
    }
    const [smallMedian, largeMedian] = [median(times[0].slice(20)), median(times[1].slice(20))];
    rows.push([
      `${name}, ${dialect}`,
      `${(largeMedian / smallMedian).toFixed(2)}×`,
      '≤ 1.25×',
      `${largeMedian.toFixed(2)} ms with 1,000,000 entries`,
      `${smallMedian.toFixed(2)} ms with 10,000`,
    ]);
  }

  const [company] = await listCompanyRows(largeSubject.db, { company: largeSubject.company }, { afterId: 0, limit: 1 });
  const startedAt = performance.now();
  const lines = await calculateCompanyMonth(largeSubject.db, company!, '2026-10', now);
  rows.push([
    `balances of ${lines.length} people for a month, one pass, ${dialect}`,
    `${Math.round(performance.now() - startedAt)} ms`,
    'reported',
  ]);

  // No month has been closed: the report calculates all tracked months before it.
  const cpu = process.cpuUsage();
  const report = await readCompanyMonth(largeSubject.db, company!, '2026-11', now);
  const { user, system: kernel } = process.cpuUsage(cpu);
  rows.push([
    `CPU of a month report per 1,000 people with three open years, ${dialect}`,
    `${Math.round((user + kernel) / report.lines.length)} ms`,
    'reported',
  ]);

  // While the first month is closed, one person after the other clocks in: the longest answer is the cost of closing
  // for them.
  let isClosing = true;
  const monthClosing = largeSubject.service.store
    .write({ actor: system, at: now }, (write) =>
      closeCompanyMonth(write, { companyId: largeSubject.company, month: '2023-01', personId: largeSubject.ids[0]! }),
    )
    .finally(() => {
      isClosing = false;
    });
  const waitTimes: number[] = [];
  for (let turn = 400; isClosing && turn < people; turn++)
    waitTimes.push(await timeRequest(largeSubject, 'POST', '/api/v1/clock/in', { user_id: largeSubject.ids[turn] }));
  await monthClosing;
  rows.push([
    `longest of ${waitTimes.length} stamps while the month is closed, ${dialect}`,
    `${Math.max(...waitTimes).toFixed(0)} ms`,
    '≤ 2,000 ms',
    `p50 ${median(waitTimes).toFixed(1)} ms`,
  ]);
  for (const subject of [smallSubject, largeSubject]) {
    await subject.service.close();
    await subject.home.drop();
  }
  return rows;
}
