import { oneDialect } from '@clockproof/platform/testing/databases';
import { runs } from '@clockproof/platform/testing/runs';
import { hour, parseInstant } from '@clockproof/platform/time/instant';
import { addDays } from '@clockproof/platform/time/local-date';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { seesAll } from '../../src/absences/deciders/approver-scope.js';
import type { StampKind } from '../../src/clock/clock-state.js';
import { type ClockResult, stamp } from '../../src/clock/stamp.js';
import { calculateCompanyMonth } from '../../src/months/company-month.js';
import { readDaysForViewer, readPersonDays } from '../../src/months/person-balance.js';
import { saveCompanyChange } from '../../src/people/people.js';
import { findCompany, findPerson } from '../../src/people/rows.js';
import { allCompanies } from '../../src/store/every-company.js';
import { Refusal } from '../../src/store/refusal.js';
import { addRuleOfPerson } from '../../src/working-time/change-special-rules.js';
import type { Finding } from '../../src/working-time/rules.js';
import type { Warning } from '../../src/working-time/warnings.js';
import { hire, sendStamp } from '../builders.js';
import { createWorld, minute, type World } from '../world.js';

const system = { kind: 'system' } as const;

const stampKinds = ['in', 'break_start', 'break_end', 'out'] as const satisfies readonly StampKind[];
const allowedStamps: Readonly<Record<'out' | 'in' | 'on_break', readonly StampKind[]>> = {
  out: ['in'],
  in: ['break_start', 'out'],
  on_break: ['break_end', 'out'],
};

/** Lengths close to the figures of the rules, and any others. */
const waitMinutes = fc.oneof(
  fc.constantFrom(0, 1, 14, 15, 30, 60, 179, 180, 270, 271, 361, 480, 481, 510, 511, 659, 660, 719, 720),
  fc.integer({ min: 0, max: 700 }),
);

/** Minutes after the beginning. */
interface ModelEntry {
  readonly start: number;
  readonly end: number;
  readonly breaks: [number, number][];
  pause: number | undefined;
}

interface ModelWorker {
  readonly young: boolean;
  readonly expectant: boolean;
  readonly evenings: boolean;
}

const lineOf = (warning: Warning) =>
  `${warning.code} ${warning.rule} ${warning.limit_minutes}/${warning.actual_minutes}`;
const findingLine = ({ code, rule, limitMinutes, actualMinutes }: Finding) =>
  `${code} ${rule} ${limitMinutes}/${actualMinutes}`;

/**
 * What the law says of each working day, in order, minute by minute; the clocks of Berlin stand an hour ahead all the time.
 * @param worker who somebody is on a date, as far as the reader knows
 */
