import { oneDialect } from '@clockproof/platform/testing/databases';
import { minute, parseInstant } from '@clockproof/platform/time/instant';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { saveCompanyChange } from '../../src/people/people.js';
import { sendStamp } from '../builders.js';
import { createWorld, type World } from '../world.js';
import { zone } from '../zones.js';

describe.each(oneDialect)('shifts over midnights, months and changes of the clocks on %s', (dialect) => {
  let world: World;
  beforeAll(async () => {
    world = await createWorld(dialect);
  });
  afterAll(() => world.close());
  const clock = async (verb: string, at: string, person?: number) => {
    world.set(parseInstant(at)!);
    return (await sendStamp(world, verb, person)).time_entry;
  };

  // In any order: days apart, or a clock that goes back a little would be put right.
  it.each([
    ['a night belongs to the evening it began', '2026-11-10T21:00:00Z', '2026-11-11T05:00:00Z', '2026-11-10', 480],
    ['a minute before midnight is the old day', '2026-11-12T22:59:00Z', '2026-11-12T23:30:00Z', '2026-11-12', 31],
    ['midnight on the wall is the new day', '2026-11-13T23:00:00Z', '2026-11-13T23:30:00Z', '2026-11-14', 30],
    ['the last night of a month stays in it', '2026-08-31T20:00:00Z', '2026-09-01T04:00:00Z', '2026-08-31', 480],
    ['the last night of a year stays in it', '2025-12-31T21:00:00Z', '2026-01-01T05:00:00Z', '2025-12-31', 480],
    ['a leap day is a day', '2028-02-28T23:00:00Z', '2028-02-29T07:00:00Z', '2028-02-29', 480],
    ['a shift of 24 hours', '2026-09-10T06:00:00Z', '2026-09-11T06:00:00Z', '2026-09-10', 1_440],
    ['the hour that comes twice counts twice', '2026-10-24T22:00:00Z', '2026-10-25T03:00:00Z', '2026-10-25', 300],
    ['in the hour that comes twice', '2027-10-31T00:30:00Z', '2027-10-31T01:30:00Z', '2027-10-31', 60],
    ['the day of 25 hours', '2028-10-28T22:00:00Z', '2028-10-29T23:00:00Z', '2028-10-29', 1_500],
    ['the day of 23 hours', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', '2026-03-29', 1_380],
    ['over the hour that is left out', '2027-03-28T00:30:00Z', '2027-03-28T01:30:00Z', '2027-03-28', 60],
    ['seconds are cut once', '2026-06-01T06:00:59Z', '2026-06-01T14:00:58Z', '2026-06-01', 479],
    ['no time at all', '2026-06-08T06:00:00Z', '2026-06-08T06:00:00Z', '2026-06-08', 0],
  ])('a shift counts for the date it begins on: %s', async (_, begin, end, date, minutes) => {
    await clock('in', begin);
    expect(await clock('out', end)).toMatchObject({ date, worked_minutes: minutes, start: begin, end });
    expect(
      (
        await world.call('GET', `/api/v1/time/entries?from=${date}&to=${date}&user_id=${world.people.ada}`, {
          key: world.reader.key,
        })
      ).body['data'],
    ).toHaveLength(1);
  });

  it('days of a shift are those of the company, in any place', async () => {
    const { zoe } = world.people;
    for (const [timeZone, begin, date] of [
      ['America/New_York', '2026-11-17T04:59:00Z', '2026-11-16'],
      ['Asia/Kathmandu', '2026-11-18T18:15:00Z', '2026-11-19'],
      ['Pacific/Kiritimati', '2026-11-20T10:00:00Z', '2026-11-21'],
      ['Pacific/Apia', '2026-11-22T10:59:00Z', '2026-11-22'],
    ] as const) {
      await world.service.store.write({ actor: { kind: 'system' }, at: world.now() }, (write) =>
        saveCompanyChange(write, world.sued, { time_zone: zone(timeZone) }),
      );
      await clock('in', begin, zoe);
      world.advance(30 * minute);
      expect((await sendStamp(world, 'out', zoe)).time_entry).toMatchObject({ date, worked_minutes: 30 });
    }
  });
});
