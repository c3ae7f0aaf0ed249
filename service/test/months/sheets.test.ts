import { oneDialect } from '@clockproof/platform/testing/databases';
import { parseInstant } from '@clockproof/platform/time/instant';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { recordPerson } from '../../src/people/people.js';
import { reportAnchorOf } from '../../src/proofs/report-anchor.js';
import { allCompanies } from '../../src/store/every-company.js';
import type { Browser } from '../browser.js';
import { closeMonth, correctTime, recordWork, reopenMonth, sendStamp } from '../builders.js';
import { createWorld, type World } from '../world.js';

const at = (text: string) => parseInstant(text)!;

interface Sheet {
  readonly digest: string;
  readonly can_sign_off: boolean;
  readonly sign_offs: readonly { role: string; valid: boolean; changes: readonly { date: string }[] }[];
  readonly reopenings: readonly { by: string; reason: string }[];
  readonly corrections: readonly { by: string; reason: string; change: string }[];
  readonly entries: readonly { id: number; date: string; stamps: readonly { source: { kind: string } }[] }[];
}

/** The cast, with Tom who decides in Nord; Ada works on 26 November and it is December. */
async function arrange(world: World): Promise<{ ada: Browser; tom: Browser; sue: Browser; tomId: number }> {
  const [tomId, sueId] = await world.write(async (write) => {
    const admin = (companyId: number, firstName: string, lastName: string) =>
      recordPerson(write, {
        companyId,
        firstName,
        lastName,
        email: `${firstName.toLowerCase()}@clockproof.example`,
        role: 'company_admin',
        language: 'de',
      });
    return [await admin(world.nord, 'Tom', 'Krüger'), await admin(world.sued, 'Sue', 'Süd')] as const;
  });
  world.set(at('2026-11-26T07:00:00Z'));
  await sendStamp(world, 'in');
  world.set(at('2026-11-26T15:00:00Z'));
  await sendStamp(world, 'out');
  world.set(at('2026-12-01T08:00:00Z'));
  return {
    ada: await world.as(world.people.ada),
    tom: await world.as(tomId),
    sue: await world.as(sueId),
    tomId,
  };
}

