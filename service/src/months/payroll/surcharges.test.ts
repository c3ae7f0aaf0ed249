import { minute, parseInstant } from '@clockproof/platform/time/instant';
import { utc } from '@clockproof/platform/time/zone';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { berlin, zone } from '../../../test/zones.js';
import { holidaysIn } from '../../working-time/holidays.js';
import { payrollTable } from './payroll-table.js';
import { faultOf } from './settings.js';
import { type Piece, timeOfSurcharges, type WageType } from './surcharges.js';

const calendar = { timeZone: berlin, holidays: holidaysIn('DE', 'DE-HH') };
const surcharge = (code: string, more: Partial<WageType>): WageType => ({
  code,
  name: code,
  counts: 'surcharge',
  days: 'all',
  ...more,
});

/** As section 3b of the income tax act knows them. */
const types: readonly WageType[] = [
  surcharge('night', { from: '20:00', to: '06:00' }),
  surcharge('deep', { from: '00:00', to: '04:00', begun_before_midnight: true }),
  surcharge('sunday', { days: 'sundays' }),
  surcharge('holiday', { days: 'public_holidays' }),
  surcharge('christmas', { days: 'dates', dates: ['12-25', '12-26', '05-01'] }),
  surcharge('eve', { days: 'dates', dates: ['12-24'], from: '14:00', to: '00:00' }),
];
const piece = (start: string, end: string, date = start.slice(0, 10)): Piece => ({
  start: parseInstant(start)!,
  end: parseInstant(end)!,
  begun: date,
});

/** Instants are UTC: Berlin is an hour ahead in winter, two in summer. */
describe('minutes of surcharges', () => {
  it.each<[string, Piece[], Record<string, number>]>([
    ['a day of the week', [piece('2026-11-17T07:00:00Z', '2026-11-17T15:00:00Z')], {}],
    ['an evening until 20:01', [piece('2026-11-17T12:00:00Z', '2026-11-17T19:01:00Z')], { night: 1 }],
    [
      'a night, begun before midnight',
      [piece('2026-11-17T21:00:00Z', '2026-11-18T05:00:00Z')],
      { night: 480, deep: 240 },
    ],
    ['a night, begun after midnight', [piece('2026-11-18T00:00:00Z', '2026-11-18T05:00:00Z')], { night: 300 }],
    [
      'the second entry of a night',
      [piece('2026-11-17T23:30:00Z', '2026-11-18T05:00:00Z', '2026-11-17')],
      { night: 330, deep: 210 },
    ],
    [
      'Saturday night into Sunday',
      [piece('2026-11-21T21:00:00Z', '2026-11-22T05:00:00Z')],
      { night: 480, deep: 240, sunday: 360 },
    ],
    [
      'Sunday night into Monday',
      [piece('2026-11-22T21:00:00Z', '2026-11-23T05:00:00Z')],
      { night: 480, deep: 240, sunday: 120 },
    ],
    ['a holiday in the week', [piece('2026-10-03T06:00:00Z', '2026-10-03T10:00:00Z')], { holiday: 240 }],
    ['a holiday on a Sunday', [piece('2027-10-31T07:00:00Z', '2027-10-31T11:00:00Z')], { holiday: 240 }],
    ['a holiday with dates of its own', [piece('2026-12-25T07:00:00Z', '2026-12-25T11:00:00Z')], { christmas: 240 }],
    [
      'Christmas Eve that is a Sunday',
      [piece('2028-12-24T11:00:00Z', '2028-12-24T16:00:00Z')],
      { sunday: 120, eve: 180 },
    ],
    [
      'the night of the clocks going back',
      [piece('2026-10-24T20:00:00Z', '2026-10-25T05:00:00Z')],
      { night: 540, deep: 300, sunday: 420 },
    ],
    [
      'two pieces around a break',
      [piece('2026-11-22T07:00:00Z', '2026-11-22T09:00:00Z'), piece('2026-11-22T09:30:00Z', '2026-11-22T10:00:00Z')],
      { sunday: 150 },
    ],
  ])('a surcharge counts its minutes: %s', (_, pieces, expected) => {
    const timeByCode = [...timeOfSurcharges(types, pieces, calendar)].map(
      ([code, time]) => [code, time / minute] as const,
    );
    expect(Object.fromEntries(timeByCode.filter(([, minutes]) => minutes > 0))).toEqual(expected);
  });
});