function modelOf(
  list: readonly ModelEntry[],
  zero: number,
  worker: (date: string) => ModelWorker,
): [date: string, lines: string[]][] {
  const clock = (at: number) => new Date(zero + (at + 60) * minute).toISOString();
  const days: { date: string; entries: ModelEntry[]; rest: number | undefined }[] = [];
  for (const [index, entry] of list.entries()) {
    const [day, previousEntry, date] = [days.at(-1), list[index - 1], clock(entry.start).slice(0, 10)];
    const rest = previousEntry === undefined ? undefined : entry.start - previousEntry.end;
    const isOver = day === undefined || rest! >= 660 || entry.start >= day.entries[0]!.start + 1_440;
    if (!isOver && (day.date === date || rest! < 180)) day.entries.push(entry);
    else days.push({ date, entries: [entry], rest });
  }
  return days.map(({ date, entries, rest }): [string, string[]] => {
    const { young, expectant, evenings } = worker(date);
    const workMinutes: number[] = [];
    for (const { start, end, breaks } of entries)
      for (let at = start; at < end; at += 1)
        if (!breaks.some(([from, to]) => at >= from && at < to)) workMinutes.push(at);
    const lines: string[] = [];
    const sum = workMinutes.length;
    const dayMinutes = workMinutes.filter((at) => at < entries[0]!.start + 1_440).length;
    const [law, nearLimit, maxMinutes] = expectant
      ? ['MuSchG §4 (1)', 480, young ? 480 : 510]
      : young
        ? ['JArbSchG §8', 480, 510]
        : ['ArbZG §3', 480, 600];
    if (dayMinutes > maxMinutes) lines.push(`daily_limit_exceeded ${law} ${maxMinutes}/${dayMinutes}`);
    else if (dayMinutes > nearLimit) lines.push(`daily_limit_near ${law} ${maxMinutes}/${dayMinutes}`);
    const shift = entries.at(-1)!.end - entries[0]!.start;
    if (young && shift > 600) lines.push(`shift_too_long JArbSchG §12 600/${shift}`);
    const pauses = workMinutes.slice(1).map((at, index) => at - workMinutes[index]! - 1);
    const isLong = pauses.map((pause) => pause >= 15);
    // Young people's breaks lie neither in the first hour nor in the last one.
    const atEdge = (index: number) =>
      workMinutes[index]! + 1 - workMinutes[0]! < 60 || workMinutes.at(-1)! + 1 - workMinutes[index + 1]! < 60;
    const isRest = isLong.map((flag, index) => flag && !(young && atEdge(index)));
    const sumOf = (flags: readonly boolean[]) =>
      pauses.reduce((total, pause, index) => total + (flags[index] ? pause : 0), 0);
    const breakMinutes = sumOf(isRest);
    let [longest, from] = [0, workMinutes[0]];
    for (const [index, at] of workMinutes.entries()) {
      if (index > 0 && isRest[index - 1]) from = at;
      longest = Math.max(longest, at + 1 - from!);
    }
    const [paragraph, stretch] = young ? ['JArbSchG §11', 270] : ['ArbZG §4', 360];
    const requiredMinutes = young ? (sum > 360 ? 60 : sum > 270 ? 30 : 0) : sum > 540 ? 45 : sum > 360 ? 30 : 0;
    if (breakMinutes < requiredMinutes)
      lines.push(
        `break_missing ${sumOf(isLong) < requiredMinutes ? paragraph : 'JArbSchG §11 (2)'} ${requiredMinutes}/${breakMinutes}`,
      );
    else if (longest > stretch) lines.push(`break_missing ${paragraph} ${stretch}/${longest}`);
    const [restLaw, minRestMinutes] = young ? ['JArbSchG §13', 720] : [expectant ? 'MuSchG §4 (2)' : 'ArbZG §5', 660];
    if (rest !== undefined && rest < minRestMinutes)
      lines.push(`rest_period_short ${restLaw} ${minRestMinutes}/${rest}`);
    const nightStart = !young && evenings ? 22 : 20;
    const nights = workMinutes.filter((at) => {
      const hours = Number(clock(at).slice(11, 13));
      return hours >= nightStart || hours < 6;
    }).length;
    if ((young || expectant) && nights > 0)
      lines.push(`night_work ${young ? 'JArbSchG §14' : 'MuSchG §5 (1)'} 0/${nights}`);
    const dates = new Map<string, number>();
    for (const at of workMinutes) dates.set(clock(at).slice(0, 10), (dates.get(clock(at).slice(0, 10)) ?? 0) + 1);
    for (const [day, minutes] of dates) {
      const weekday = new Date(`${day}T12:00:00Z`).getUTCDay();
      if (['2026-12-25', '2026-12-26', '2027-01-01'].includes(day))
        lines.push(`holiday_work ${young ? 'JArbSchG §18' : expectant ? 'MuSchG §6 (1)' : 'ArbZG §9'} 0/${minutes}`);
      else if (weekday === 0)
        lines.push(`sunday_work ${young ? 'JArbSchG §17' : expectant ? 'MuSchG §6 (1)' : 'ArbZG §9'} 0/${minutes}`);
      else if (weekday === 6 && young) lines.push(`saturday_work JArbSchG §16 0/${minutes}`);
    }
    return [date, lines];
  });
}