describe.each(oneDialect)('the daily sheet of a month on %s', (dialect) => {
  let world: World;
  let cast: Awaited<ReturnType<typeof arrange>>;
  beforeEach(async () => {
    world = await createWorld(dialect);
    cast = await arrange(world);
  });
  afterEach(() => world.close());

  const path = (month = '2026-11') => `/app/people/${world.people.ada}/sheets/${month}`;
  const show = async (browser: Browser) => (await browser.call('GET', path())).body as unknown as Sheet;
  const sign = (browser: Browser, digest: string, month?: string) =>
    browser.call('POST', `${path(month)}/sign-offs`, { body: { digest } });
  const reason = (answer: { body: Record<string, unknown> }) => (answer.body['details'] as { code: string }[])[0]!.code;
  const correct = (day: string) => {
    const times = { start: at(`${day}T07:00:00Z`), end: at(`${day}T09:00:00Z`) };
    return correctTime(world, { person: world.people.ada, by: cast.tomId, ...times });
  };

  it('the person signs a sheet, then the decider; a change voids both and says which day', async () => {
    const { digest, entries } = await show(cast.ada);
    expect(entries[0]!.stamps.map(({ source }) => source.kind)).toEqual(['extension', 'extension']);
    expect((await show(cast.tom)).can_sign_off).toBe(false);
    expect(reason(await sign(cast.tom, digest))).toBe('person_first');
    expect(await sign(cast.ada, digest)).toMatchObject({ status: 200, body: { can_sign_off: false } });
    expect(reason(await sign(cast.ada, digest))).toBe('already_signed');
    const answer = await sign(cast.tom, digest);
    expect(answer.body['sign_offs']).toMatchObject([
      { role: 'person', by: { name: 'Ada Lang' }, valid: true },
      { role: 'approver', by: { name: 'Tom Krüger' }, valid: true },
    ]);
    for (const day of ['2026-11-27', '2026-11-25']) {
      await correct(day);
      world.advance(1_000);
    }
    const sheet = await show(cast.ada);
    expect(sheet.entries.map(({ date }) => date)).toEqual(['2026-11-25', '2026-11-26', '2026-11-27']);
    expect(sheet.digest).not.toBe(digest);
    expect(sheet.sign_offs).toMatchObject([
      { valid: false, changes: [{ date: '2026-11-25', worked_before: 0, worked_now: 120 }, { date: '2026-11-27' }] },
      { valid: false, changes: [{ date: '2026-11-25' }, { date: '2026-11-27' }] },
    ]);
    expect(sheet.corrections).toMatchObject([
      { date: '2026-11-27', by: 'Tom Krüger', reason: 'Forgot' },
      { date: '2026-11-25' },
    ]);
    expect(await sign(cast.ada, digest)).toMatchObject({ status: 409, body: { code: 'sheet_changed' } });
    expect(sheet.can_sign_off).toBe(true);
    expect((await sign(cast.ada, sheet.digest)).status).toBe(200);
    const entry = await world.db.get<{ details: string }>(
      "SELECT details FROM audit_entries WHERE action = 'sheet.signed_off' ORDER BY sequence DESC LIMIT 1",
    );
    // Without the digest, from which a month could be guessed once the person is erased.
    expect(JSON.parse(entry!.details)).toEqual({ month: '2026-11', role: 'person' });
  });

  it('a signed sheet is pending for the decider until they sign or it changes', async () => {
    const findAda = async () => {
      const { data } = (await cast.tom.call('GET', '/app/team/people')).body as {
        data: { user_id: number; balance: object; months_to_sign_off: string[] }[];
      };
      return data.find((row) => row.user_id === world.people.ada)!;
    };
    expect((await findAda()).months_to_sign_off).toEqual([]);
    expect((await sign(cast.ada, (await show(cast.ada)).digest)).status).toBe(200);
    expect((await findAda()).months_to_sign_off).toEqual(['2026-11']);
    await correct('2026-11-27');
    expect((await findAda()).months_to_sign_off).toEqual([]);
    const { digest } = await show(cast.ada);
    await sign(cast.ada, digest);
    expect((await findAda()).months_to_sign_off).toEqual(['2026-11']);
    expect((await sign(cast.tom, digest)).status).toBe(200);
    const { balance, months_to_sign_off: months } = await findAda();
    expect(months).toEqual([]);
    // What November left behind is in it, as in the month report.
    const report = await cast.tom.call('GET', `/app/reports/months?company_id=${world.nord}&month=2026-12`);
    const lines = report.body['data'] as { person: { id: number }; balance: { carried_minutes: number } }[];
    const line = lines.find(({ person }) => person.id === world.people.ada)!;
    expect(line.balance.carried_minutes).not.toBe(0);
    expect(balance).toEqual(line.balance);
  });

  it('a daily sheet is not signed off before the month is over', async () => {
    const { digest } = (await cast.ada.call('GET', path('2026-12'))).body as unknown as Sheet;
    expect(reason(await sign(cast.ada, digest, '2026-12'))).toBe('not_over');
  });

  it('the person and the deciders see a daily sheet, and nobody else', async () => {
    for (const ending of ['', '/table', '/document'])
      expect((await cast.sue.call('GET', `${path()}${ending}`)).status).toBe(404);
    const { digest } = await show(cast.ada);
    expect((await sign(cast.sue, digest)).status).toBe(404);
    expect((await cast.ada.call('GET', `/app/people/${cast.tomId}/sheets/2026-11`)).status).toBe(404);
  });

  it('a daily sheet shows findings of many days with their clause', async () => {
    for (let day = 9; day <= 35; day += 1) {
      const date = new Date(Date.UTC(2026, 10, day)).toISOString().slice(0, 10);
      // Sundays are free but for the 22nd; 26 November has its entry.
      if (day === 26 || day === 15 || day === 29) continue;
      const times = { start_at: at(`${date}T08:00:00Z`), end_at: at(`${date}T10:00:00Z`) };
      await recordWork(world, { person_id: world.people.ada, ...times });
    }
    world.set(at('2026-12-01T09:00:00Z'));
    const warnings = async () => {
      const ada = await world.as(world.people.ada);
      const days = (await ada.call('GET', path('2026-12'))).body['days'] as {
        date: string;
        warnings: { code: string }[];
      }[];
      return days.flatMap(({ date, warnings }) => warnings.map((warning) => ({ date, ...warning })));
    };
    world.set(at('2026-12-05T09:00:00Z'));
    expect((await warnings()).filter(({ code }) => code === 'substitute_day_missing')).toEqual([]);
    world.set(at('2026-12-06T09:00:00Z'));
    expect((await warnings()).filter(({ code }) => code === 'substitute_day_missing')).toEqual([
      {
        date: '2026-12-05',
        code: 'substitute_day_missing',
        rule: 'ArbZG §11 (3)',
        message: 'No substitute rest day for work on 22 November 2026 within 14 days.',
      },
    ]);
  });

  it('a daily sheet has the root of the closed month, and the token for its person only', async () => {
    const rootFor = async (browser: Browser) => (await browser.call('GET', path())).body['proof'];
    expect(await rootFor(cast.ada)).toBeUndefined();
    await closeMonth(world);
    const { body } = await cast.ada.call('GET', '/app/me/proofs');
    const [{ root }] = body['data'] as [{ root: string }];
    const { company_token, person_token } = body;
    expect(await rootFor(cast.ada)).toEqual({ root, revision: 1, company_token, person_token });
    expect(await rootFor(cast.tom)).toEqual({ root, revision: 1, company_token });
    const sender = `0x${'4c'.repeat(32)}`;
    const { id } = (await world.db.get<{ id: number }>("SELECT id FROM commitments WHERE kind = 'month'"))!;
    await world.write((tx) =>
      reportAnchorOf(tx, allCompanies, {
        commitmentId: id,
        anchor: { tx: '7fqJ6T3hVb3mJXy9n6fUuQ3sAtj4sGZq1cB8dEw5kLrP', sender, package: sender, chain: '6364aad5' },
        checks: [{ index: 'https://index.example', verdict: 'match' }],
      }),
    );
    expect(await rootFor(cast.tom)).toEqual({ root, revision: 1, company_token, sender });
    await reopenMonth(world);
    expect(await rootFor(cast.ada)).toBeUndefined();
  });

  it('a daily sheet says who re-opened the month, and why', async () => {
    const step = { personId: cast.tomId };
    for (const [companyId, reason] of [
      [world.nord, 'Late shift'],
      [world.nord, 'Night shift'],
      [world.sued, 'Of others'],
    ] as const) {
      await closeMonth(world, { ...step, companyId });
      await reopenMonth(world, { ...step, companyId, reason });
    }
    expect((await show(cast.ada)).reopenings).toMatchObject([
      { by: 'Tom Krüger', reason: 'Late shift' },
      { by: 'Tom Krüger', reason: 'Night shift' },
    ]);
  });
});

