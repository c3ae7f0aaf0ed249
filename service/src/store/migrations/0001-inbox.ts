import type { Dialect } from '@clockproof/platform/database/database';

export const inbox = (d: Dialect): readonly string[] => [
  // Notices to people, one to each. `about`: the subject (`entry 12`, `approval 7`), so that a person need not read
  // about a subject that has been dealt with.
  `CREATE TABLE notices (
    id ${d.identity},
    person_id ${d.integer} NOT NULL REFERENCES people (id),
    kind TEXT NOT NULL,
    facts TEXT NOT NULL,
    at ${d.integer} NOT NULL,
    read_at ${d.integer},
    about TEXT)`,
  'CREATE INDEX notices_of_person ON notices (person_id, id)',
  'CREATE INDEX notices_unread ON notices (person_id) WHERE read_at IS NULL',
  'CREATE INDEX notices_by_age ON notices (at)',
  'CREATE UNIQUE INDEX notices_about ON notices (about, kind, person_id) WHERE about IS NOT NULL',
  `CREATE TABLE mail_outbox (
    id ${d.identity},
    person_id ${d.integer} REFERENCES people (id),
    kind TEXT NOT NULL,
    address TEXT,
    facts TEXT NOT NULL,
    secret_sealed ${d.bytes},
    secret_sealed_by TEXT,
    created_at ${d.integer} NOT NULL,
    expires_at ${d.integer} NOT NULL,
    state TEXT NOT NULL,
    due_at ${d.integer} NOT NULL,
    attempts ${d.integer} NOT NULL DEFAULT 0,
    lease_holder TEXT,
    leased_until ${d.integer},
    ended_at ${d.integer},
    error TEXT)`,
  "CREATE INDEX mail_outbox_open ON mail_outbox (due_at) WHERE state IN ('waiting', 'sending')",
  'CREATE INDEX mail_outbox_of_person ON mail_outbox (person_id)',
  'CREATE INDEX mail_outbox_by_age ON mail_outbox (ended_at)',
  // A person's choices of notices by e-mail.
  `CREATE TABLE mail_choices (
    person_id ${d.integer} NOT NULL REFERENCES people (id),
    kind TEXT NOT NULL,
    wanted ${d.integer} NOT NULL,
    PRIMARY KEY (person_id, kind))`,
];
