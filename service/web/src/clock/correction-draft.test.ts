import { runs } from '@clockproof/platform/testing/runs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { calendarFormats } from '../parts/calendar.js';
import { type Zone, zoneOf } from '../parts/zone.js';
import { en } from '../words/en.js';
import { type BulkKind, bulkDraftOf } from './bulk-draft.js';
import { type Draft, draftOf, faultsIn, haveSameTimes, meaningsOf, minutesOf, timesOf } from './correction-draft.js';
import type { Entry } from './entries.js';

const zone = (name: string) => zoneOf({ time_zone: name });
const calendarIn = (name: Zone) => calendarFormats('en', name);
const berlin = calendarIn(zone('Europe/Berlin'));
/** Whole and half hours, clock changes at midnight, at two and by half an hour, and none. */
const zones = [
  'Europe/Berlin',
  'America/New_York',
  'America/St_Johns',
  'America/Santiago',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Pacific/Chatham',
  'Pacific/Kiritimati',
].map(zone);

const hour = 3_600_000;
/** Clock changes of these zones, midnights, and any time. */
const begins = fc.oneof(
  ...[
    '2026-03-08T07:00:00Z', // New York forward
    '2026-03-29T01:00:00Z', // Berlin forward
    '2026-04-05T03:00:00Z', // Santiago back
    '2026-04-23T22:00:00Z', // Cairo forward
    '2026-09-26T14:00:00Z', // Chatham forward
    '2026-10-03T15:30:00Z', // Lord Howe forward
    '2026-10-25T01:00:00Z', // Berlin back
    '2026-10-29T21:00:00Z', // Cairo back
    '2026-11-01T06:00:00Z', // New York back
    '2026-11-18T05:00:00Z', // midnight in New York
    '2026-11-18T23:00:00Z', // midnight in Berlin
  ].map((text) => fc.integer({ min: -12 * hour, max: 4 * hour }).map((shift) => Date.parse(text) + shift)),
  fc.integer({ min: Date.parse('2026-01-01T00:00:00Z'), max: Date.parse('2026-12-31T00:00:00Z') }),
);
const iso = (instant: number) => new Date(instant).toISOString();
/** Of up to three days, to the millisecond, with up to three breaks; half of them in whole minutes. */
const entries = fc
  .record({
    start: begins,
    lengths: fc.array(fc.integer({ min: 1, max: 10 * hour }), { minLength: 1, maxLength: 7 }),
    isWhole: fc.boolean(),
  })
  .map(({ start, lengths, isWhole }) => {
    let last = start;
    const times = [start, ...lengths.map((length) => (last += length))];
    const instants = isWhole ? times.map((time, index) => Math.floor(time / 60_000 + index) * 60_000) : times;
    const breaks: { start: string; end: string }[] = [];
    for (let place = 1; place + 1 < instants.length - 1; place += 2)
      breaks.push({ start: iso(instants[place]!), end: iso(instants[place + 1]!) });
    return { start: iso(instants[0]!), end: iso(instants.at(-1)!), breaks };
  });
const dates = ['2026-10-24', '2026-10-25', '2026-11-18', '2026-11-19'];
const person = { id: 7, name: 'Ada' };
const asEntry = (times: object) => ({ id: 1, ...times }) as Entry;