describe.each(oneDialect)('the files of a daily sheet on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());

  it('the table of a daily sheet names the break that the worked minutes leave out', async () => {
    const { ada } = await arrange(world);
    await recordWork(world, {
      person_id: world.people.ada,
      start_at: at('2026-11-27T07:00:00Z'),
      end_at: at('2026-11-27T15:00:00Z'),
      break_rules: 'DE',
    });
    const table = await ada.call('GET', `/app/people/${world.people.ada}/sheets/2026-11/table`);
    const [header, ...rows] = String(table.body['text']).trimEnd().split('\r\n');
    const cells = rows.find((row) => row.includes(';2026-11-27;'))!.split(';');
    expect(header).toMatch(/;start;end;breaks;worked_minutes;.*;deducted_break_minutes$/);
    // Texts of warnings have semicolons too, so the last cell counts from the end.
    expect([...cells.slice(3, 7), cells.at(-1)]).toEqual(['08:00', '16:00', '', '450', '30']);
  });

  it('the files of a daily sheet are a table for spreadsheets, and a PDF of any name', async () => {
    const { ada } = await arrange(world);
    await world.db.write((tx) =>
      tx.run('UPDATE people SET first_name = :name WHERE id = :id', {
        name: '=1+1 Łu 中 \u202e<b>Ä',
        id: world.people.ada,
      }),
    );
    const table = await ada.call('GET', `/app/people/${world.people.ada}/sheets/2026-11/table`);
    expect(table.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const line = String(table.body['text'])
      .split('\r\n')
      .find((row) => row.includes(';2026-11-26;'))!;
    expect(line.split(';').slice(1, 8)).toEqual([
      "'=1+1 Łu 中 \u202e<b>Ä Lang",
      '2026-11-26',
      '08:00',
      '16:00',
      '',
      '480',
      '480',
    ]);
    expect(line).toContain('ArbZG §4');
    const document = await ada.call('GET', `/app/people/${world.people.ada}/sheets/2026-11/document`);
    expect(document.headers.get('content-type')).toBe('application/pdf');
    expect(document.headers.get('content-disposition')).toContain(`sheet-${world.people.ada}-2026-11.pdf`);
    expect(String(document.body['text'])).toMatch(/^%PDF-1\.[\s\S]*%%EOF\s*$/);
  });
});
