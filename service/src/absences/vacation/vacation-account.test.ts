import { addDays } from '@clockproof/platform/time/local-date';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type VacationDay, vacationAccount } from './vacation-account.js';

const entitlement = { days: 30, carriedDays: 4, carriedUntil: '2026-03-31' };
const daysOn = (dates: readonly string[], more: Partial<VacationDay> = {}): VacationDay[] =>
  dates.map((date) => ({ date, portion: 1, waiting: false, ...more }));

describe('the vacation account', () => {
  it('the vacation account counts days taken up to today, planned days after it, and no pending ones', () => {
    const days = [
      ...daysOn(['2026-02-02', '2026-02-03', '2026-02-04']),
      ...daysOn(['2026-02-05'], { portion: 0.5 }),
      ...daysOn(['2026-02-06'], { waiting: true }),
    ];
    expect(vacationAccount(entitlement, days, [], '2026-02-03')).toMatchObject({
      takenDays: 2,
      plannedDays: 1.5,
      waiting: 1,
      expiredDays: 0,
      remainingDays: 30.5,
    });
  });

  it('the vacation account uses carried-over days first, and their rest expires after the last day', () => {
    const days = daysOn(['2026-02-02', '2026-06-01']);
    expect(vacationAccount(entitlement, days, [], '2026-03-31')).toMatchObject({ expiredDays: 0, remainingDays: 32 });
    expect(vacationAccount(entitlement, days, [], '2026-04-01')).toMatchObject({ expiredDays: 3, remainingDays: 29 });
    expect(vacationAccount(entitlement, days, [], '2026-03-31', '2026-06-01')).toMatchObject({
      expiredDays: 3,
      remainingDays: 29,
    });
    expect(vacationAccount({ ...entitlement, carriedUntil: null }, days, [], '2026-12-31')).toMatchObject({
      expiredDays: 0,
      remainingDays: 32,
    });
  });

  it('carried-over days taken on their last day do not expire', () => {
    expect(
      vacationAccount(entitlement, daysOn(['2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31']), [], '2026-12-31'),
    ).toMatchObject({ expiredDays: 0, remainingDays: 30 });
  });

  it('the vacation account goes below zero where more was granted than there is', () => {
    expect(
      vacationAccount(
        { days: 1, carriedDays: 0, carriedUntil: null },
        daysOn(['2026-07-01', '2026-07-02']),
        [],
        '2026-01-01',
      ).remainingDays,
    ).toBe(-1);
  });

  it('the vacation account adds bookings, and a payout uses carried-over days', () => {
    const payout = [{ date: '2026-02-01', days: -3 }];
    expect(vacationAccount(entitlement, [], payout, '2026-04-01')).toMatchObject({
      bookedDays: -3,
      expiredDays: 1,
      remainingDays: 30,
    });
    const laterPayout = [{ date: '2026-04-01', days: -3 }];
    expect(vacationAccount(entitlement, [], laterPayout, '2026-04-01')).toMatchObject({
      expiredDays: 4,
      remainingDays: 27,
    });
    const correctedBookings = [...payout, { date: '2026-02-02', days: 1.5 }];
    expect(vacationAccount(entitlement, [], correctedBookings, '2026-04-01')).toMatchObject({
      expiredDays: 2.5,
      remainingDays: 30,
    });
    expect(vacationAccount(entitlement, [], correctedBookings, '2026-02-02')).toMatchObject({
      bookedDays: -1.5,
      remainingDays: 32.5,
    });
  });

  const anyDate = fc.integer({ min: 0, max: 364 }).map((offset) => addDays('2026-01-01', offset));
  const booking = fc.record({ date: anyDate, days: fc.integer({ min: -40, max: 40 }).map((halves) => halves / 2) });

  it('the vacation account always adds up, and opposite bookings of a day cancel out', () => {
    const day = fc.record({
      date: anyDate,
      portion: fc.constantFrom(1 as const, 0.5 as const),
      waiting: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(day, { maxLength: 60 }),
        fc.array(booking, { maxLength: 5 }),
        booking,
        anyDate,
        fc.integer({ min: 0, max: 20 }),
        (days, bookings, wrongBooking, today, carriedHalves) => {
          const year = { days: 30, carriedDays: carriedHalves / 2, carriedUntil: '2026-03-31' };
          const account = vacationAccount(year, days, bookings, today);
          const correctedBookings = [...bookings, wrongBooking, { date: wrongBooking.date, days: -wrongBooking.days }];
          expect(vacationAccount(year, days, correctedBookings, today)).toEqual(account);
          expect(
            account.remainingDays + account.takenDays + account.plannedDays + account.expiredDays - account.bookedDays,
          ).toBe(30 + carriedHalves / 2);
          expect(account.expiredDays).toBeGreaterThanOrEqual(0);
          expect(account.expiredDays).toBeLessThanOrEqual(carriedHalves / 2);
        },
      ),
    );
  });
});