describe('an unedited correction', () => {
  it('an unedited correction sends the instants of the entry, in every zone and on any shown day', () => {
    fc.assert(
      fc.property(entries, fc.constantFrom(...zones), fc.constantFrom(...dates), (entry, shownIn, date) => {
        const calendar = calendarIn(shownIn);
        const draftWithReason = { ...draftOf(entry, calendar), reason: 'Only a reason' };
        expect(timesOf(meaningsOf(draftWithReason, date, calendar))).toEqual([entry]);
        // Leaving a field writes the time again as it was read.
        const sameDraft = {
          ...draftWithReason,
          end: { ...draftWithReason.end, text: draftWithReason.end.text.replace(/^0/, '') },
        };
        expect(timesOf(meaningsOf(sameDraft, date, calendar))).toEqual([entry]);
        const { start: _, ...changedMeanings } = meaningsOf(
          { ...draftWithReason, start: { ...draftWithReason.start, text: '1:23' } },
          date,
          calendar,
        );
        expect([changedMeanings.end.instant, changedMeanings.breaks.map((pause) => pause.start.instant)]).toEqual([
          entry.end,
          entry.breaks.map((pause) => pause.start),
        ]);
      }),
      { numRuns: runs(500), seed: 7 },
    );
  });

  it('an unedited correction counts elapsed time', () => {
    fc.assert(
      fc.property(entries, fc.constantFrom(...zones), (entry, shownIn) => {
        const calendar = calendarIn(shownIn);
        const span = (pause: { start: string; end: string }) => Date.parse(pause.end) - Date.parse(pause.start);
        const workedMs = entry.breaks.reduce((sum, pause) => sum - span(pause), span(entry));
        expect(minutesOf(meaningsOf(draftOf(entry, calendar), '2026-11-18', calendar))).toBe(
          Math.floor(workedMs / 60_000),
        );
      }),
      { numRuns: runs(200), seed: 7 },
    );
  });

  it.each(['in', 'out', 'end'] as const)('a correction of several people keeps unset values (%s)', (kind: BulkKind) => {
    fc.assert(
      fc.property(entries, fc.constantFrom(...zones), (times, shownIn) => {
        const calendar = calendarIn(shownIn);
        const row = { key: 'row', person, date: '2026-11-18', entry: asEntry(times) };
        const readDraft = bulkDraftOf(
          row,
          { kind, time: calendar.time(kind === 'in' ? times.start : times.end), until: '' },
          calendar,
        );
        expect(readDraft).toEqual({ user_id: 7, entry_id: 1, ...times });
      }),
      { numRuns: runs(200), seed: 7 },
    );
  });
});

