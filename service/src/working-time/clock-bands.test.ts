import { parseInstant } from '@clockproof/platform/time/instant';
import { describe, expect, it } from '@jest/globals';
import { berlin } from '../../test/zones.js';
import { minutesInBand, nightTime } from './clock-bands.js';

const at = (text: string) => parseInstant(text)!;
const day = { from: 8 * 60, to: 16 * 60 };

describe('minutes in a band of the clock', () => {
  it.each([
    ['a day shift, at night', '2026-11-16T07:00:00Z', '2026-11-16T15:00:00Z', nightTime, 0],
    ['a night shift', '2026-11-16T21:00:00Z', '2026-11-17T05:00:00Z', nightTime, 420],
    ['until 23:00 sharp', '2026-11-16T14:00:00Z', '2026-11-16T22:00:00Z', nightTime, 0],
    ['from 23:00 on', '2026-11-16T22:00:00Z', '2026-11-16T22:01:00Z', nightTime, 1],
    ['until 6:01', '2026-11-17T04:59:00Z', '2026-11-17T05:01:00Z', nightTime, 1],
    ['two nights in one entry', '2026-11-16T21:00:00Z', '2026-11-18T05:00:00Z', nightTime, 840],
    ['a night with an hour more', '2026-10-24T20:00:00Z', '2026-10-25T06:00:00Z', nightTime, 480],
    ['a night with an hour less', '2026-03-28T21:00:00Z', '2026-03-29T05:00:00Z', nightTime, 360],
    ['a band of the day', '2026-11-16T06:00:00Z', '2026-11-16T16:00:00Z', day, 480],
  ])('a band of the clock counts its minutes: %s', (_, start, end, band, minutes) => {
    expect(minutesInBand([{ start: at(start), end: at(end) }], band, berlin)).toBe(minutes);
  });
});
