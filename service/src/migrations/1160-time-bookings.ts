import type { Migration } from '@clockproof/platform/database/database';

/**
 * Minutes added to a time account or taken away, and the limits of the accounts. Bookings are only ever added: a counter
 * booking names the one it cancels, and each is cancelled once at most.
 */
export const timeBookings: Migration = {
  id: '1160-time-bookings',
  statements: (d) => [
    `CREATE TABLE time_bookings (
      id ${d.identity},
      company_id ${d.integer} NOT NULL REFERENCES companies (id),
      person_id ${d.integer} NOT NULL REFERENCES people (id),
      kind TEXT NOT NULL,
      date TEXT NOT NULL,
      minutes ${d.integer} NOT NULL,
      reason TEXT,
      cancels ${d.integer} REFERENCES time_bookings (id),
      booked_by ${d.integer},
      booked_at ${d.integer} NOT NULL,
      CHECK (minutes <> 0))`,
    'CREATE INDEX time_bookings_by_person ON time_bookings (person_id, date, id)',
    'CREATE INDEX time_bookings_by_company ON time_bookings (company_id, date, id)',
    'CREATE UNIQUE INDEX time_bookings_cancelled_once ON time_bookings (cancels)',
    `CREATE TABLE flexitime_limits (
      id ${d.identity},
      company_id ${d.integer} NOT NULL REFERENCES companies (id),
      person_id ${d.integer} REFERENCES people (id),
      upper_minutes ${d.integer},
      at_upper TEXT NOT NULL,
      lower_minutes ${d.integer})`,
    'CREATE INDEX flexitime_limits_of_company ON flexitime_limits (company_id, person_id)',
  ],
};
