import type { Dialect } from '@clockproof/platform/database/database';

export const companiesAndPeople = (d: Dialect): readonly string[] => [
  // `colleagues_see`: the view that people have of their department: nothing, absences, or also clock states.
  // `one_admin`: the only admin may change their own record, which is marked.
  // `proof_token` names the company on the ledger.
  // `short_rest_branch`, `record_duty`: what working-time law allows or asks of the company's branch.
  `CREATE TABLE companies (
    id ${d.identity},
    name TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    country TEXT NOT NULL,
    region TEXT,
    local_holidays TEXT,
    active ${d.integer} NOT NULL DEFAULT 1,
    updated_at ${d.integer} NOT NULL,
    deducts_breaks_from TEXT,
    colleagues_see TEXT NOT NULL DEFAULT 'absences',
    short_rest_branch TEXT,
    record_duty ${d.integer} NOT NULL DEFAULT 0,
    new_day_after_hours ${d.integer},
    idle_minutes ${d.integer} NOT NULL DEFAULT 30,
    one_admin ${d.integer} NOT NULL DEFAULT 0,
    proof_token TEXT NOT NULL DEFAULT '',
    changed ${d.integer} NOT NULL DEFAULT 0)`,
  'CREATE INDEX companies_by_change ON companies (changed, id)',
  "CREATE UNIQUE INDEX companies_proof_token ON companies (proof_token) WHERE proof_token <> ''",
  `CREATE TABLE departments (
    id ${d.identity},
    company_id ${d.integer} NOT NULL REFERENCES companies (id),
    name TEXT NOT NULL,
    UNIQUE (company_id, name))`,
  // `proof_token` names a person under the root of a closed month. `record_salt` goes into the hash of a person's
  // records, so that nothing can be guessed from a hash once the person is erased.
  `CREATE TABLE people (
    id ${d.identity},
    company_id ${d.integer} NOT NULL REFERENCES companies (id),
    personnel_number TEXT,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    sort_name TEXT NOT NULL DEFAULT '',
    search_text TEXT NOT NULL DEFAULT '',
    email TEXT,
    department_id ${d.integer} REFERENCES departments (id),
    role TEXT NOT NULL,
    language TEXT NOT NULL,
    active ${d.integer} NOT NULL DEFAULT 1,
    employment_start TEXT,
    employment_end TEXT,
    updated_at ${d.integer} NOT NULL,
    changed ${d.integer} NOT NULL,
    tracking_start TEXT NOT NULL DEFAULT '2026-01-01',
    own_time_zone TEXT,
    opening_minutes ${d.integer} NOT NULL DEFAULT 0,
    record_salt TEXT NOT NULL DEFAULT '',
    proof_token TEXT NOT NULL DEFAULT '')`,
  // A person who is hired again gets a new record, and the old one keeps its address and its number.
  'CREATE UNIQUE INDEX people_email ON people (email) WHERE email IS NOT NULL AND active = 1',
  // Two with one token would have one place under a root.
  "CREATE UNIQUE INDEX people_proof_token ON people (company_id, proof_token) WHERE proof_token <> ''",
  'CREATE INDEX people_by_company ON people (company_id, id)',
  'CREATE INDEX people_by_change ON people (changed, id)',
  'CREATE UNIQUE INDEX people_personnel_number ON people (company_id, personnel_number) WHERE personnel_number IS NOT NULL AND active = 1',
  'CREATE INDEX people_by_department ON people (department_id)',
  `CREATE TABLE role_grants (
    id ${d.identity},
    person_id ${d.integer} NOT NULL REFERENCES people (id),
    role TEXT NOT NULL,
    company_id ${d.integer} REFERENCES companies (id),
    department_id ${d.integer} REFERENCES departments (id))`,
  'CREATE INDEX grants_by_person ON role_grants (person_id)',
  'CREATE INDEX grants_by_company ON role_grants (company_id, role)',
  // Changes of a person, with the values before and after. The audit log only has the hash of this row: erasing the
  // person removes the values and leaves the log as it is.
  `CREATE TABLE person_changes (
    id ${d.identity},
    person_id ${d.integer} NOT NULL REFERENCES people (id),
    at ${d.integer} NOT NULL,
    changes TEXT NOT NULL)`,
  'CREATE INDEX person_changes_by_person ON person_changes (person_id)',
  // `person_id` only while the person exists: a personal link sees removals of its own person's records.
  `CREATE TABLE removals (
    kind TEXT NOT NULL,
    id ${d.integer} NOT NULL,
    company_id ${d.integer} NOT NULL,
    person_id ${d.integer},
    removed_at ${d.integer} NOT NULL,
    changed ${d.integer} NOT NULL,
    PRIMARY KEY (kind, id))`,
  'CREATE INDEX removals_by_change ON removals (kind, changed, id)',
  'CREATE INDEX removals_by_age ON removals (removed_at)',
  `CREATE TABLE schedules (
    id ${d.identity},
    company_id ${d.integer} NOT NULL REFERENCES companies (id),
    person_id ${d.integer} REFERENCES people (id),
    valid_from TEXT NOT NULL,
    week TEXT NOT NULL)`,
  'CREATE UNIQUE INDEX schedules_of_person ON schedules (person_id, valid_from) WHERE person_id IS NOT NULL',
  'CREATE UNIQUE INDEX schedules_of_company ON schedules (company_id, valid_from) WHERE person_id IS NULL',
  'CREATE INDEX schedules_by_company ON schedules (company_id, person_id)',
  // A company's additions to the public holidays of its place, and its changes of them. `last_date`: the last one of a
  // yearly holiday that has ended.
  `CREATE TABLE company_holidays (
    id ${d.identity},
    company_id ${d.integer} NOT NULL REFERENCES companies (id),
    date TEXT NOT NULL,
    yearly ${d.integer} NOT NULL,
    last_date TEXT,
    kind TEXT NOT NULL,
    name_de TEXT NOT NULL,
    name_en TEXT NOT NULL)`,
  'CREATE UNIQUE INDEX company_holidays_by_date ON company_holidays (company_id, date, yearly)',
  // Special rules of working-time law that hold for a person for a time. `valid_to` null: until further notice.
  `CREATE TABLE special_rules (
    id ${d.identity},
    company_id ${d.integer} NOT NULL REFERENCES companies (id),
    person_id ${d.integer} NOT NULL REFERENCES people (id),
    kind TEXT NOT NULL,
    valid_from TEXT NOT NULL,
    valid_to TEXT,
    evening_work ${d.integer} NOT NULL,
    CHECK (valid_to IS NULL OR valid_to >= valid_from))`,
  'CREATE UNIQUE INDEX special_rules_of_person ON special_rules (person_id, kind, valid_from)',
  'CREATE INDEX special_rules_of_company ON special_rules (company_id, person_id)',
  // Evaluations of people's data that a company has switched off or on again; without a row one is on.
  `CREATE TABLE evaluation_switches (
    company_id ${d.integer} NOT NULL REFERENCES companies (id),
    evaluation TEXT NOT NULL,
    enabled ${d.integer} NOT NULL,
    changed_at ${d.integer} NOT NULL,
    changed_by ${d.integer} NOT NULL,
    PRIMARY KEY (company_id, evaluation))`,
];
