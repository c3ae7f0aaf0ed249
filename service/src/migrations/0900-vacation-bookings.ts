import type { Migration } from '@clockproof/platform/database/database';

/** Days added to a vacation account or taken away. Rows are only ever added: another booking corrects one. */
export const vacationBookings: Migration = {
  id: '0900-vacation-bookings',
  statements: (d) => [
    `CREATE TABLE vacation_bookings (
      id ${d.identity},
      company_id ${d.integer} NOT NULL REFERENCES companies (id),
      person_id ${d.integer} NOT NULL REFERENCES people (id),
      kind TEXT NOT NULL,
      date TEXT NOT NULL,
      half_days ${d.integer} NOT NULL,
      reason TEXT NOT NULL,
      booked_by ${d.integer} NOT NULL,
      booked_at ${d.integer} NOT NULL,
      CHECK (half_days <> 0))`,
    'CREATE INDEX vacation_bookings_by_person ON vacation_bookings (person_id, date, id)',
  ],
};