describe.each(oneDialect)('working-time rules on %s', (dialect) => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld(dialect);
  });
  afterEach(() => world.close());
  const clock = (verb: string, person: number) => sendStamp(world, verb, person);
  const at = (text: string) => world.set(parseInstant(text)!);
  const codes = (answer: { warnings: { code: string }[] }) => answer.warnings.map((warning) => warning.code);

  it('a stamp warns about missing breaks and too long days, and is recorded', async () => {
    const { ada } = world.people;
    at('2026-11-24T06:00:00Z');
    expect(codes(await clock('in', ada))).toEqual([]);
    at('2026-11-24T12:01:00Z');
    const breakStart = await clock('break/start', ada);
    expect(breakStart.warnings).toEqual([
      {
        code: 'break_missing',
        rule: 'ArbZG §4',
        limit_minutes: 30,
        actual_minutes: 0,
        message: '0 minutes of rest breaks; 30 minutes are required.',
      },
    ]);
    at('2026-11-24T12:46:00Z');
    expect(codes(await clock('break/end', ada))).toEqual(['break_missing']);
    at('2026-11-24T16:46:00Z');
    const clockOut = await clock('out', ada);
    expect(codes(clockOut)).toEqual(['daily_limit_exceeded', 'break_missing']);
    expect(clockOut.time_entry).toMatchObject({
      status: 'recorded',
      worked_minutes: 601,
      break_minutes: 45,
      start: '2026-11-24T06:00:00Z',
      end: '2026-11-24T16:46:00Z',
    });
  });

  it('a stamp warns about a short rest when work begins, once', async () => {
    const { ada } = world.people;
    at('2026-11-24T08:46:00Z');
    await clock('in', ada);
    at('2026-11-24T16:46:00Z');
    await clock('out', ada);
    at('2026-11-25T03:16:00Z');
    expect((await clock('in', ada)).warnings).toMatchObject([
      { code: 'rest_period_short', limit_minutes: 660, actual_minutes: 630 },
    ]);
    world.advance(hour);
    expect(codes(await clock('out', ada))).toEqual([]);
    world.advance(hour);
    expect(codes(await clock('in', ada))).toEqual([]);
    world.advance(hour);
    await clock('out', ada);
  });

  it('a night shift in two entries is one working day', async () => {
    const { ada } = world.people;
    // Tuesday 20:00 to 23:50, 00:10 to 08:40 in Berlin: twelve hours and twenty minutes with a break of 20 minutes.
    at('2026-11-24T19:00:00Z');
    await clock('in', ada);
    at('2026-11-24T22:50:00Z');
    await clock('out', ada);
    at('2026-11-24T23:10:00Z');
    expect(codes(await clock('in', ada))).toEqual([]);
    at('2026-11-25T07:40:00Z');
    const clockOut = await clock('out', ada);
    expect(clockOut.time_entry).toMatchObject({ date: '2026-11-25', worked_minutes: 510 });
    expect(clockOut.warnings).toMatchObject([
      { code: 'daily_limit_exceeded', actual_minutes: 740 },
      { code: 'break_missing', limit_minutes: 45, actual_minutes: 20 },
    ]);
    // Wednesday evening begins the next working day, too early.
    at('2026-11-25T17:40:00Z');
    expect((await clock('in', ada)).warnings).toMatchObject([{ code: 'rest_period_short', actual_minutes: 600 }]);
    at('2026-11-25T18:40:00Z');
    await clock('out', ada);
    const days = await readPersonDays(
      world.db,
      (await findPerson(world.db, ada, allCompanies))!,
      '2026-11-24',
      '2026-11-25',
    );
    expect(days.map((day) => [day.workedMinutes, day.found.map((finding) => finding.code)])).toEqual([
      [230, ['daily_limit_exceeded', 'break_missing']],
      [570, ['rest_period_short']],
    ]);
    // The end of the period is not the end of the working day, and its beginning is not the beginning.
    const findingsOn = async (date: string) =>
      (await readPersonDays(world.db, (await findPerson(world.db, ada, allCompanies))!, date, date))[0]!.found;
    expect([await findingsOn('2026-11-24'), await findingsOn('2026-11-25')]).toEqual(days.map((day) => day.found));
    const findings: [string, string][] = [];
    const nord = (await findCompany(world.db, world.nord))!;
    await calculateCompanyMonth(world.db, nord, '2026-11', world.now(), {
      onFinding: ({ date, finding }) => findings.push([date, finding.code]),
    });
    expect(findings).toEqual([
      ['2026-11-24', 'daily_limit_exceeded'],
      ['2026-11-24', 'break_missing'],
      ['2026-11-25', 'rest_period_short'],
    ]);
  });

  it('nights that begin before and after midnight of one date are separate working days', async () => {
    const { ada } = world.people;
    // A baker in Berlin: 00:05 to 07:30 on Tuesday, 23:50 to 07:30 on Wednesday, each with a break of half an hour.
    for (const [begin, end] of [
      ['2026-11-23T23:05:00Z', '2026-11-24T06:30:00Z'],
      ['2026-11-24T22:50:00Z', '2026-11-25T06:30:00Z'],
      ['2026-11-25T23:05:00Z', '2026-11-26T06:30:00Z'],
    ] as const) {
      at(begin);
      expect(codes(await clock('in', ada))).toEqual([]);
      world.advance(3 * hour);
      expect(codes(await clock('break/start', ada))).toEqual([]);
      world.advance(30 * minute);
      expect(codes(await clock('break/end', ada))).toEqual([]);
      at(end);
      expect(codes(await clock('out', ada))).toEqual([]);
    }
    const person = (await findPerson(world.db, ada, allCompanies))!;
    const days = await readPersonDays(world.db, person, '2026-11-24', '2026-11-26');
    expect(days.map(({ workedMinutes, found }) => [workedMinutes, found])).toEqual([
      [415 + 430, []],
      [0, []],
      [415, []],
    ]);
    const nord = (await findCompany(world.db, world.nord))!;
    const lines = await calculateCompanyMonth(world.db, nord, '2026-11', world.now());
    expect(lines.find((line) => line.person.id === ada)!.sum.findings).toBe(0);
  });

  it('a day of more than eight hours is mentioned during and on the day, and is no violation', async () => {
    const { ada } = world.people;
    for (const [verb, time] of [
      ['in', '2026-11-24T06:00:00Z'],
      ['break/start', '2026-11-24T10:00:00Z'],
      ['break/end', '2026-11-24T10:30:00Z'],
    ] as const) {
      at(time);
      await clock(verb, ada);
    }
    at('2026-11-24T14:31:00Z');
    expect(codes(await clock('out', ada))).toEqual(['daily_limit_near']);
    const person = (await findPerson(world.db, ada, allCompanies))!;
    const [day] = await readPersonDays(world.db, person, '2026-11-24', '2026-11-24');
    expect(day!.found.map((finding) => finding.code)).toEqual(['daily_limit_near']);
    const findings: string[] = [];
    const nord = (await findCompany(world.db, world.nord))!;
    const lines = await calculateCompanyMonth(world.db, nord, '2026-11', world.now(), {
      onFinding: ({ finding }) => findings.push(finding.code),
    });
    expect([findings, lines.find((line) => line.person.id === ada)!.sum.findings]).toEqual([[], 0]);
  });

  it('a night over the end of a month is whole in its report and in that of the person', async () => {
    const { ada } = world.people;
    for (const [verb, time] of [
      ['in', '2026-11-30T19:00:00Z'],
      ['out', '2026-11-30T22:50:00Z'],
      ['in', '2026-11-30T23:10:00Z'],
      ['out', '2026-12-01T05:40:00Z'],
    ] as const) {
      at(time);
      await clock(verb, ada);
    }
    const nord = (await findCompany(world.db, world.nord))!;
    const report = async (month: string) => {
      const findings: string[] = [];
      await calculateCompanyMonth(world.db, nord, month, world.now(), {
        onFinding: ({ date, finding }) => findings.push(`${date} ${finding.code} ${finding.actualMinutes}`),
      });
      return findings;
    };
    expect(await report('2026-11')).toEqual(['2026-11-30 daily_limit_exceeded 620', '2026-11-30 break_missing 20']);
    expect(await report('2026-12')).toEqual([]);
  });

  it('the seconds of a day are added up before they are cut, as in the findings', async () => {
    const { ada } = world.people;
    at('2026-11-24T06:00:00Z');
    for (let entry = 0; entry < 40; entry += 1) {
      await clock('in', ada);
      world.advance(119_000);
      await clock('out', ada);
      world.advance(60_000);
    }
    const [day] = await readPersonDays(
      world.db,
      (await findPerson(world.db, ada, allCompanies))!,
      '2026-11-24',
      '2026-11-24',
    );
    expect(day).toMatchObject({ workedMinutes: 79 });
  });

  it('working-time rules agree with a minute model for young, expectant and all other workers', async () => {
    const coveredRules = new Set<string>();
    let people = 0;
    // A forgotten clock-out leaves the entry open.
    await world.db.write((tx) => tx.run('UPDATE companies SET new_day_after_hours = NULL'));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('2026-11-26', '2026-12-23'),
        fc.subarray(['young', 'expectant_or_nursing', 'evenings'] as const),
        fc.record({ from: fc.nat(2), to: fc.option(fc.integer({ min: 2, max: 4 })) }),
        fc.array(fc.record({ pick: fc.nat(1_000), wait: waitMinutes, web: fc.boolean() }), {
          minLength: 14,
          maxLength: 22,
        }),
        async (first, kinds, span, steps) => {
          const zero = parseInstant(`${first}T05:00:00Z`)!;
          world.set(zero);
          people += 1;
          const name = `Model ${people}`;
          const rules = kinds.flatMap((kind) => (kind === 'evenings' ? [] : [kind]));
          const [from, to] = [addDays(first, span.from), span.to === null ? null : addDays(first, span.to)];
          const id = await world.service.store.write({ actor: system, at: zero }, async (write) => {
            const personId = await hire(write, {
              companyId: world.nord,
              firstName: name,
              employmentStart: `${first.slice(0, 7)}-01`,
            });
            for (const kind of rules)
              await addRuleOfPerson(write, {
                companyId: world.nord,
                personId,
                kind,
                validFrom: from,
                validTo: to,
                eveningWork: kind === 'expectant_or_nursing' && kinds.includes('evenings'),
              });
            return personId;
          });
          const workerFor = (web: boolean) => (date: string) => {
            const applies = date >= from && (to === null || date <= to);
            return {
              young: applies && rules.includes('young'),
              expectant: applies && web && rules.includes('expectant_or_nursing'),
              evenings: kinds.includes('evenings'),
            };
          };
          const closedEntries: ModelEntry[] = [];
          let openEntry: ModelEntry | undefined;
          let now = 0;
          const press = async (kind: StampKind, web: boolean) => {
            const state = openEntry === undefined ? 'out' : openEntry.pause === undefined ? 'in' : 'on_break';
            const source = web
              ? ({ kind: 'web' } as const)
              : ({ kind: 'terminal', id: 'trm_1', name: 'Door' } as const);
            const answer = await world.service.store
              .write({ actor: system, at: zero + now * minute }, (write) =>
                stamp(write, { personId: id, companyId: world.nord, kind, source }),
              )
              .catch((error: unknown) => {
                if (!(error instanceof Refusal)) throw error;
                return error.code;
              });
            if (!allowedStamps[state].includes(kind)) {
              expect(typeof answer).toBe('string');
              return;
            }
            if (kind === 'in') openEntry = { start: now, end: now, breaks: [], pause: undefined };
            if (kind === 'break_start') openEntry!.pause = now;
            if (kind === 'break_end' || kind === 'out') {
              if (openEntry!.pause !== undefined) openEntry!.breaks.push([openEntry!.pause, now]);
              openEntry!.pause = undefined;
            }
            if (kind !== 'out') return;
            closedEntries.push({ ...openEntry!, end: now });
            openEntry = undefined;
            // What the last stamp of an entry says is what is found on its working day so far, but for the rest before it.
            const [, day] = modelOf(closedEntries, zero, workerFor(web)).at(-1)!;
            const { warnings } = answer as ClockResult;
            expect(
              warnings
                .filter(({ code }) => code !== 'clock_out_missing')
                .map(lineOf)
                .sort(),
            ).toEqual(day.filter((line) => !line.startsWith('rest_period_short')).sort());
          };
          for (const { pick, wait, web } of steps) {
            const state = openEntry === undefined ? 'out' : openEntry.pause === undefined ? 'in' : 'on_break';
            // Mostly something that is possible, now and then anything.
            const choice = pick % 6 === 0 ? stampKinds : allowedStamps[state];
            await press(choice[pick % choice.length]!, web);
            now += wait;
          }
          if (openEntry !== undefined) await press('out', true);
          world.set(zero + now * minute);
          const rows = await world.db.all<{ start_at: number; end_at: number; breaks: string }>(
            'SELECT start_at, end_at, breaks FROM time_entries WHERE person_id = :id ORDER BY start_at, id',
            { id },
          );
          expect(rows.map((row) => [row.start_at, row.end_at, JSON.parse(row.breaks)])).toEqual(
            closedEntries.map(({ start, end, breaks }) => [
              zero + start * minute,
              zero + end * minute,
              breaks.map(([begin, until]) => [zero + begin * minute, zero + until * minute]),
            ]),
          );
          const employee = (await findPerson(world.db, id, allCompanies))!;
          const nord = (await findCompany(world.db, world.nord))!;
          const lastDate = addDays(first, 20);
          for (const confidentiality of ['confidential', 'general'] as const) {
            const expectedDays = modelOf(closedEntries, zero, workerFor(confidentiality === 'confidential'));
            const days = await readDaysForViewer(world.db, employee, { from: first, to: lastDate }, world.now(), {
              ...seesAll,
              confidentiality,
            });
            for (const { date, found: findings } of days) {
              const lines = expectedDays.flatMap(([day, dayLines]) => (day === date ? dayLines : []));
              expect([date, findings.map(findingLine).sort()]).toEqual([date, lines.sort()]);
              for (const { code, rule } of findings) coveredRules.add(`${code} ${rule}`);
            }
            const reportLines: string[] = [];
            for (const month of [first.slice(0, 7), lastDate.slice(0, 7)].filter(
              (value, index, values) => values.indexOf(value) === index,
            ))
              await calculateCompanyMonth(world.db, nord, month, world.now(), {
                onFinding({ person, date, finding }) {
                  if (person.id === id) reportLines.push(`${date} ${findingLine(finding)}`);
                },
                confidentiality,
              });
            const violations = expectedDays.flatMap(([date, lines]) =>
              lines.filter((line) => !line.startsWith('daily_limit_near')).map((line) => `${date} ${line}`),
            );
            expect(reportLines.sort()).toEqual(violations.sort());
          }
        },
      ),
      { numRuns: runs(14), seed: 20_261_126 },
    );
    expect([...coveredRules].sort()).toEqual([
      'break_missing ArbZG §4',
      'break_missing JArbSchG §11',
      'break_missing JArbSchG §11 (2)',
      'daily_limit_exceeded ArbZG §3',
      'daily_limit_exceeded JArbSchG §8',
      'daily_limit_exceeded MuSchG §4 (1)',
      'daily_limit_near ArbZG §3',
      'daily_limit_near JArbSchG §8',
      'holiday_work ArbZG §9',
      'holiday_work JArbSchG §18',
      'holiday_work MuSchG §6 (1)',
      'night_work JArbSchG §14',
      'night_work MuSchG §5 (1)',
      'rest_period_short ArbZG §5',
      'rest_period_short JArbSchG §13',
      'rest_period_short MuSchG §4 (2)',
      'saturday_work JArbSchG §16',
      'shift_too_long JArbSchG §12',
      'sunday_work ArbZG §9',
      'sunday_work JArbSchG §17',
      'sunday_work MuSchG §6 (1)',
    ]);
  });

  it('a forgotten clock-out is reported within the bounds of the contract', async () => {
    const { ada } = world.people;
    await world.db.write((tx) => tx.run("UPDATE people SET language = 'de' WHERE id = :ada", { ada }));
    const person = (await findPerson(world.db, ada, allCompanies))!;
    const nord = (await findCompany(world.db, world.nord))!;
    const hints = async () => {
      const findings: string[] = [];
      await calculateCompanyMonth(world.db, nord, '2026-11', world.now(), {
        onFinding: ({ person: worker, date, finding }) =>
          findings.push(`${worker.id} ${date} ${finding.code} ${finding.actualMinutes}`),
      });
      const days = await readPersonDays(world.db, person, '2026-11-24', '2026-11-24', world.now());
      return { findings, codes: days[0]!.found.map((finding) => finding.code) };
    };
    at('2026-11-24T06:00:00Z');
    await clock('in', ada);
    at('2026-11-24T20:00:00Z');
    expect(await hints()).toEqual({ findings: [], codes: ['daily_limit_exceeded', 'break_missing'] });
    at('2026-11-24T20:01:00Z');
    expect(await hints()).toEqual({
      findings: [`${ada} 2026-11-24 clock_out_missing 841`],
      // Nobody knows how long the work was: it is judged once it has an end.
      codes: ['clock_out_missing'],
    });
    at('2027-05-24T06:00:00Z');
    const clockOut = await clock('out', ada);
    expect(clockOut.warnings.length).toBeLessThanOrEqual(20);
    expect(clockOut.warnings.at(-1)).toEqual({
      code: 'clock_out_missing',
      limit_minutes: 840,
      actual_minutes: 181 * 1_440,
      message:
        'Seit 4344 Stunden eingestempelt. Falls das Ausstempeln vergessen wurde, bitte eine Korrektur beantragen.',
    });
    expect(codes(await clock('in', ada))).not.toContain('clock_out_missing');
  });

  it("working-time rules warn about Sundays and regional holidays only, in the person's language", async () => {
    const { ben, zoe } = world.people;
    await world.db.write((tx) => tx.run("UPDATE people SET language = 'de' WHERE id = :ben", { ben }));
    at('2026-10-31T09:00:00Z');
    expect((await clock('in', ben)).warnings).toMatchObject([
      { code: 'holiday_work', message: 'Arbeit an einem Feiertag: Reformationstag.' },
    ]);
    await clock('out', ben);
    expect((await clock('in', zoe)).warnings).toEqual([]);
    at('2026-10-31T23:30:00Z');
    // Half past midnight on Sunday, All Saints: Munich has been at work into it.
    expect((await clock('out', zoe)).warnings).toMatchObject([
      { code: 'daily_limit_exceeded' },
      { code: 'break_missing' },
      { code: 'holiday_work', actual_minutes: 30, message: "Work on a public holiday: All Saints' Day." },
      { code: 'clock_out_missing' },
    ]);
    expect((await clock('in', ben)).warnings).toMatchObject([
      { code: 'sunday_work', message: 'Arbeit an einem Sonntag.' },
    ]);
    await clock('out', ben);
  });

  it('a person has a hundred special rules at most', async () => {
    const { ada } = world.people;
    await world.db.write((tx) =>
      tx.run(
        `INSERT INTO special_rules (company_id, person_id, kind, valid_from, evening_work)
         WITH RECURSIVE more (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM more WHERE n < 99)
         SELECT company_id, id, 'young', '2026-01-' || n, 0 FROM people, more WHERE id = :ada`,
        { ada },
      ),
    );
    const rule = { companyId: world.nord, personId: ada, validTo: null, eveningWork: false } as const;
    const add = (kind: 'minijob' | 'expectant_or_nursing') =>
      world.write((write) => addRuleOfPerson(write, { ...rule, kind, validFrom: '2026-12-01' }));
    expect(await add('minijob')).toMatchObject({ kind: 'minijob' });
    await expect(add('expectant_or_nursing')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('a repeated request gets the same warnings again', async () => {
    const { ben } = world.people;
    at('2026-12-06T09:00:00Z');
    const send = () =>
      world.call('POST', '/api/v1/clock/in', {
        key: world.planner.key,
        body: { user_id: ben },
        headers: { 'idempotency-key': 'advent' },
      });
    const first = await send();
    expect(first.body).toMatchObject({ warnings: [{ code: 'sunday_work' }] });
    expect((await send()).body).toEqual(first.body);
    await clock('out', ben);
  });

  it("a missing break is deducted only with the company's switch, from that day on, never from stamps", async () => {
    const { ben } = world.people;
    const shift = async (day: string) => {
      at(`${day}T07:00:00Z`);
      await clock('in', ben);
      world.advance(8 * hour + 20 * minute);
      return (await clock('out', ben)).time_entry;
    };
    expect(await shift('2026-12-08')).toMatchObject({ worked_minutes: 500, break_minutes: 0 });
    at('2026-12-09T05:00:00Z');
    await world.write((write) => saveCompanyChange(write, world.nord, { deductBreaks: true }));
    const entry = await shift('2026-12-09');
    // The entry is what was recorded; the day lacks the break.
    expect(entry).toMatchObject({ worked_minutes: 500, break_minutes: 0, breaks: [] });
    const stretches = async (...spans: readonly (readonly [from: string, until: string])[]) => {
      for (const [from, until] of spans) {
        at(`2026-12-10T${from}:00Z`);
        await clock('in', ben);
        at(`2026-12-10T${until}:00Z`);
        await clock('out', ben);
      }
    };
    const days = async (from: string, to: string) => {
      const person = (await findPerson(world.db, ben, { company: world.nord }))!;
      const rows = await readPersonDays(world.db, person, from, to, world.now());
      return rows.map((day) => [day.workedMinutes, day.breakMinutes, day.deductedMinutes]);
    };
    expect(await days('2026-12-08', '2026-12-09')).toEqual([
      [500, 0, 0],
      [470, 30, 30],
    ]);
    // Who stamps out for ten minutes lacks the break as well; who stamps out for an hour has it.
    await stretches(['08:00', '12:00'], ['12:10', '16:10']);
    expect(await days('2026-12-10', '2026-12-10')).toEqual([[450, 30, 30]]);
    await stretches(['16:30', '16:31']);
    expect(await days('2026-12-10', '2026-12-10')).toEqual([[471, 10, 10]]);
    expect(
      await world.db.get('SELECT breaks, end_at - start_at AS elapsed FROM time_entries WHERE id = :id', {
        id: entry['id'] as number,
      }),
    ).toEqual({ breaks: '[]', elapsed: 500 * minute });
    // Under 18 it is an hour after six hours of work, on the days on which the person is.
    const young = { kind: 'young', validFrom: '2026-12-09', validTo: '2026-12-09', eveningWork: false } as const;
    await world.write((write) => addRuleOfPerson(write, { companyId: world.nord, personId: ben, ...young }));
    expect(await days('2026-12-08', '2026-12-10')).toEqual([
      [500, 0, 0],
      [440, 60, 60],
      [471, 10, 10],
    ]);
    at('2026-12-11T05:00:00Z');
    await world.write((write) => saveCompanyChange(write, world.nord, { deductBreaks: false }));
    expect(await shift('2026-12-11')).toMatchObject({ worked_minutes: 500, break_minutes: 0 });
  });
});