describe('an edited time', () => {
  const night = asEntry({ start: '2026-10-24T20:00:10Z', end: '2026-10-25T01:30:20Z', breaks: [] });
  const meaningsWith = (entry: Entry, part: Partial<Draft>, calendar = berlin) =>
    meaningsOf({ ...draftOf(entry, calendar), ...part }, '2026-10-24', calendar);
  const keeping = (text: string, storedInstant: string | undefined) => ({ text, storedInstant });

  it.each([
    ['stays in the second of two hours', '2:40', '2026-10-25T01:40:00Z'],
    ['comes back to what it was', '02:30', '2026-10-25T01:30:20Z'],
    ['on the evening is of the same day', '23:00', '2026-10-24T21:00:00Z'],
    ['before the start is of the next day', '21:00', '2026-10-25T20:00:00Z'],
  ])('a time that is edited %s', (_, text, instant) => {
    expect(meaningsWith(night, { end: keeping(text, night.end) }).end.instant).toBe(instant);
  });

  it('an edited time can be of either hour, or of a later day, as the person chooses', () => {
    const { choices } = meaningsWith(night, { end: { text: '02:10' } }).end;
    expect(choices).toEqual(['2026-10-25T00:10:00Z', '2026-10-25T01:10:00Z', '2026-10-26T01:10:00Z']);
    for (const choice of choices)
      expect(meaningsWith(night, { end: { text: '02:10', chosenInstant: choice } }).end.instant).toBe(choice);
  });

  it('an edited time is shown again as typed, unless the clocks skip it', () => {
    fc.assert(
      fc.property(entries, fc.constantFrom(...zones), fc.integer({ min: 0, max: 1439 }), (times, shownIn, minute) => {
        const calendar = calendarIn(shownIn);
        const text = `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
        const { start, end } = meaningsWith(asEntry(times), { end: keeping(text, times.end) }, calendar);
        expect(Date.parse(end.instant!)).toBeGreaterThan(Date.parse(start.instant!));
        const shownTimes = [end.instant!, ...end.choices].map((instant) => calendar.time(instant));
        // Clocks that skip the time show it on none of the days.
        expect(shownTimes[0] === text || !shownTimes.includes(text)).toBe(true);
      }),
      { numRuns: runs(200), seed: 7 },
    );
  });

  it('an edited end before a moved start is a fault', () => {
    const lateMeanings = meaningsWith(night, {
      start: keeping('23:00', night.start),
      end: keeping('22:30', '2026-10-24T20:30:00Z'),
    });
    expect(faultsIn(lateMeanings, 'Why', en).end).toBe(en.correction_end_before);
  });

  it('an edited time counts elapsed time in the night in which the clocks go back', () => {
    const newEntry = meaningsOf(
      { start: { text: '22:00' }, end: { text: '06:00' }, breaks: [], reason: '' },
      '2026-10-24',
      berlin,
    );
    expect(minutesOf(newEntry)).toBe(9 * 60);
    expect(haveSameTimes(newEntry, meaningsWith(night, {}))).toBe(false);
  });
});

describe('a split entry', () => {
  const time = (text: string) => ({ text });
  const span = ([start, end]: readonly [string, string]) => ({ start: time(start), end: time(end) });
  const draft = (gap: readonly [string, string], ...breaks: (readonly [string, string])[]): Draft => ({
    start: time('08:00'),
    end: time('17:00'),
    breaks: breaks.map(span),
    gap: span(gap),
    reason: 'Dentist',
  });
  const meanings = (draft: Draft) => meaningsOf(draft, '2026-12-01', berlin);

  it('a split entry becomes two entries, each with its breaks', () => {
    const split = meanings(draft(['12:00', '13:30'], ['09:00', '09:15'], ['13:30', '13:45']));
    expect(timesOf(split)).toEqual([
      {
        start: '2026-12-01T07:00:00Z',
        end: '2026-12-01T11:00:00Z',
        breaks: [{ start: '2026-12-01T08:00:00Z', end: '2026-12-01T08:15:00Z' }],
      },
      {
        start: '2026-12-01T12:30:00Z',
        end: '2026-12-01T16:00:00Z',
        breaks: [{ start: '2026-12-01T12:30:00Z', end: '2026-12-01T12:45:00Z' }],
      },
    ]);
    expect(minutesOf(split)).toBe(9 * 60 - 90 - 30);
    expect(Object.values(faultsIn(split, 'Dentist', en)).filter((fault) => fault !== undefined)).toEqual([]);
  });

  it('a split entry keeps the seconds of all times but the two new ones', () => {
    const stampedEntry = asEntry({
      start: '2026-12-01T07:00:10.250Z',
      end: '2026-12-01T16:00:20Z',
      breaks: [{ start: '2026-12-01T08:00:30Z', end: '2026-12-01T08:15:40Z' }],
    });
    expect(timesOf(meanings({ ...draftOf(stampedEntry, berlin), gap: span(['12:00', '13:00']) }))).toEqual([
      { start: stampedEntry.start, end: '2026-12-01T11:00:00Z', breaks: stampedEntry.breaks },
      { start: '2026-12-01T12:00:00Z', end: stampedEntry.end, breaks: [] },
    ]);
  });

  it('a split entry can begin again after midnight', () => {
    const night = { ...draft(['23:30', '01:00']), start: time('22:00'), end: time('06:00') };
    expect(timesOf(meanings(night))).toMatchObject([
      { start: '2026-12-01T21:00:00Z', end: '2026-12-01T22:30:00Z' },
      { start: '2026-12-02T00:00:00Z', end: '2026-12-02T05:00:00Z' },
    ]);
  });

  it.each([
    ['that begins with it', draft(['08:00', '09:00'])],
    ['that ends with it', draft(['16:00', '17:00'])],
    ['that ends before it begins', draft(['13:00', '12:00'])],
    ['outside of it', draft(['17:30', '18:00'])],
    ['over a break', draft(['12:00', '13:30'], ['13:00', '14:00'])],
  ])('a split entry has no gap %s', (_, wrong) => {
    expect(faultsIn(meanings(wrong), 'Dentist', en).gap).toBe(en.correction_gap_outside);
  });

  it('a split entry needs both times', () => {
    expect(faultsIn(meanings(draft(['12:00', ''])), 'Dentist', en).gap).toBe(en.correction_time_needed);
  });

  it('a split entry reports a break outside of the entry as a fault of the break alone', () => {
    expect(faultsIn(meanings(draft(['12:00', '13:00'], ['18:00', '19:00'])), 'Dentist', en)).toMatchObject({
      breaks: en.correction_breaks_outside,
      gap: undefined,
    });
  });
});