/** Berlin: from 22:00 to 6:00 on the wall, nine hours in autumn, seven in spring. */
describe('a wage type whose time lies in the hour of a change of the clocks', () => {
  const autumn = piece('2026-10-24T20:00:00Z', '2026-10-25T05:00:00Z');
  const spring = piece('2026-03-28T21:00:00Z', '2026-03-29T04:00:00Z');
  it.each([
    ['01:30', '02:45', autumn, 120],
    ['02:30', '06:00', autumn, 240],
    ['20:00', '02:15', autumn, 270],
    ['02:00', '03:00', autumn, 120],
    ['23:00', '06:00', autumn, 480],
    ['01:30', '02:45', spring, 30],
    ['02:00', '03:00', spring, 0],
    ['02:30', '06:00', spring, 180],
    ['20:00', '02:15', spring, 240],
    ['23:00', '06:00', spring, 360],
  ])('a wage type counts the clock minutes from %s to %s on a change of the clocks', (from, to, night, minutes) => {
    const timeByCode = timeOfSurcharges([surcharge('X', { from, to })], [night], calendar);
    expect(timeByCode.get('X')! / minute).toBe(minutes);
  });

  it('a wage type counts each minute that the clock shows, in every zone, for any work', () => {
    const zones = [berlin, zone('America/New_York'), zone('Australia/Lord_Howe'), zone('America/Havana'), utc];
    const time = fc.integer({ min: 0, max: 95 }).map((quarter) => 15 * quarter);
    fc.assert(
      fc.property(
        fc.constantFrom('2026-03-08', '2026-03-29', '2026-04-05', '2026-10-04', '2026-10-25', '2026-11-01'),
        fc.constantFrom(...zones),
        fc.tuple(time, time).filter(([from, to]) => from !== to),
        fc.tuple(fc.integer({ min: -1_440, max: 1_440 }), fc.integer({ min: 1, max: 2_000 })),
        (date, timeZone, [from, to], [begin, length]) => {
          const start = parseInstant(`${date}T00:00:00Z`)! + begin * minute;
          const work = { start, end: start + length * minute, begun: date };
          const clockFormat = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' });
          let expected = 0;
          for (let instant = work.start; instant < work.end; instant += minute) {
            const [hours, minutes] = clockFormat.format(instant).split(':').map(Number) as [number, number];
            const clockMinutes = hours * 60 + minutes;
            if (from < to ? clockMinutes >= from && clockMinutes < to : clockMinutes >= from || clockMinutes < to)
              expected += 1;
          }
          const text = (minutes: number) =>
            `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
          const type = surcharge('X', { from: text(from), to: text(to) });
          const timeByCode = timeOfSurcharges([type], [work], { ...calendar, timeZone });
          expect(timeByCode.get('X')! / minute).toBe(expected);
        },
      ),
      { numRuns: 300, seed: 20_261_126 },
    );
  });
});

describe('a wage type', () => {
  const absenceTypes = new Set(['vacation']);
  it.each<[string, Partial<WageType>, string | undefined]>([
    ['all hours', { counts: 'work' }, undefined],
    ['all hours of the night', { counts: 'work', from: '23:00', to: '06:00' }, 'from'],
    ['a surcharge at night', { counts: 'surcharge', days: 'all', from: '23:00', to: '06:00' }, undefined],
    ['a surcharge without days', { counts: 'surcharge' }, 'days'],
    ['a surcharge without an end', { counts: 'surcharge', days: 'all', from: '23:00' }, 'to'],
    ['a surcharge of no time', { counts: 'surcharge', days: 'all', from: '23:00', to: '23:00' }, 'to'],
    ['dates without a date', { counts: 'surcharge', days: 'dates' }, 'dates'],
    ['Sundays with a date', { counts: 'surcharge', days: 'sundays', dates: ['12-25'] }, 'dates'],
    ['vacation', { counts: 'absence', absence_type: 'vacation' }, undefined],
    ['an unknown absence', { counts: 'absence', absence_type: 'siesta' }, 'absence_type'],
    ['hours of an absence', { counts: 'work', absence_type: 'vacation' }, 'absence_type'],
    ['a code that is taken', { counts: 'work', code: '1' }, 'code'],
  ])('a wage type is accepted or names the wrong member: %s', (_, more, member) => {
    const existingTypes: WageType[] = [{ code: '1', name: 'One', counts: 'work' }];
    expect(faultOf({ code: '2', name: 'Two', counts: 'work', ...more }, absenceTypes, existingTypes)?.[0]).toBe(member);
  });
});

it('the payroll CSV has an encoding that spreadsheets recognise', () => {
  const file = { month: '2026-11', closed: true, byDay: false };
  expect(payrollTable([], { columns: ['user_id', 'hours'], decimalMark: 'comma' }, file)).toBe(
    '\uFEFFuser_id;hours\r\n',
  );
});
