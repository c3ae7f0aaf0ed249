import type { ZoneName } from '@clockproof/platform/time/zone';
import { expect, it } from '@jest/globals';
import { clockTime } from './sheet-table.js';

it.each([
  ['Europe/Berlin', '2026-10-25T00:15:00Z', '2026-10-25', '02:15 GMT+2'],
  ['Europe/Berlin', '2026-10-25T01:15:00Z', '2026-10-25', '02:15 GMT+1'],
  ['Europe/Berlin', '2026-10-25T02:00:00Z', '2026-10-25', '03:00'],
  ['Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29', '03:00'],
  ['Australia/Lord_Howe', '2026-04-04T14:45:00Z', '2026-04-05', '01:45 GMT+11'],
  ['Europe/Berlin', '2026-10-02T04:02:00Z', '2026-10-01', '2026-10-02 06:02'],
])('a sheet in %s writes %s on %s as %s', (zone, instant, date, text) => {
  expect(clockTime(zone as ZoneName)(instant, date)).toBe(text);
});
