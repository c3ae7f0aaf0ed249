import type { Dialect } from '@clockproof/platform/database/database';

export const months = (d: Dialect): readonly string[] => [
  // With the company as it was then. `payroll`: its exported data, see `months/payroll/closed-payroll.ts`.
  `CREATE TABLE closed_months (
    company_id ${d.integer} NOT NULL REFERENCES companies (id),
    month TEXT NOT NULL,
    closed_at ${d.integer} NOT NULL,
    closed_by ${d.integer},
    company_name TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    payroll TEXT NOT NULL,
    PRIMARY KEY (company_id, month))`,
  // Everyone whom the documents of a closed month name, as they were called then.
  `CREATE TABLE closed_month_people (
    company_id ${d.integer} NOT NULL REFERENCES companies (id),
    month TEXT NOT NULL,
    person_id ${d.integer} NOT NULL REFERENCES people (id),
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    personnel_number TEXT,
    department_name TEXT,
    PRIMARY KEY (company_id, month, person_id))`,
  'CREATE INDEX closed_month_people_by_person ON closed_month_people (person_id)',
  `CREATE TABLE month_steps (
    id ${d.identity},
    company_id ${d.integer} NOT NULL REFERENCES companies (id),
    month TEXT NOT NULL,
    step TEXT NOT NULL,
    at ${d.integer} NOT NULL,
    person_id ${d.integer},
    reason TEXT)`,
  'CREATE INDEX month_steps_by_company ON month_steps (company_id, month, id)',
  // The figures of a closed month, and their sources: `days`, see `closed-days.ts`, and `payroll`.
  `CREATE TABLE month_balances (
    company_id ${d.integer} NOT NULL REFERENCES companies (id),
    month TEXT NOT NULL,
    person_id ${d.integer} NOT NULL REFERENCES people (id),
    target_minutes ${d.integer} NOT NULL,
    worked_minutes ${d.integer} NOT NULL,
    difference_minutes ${d.integer} NOT NULL,
    absence_half_days ${d.integer} NOT NULL,
    findings ${d.integer} NOT NULL,
    days TEXT NOT NULL,
    payroll TEXT NOT NULL,
    PRIMARY KEY (company_id, month, person_id))`,
  'CREATE INDEX month_balances_by_person ON month_balances (person_id, month)',
  // The days of an absence in a closed month, see `absences/closed-absence-rows.ts`.
  `CREATE TABLE closed_absences (
    company_id ${d.integer} NOT NULL REFERENCES companies (id),
    month TEXT NOT NULL,
    absence_id ${d.integer} NOT NULL REFERENCES absences (id),
    person_id ${d.integer} NOT NULL REFERENCES people (id),
    counts_as_vacation ${d.integer} NOT NULL,
    days TEXT NOT NULL,
    PRIMARY KEY (company_id, month, absence_id))`,
  'CREATE INDEX closed_absences_by_person ON closed_absences (person_id, month)',
  // Sign-offs of a person's month, with its content at that time. Rows never change: a comparison shows whether one
  // still holds.
  `CREATE TABLE month_sign_offs (
    id ${d.identity},
    company_id ${d.integer} NOT NULL REFERENCES companies (id),
    person_id ${d.integer} NOT NULL REFERENCES people (id),
    month TEXT NOT NULL,
    role TEXT NOT NULL,
    signed_by ${d.integer} NOT NULL,
    at ${d.integer} NOT NULL,
    digest TEXT NOT NULL,
    content TEXT NOT NULL)`,
  'CREATE INDEX month_sign_offs_of_person ON month_sign_offs (person_id, month)',
  // Minutes added to a time account or taken away. Bookings are only ever added: a counter booking names the one it
  // cancels, and each is cancelled once at most.
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
  // A company's payroll export: its wage types, and the columns of the file.
  `CREATE TABLE payroll_settings (
    company_id ${d.integer} PRIMARY KEY REFERENCES companies (id),
    wage_types TEXT NOT NULL,
    columns TEXT NOT NULL,
    decimal_mark TEXT NOT NULL)`,
];
