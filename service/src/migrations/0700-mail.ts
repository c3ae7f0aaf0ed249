import type { Migration } from '@clockproof/platform/database/database';

/** E-mails that wait, are being sent or were sent, and which notices a person does not want by e-mail. */
export const mail: Migration = {
  id: '0700-mail',
  statements: (d) => [
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
    `CREATE TABLE mail_choices (
      person_id ${d.integer} NOT NULL REFERENCES people (id),
      kind TEXT NOT NULL,
      wanted ${d.integer} NOT NULL,
      PRIMARY KEY (person_id, kind))`,
  ],
};
