import type { Dialect } from '@clockproof/platform/database/database';

export const store = (d: Dialect): readonly string[] => [
  // `proof_token` names the audit log on the ledger.
  `CREATE TABLE installation (
    one ${d.integer} PRIMARY KEY CHECK (one = 1),
    secret ${d.bytes} NOT NULL,
    proof_token TEXT NOT NULL)`,
  // The keys of this database, each sealed with `DATA_KEY` (`store/sealing/data-keys.ts`).
  `CREATE TABLE data_keys (name TEXT PRIMARY KEY, sealed ${d.bytes} NOT NULL, created_at ${d.integer} NOT NULL)`,
  ...d.order.schema,
  // Stretches of history without a set-back (`store/position.ts`). The one without `last` is the present one.
  `CREATE TABLE epochs (
    epoch TEXT PRIMARY KEY,
    shift ${d.integer} NOT NULL,
    floor ${d.integer} NOT NULL,
    server TEXT NOT NULL,
    last ${d.integer},
    reason TEXT NOT NULL)`,
  "INSERT INTO epochs (epoch, shift, floor, server, reason) VALUES ('00000000', 0, 0, '', 'new installation')",
  // An entry carries the hashes of the records that its write stored, and a code over its number and content. `family`
  // is the beginning of `action`, up to the full stop.
  `CREATE TABLE audit_entries (
    sequence ${d.integer} PRIMARY KEY,
    at ${d.integer} NOT NULL,
    company_id ${d.integer},
    actor_kind TEXT NOT NULL,
    actor_id TEXT,
    actor_name TEXT,
    family TEXT NOT NULL,
    action TEXT NOT NULL,
    subject TEXT,
    details TEXT,
    records TEXT,
    mac TEXT NOT NULL)`,
  // Searches list by time. Nearly all entries are stamps: they are found by company, actor or time, and cost nothing in
  // the indexes by action. Those end in the company, so that entries of other companies are passed over in the index.
  'CREATE INDEX audit_by_time ON audit_entries (at, sequence)',
  'CREATE INDEX audit_by_company ON audit_entries (company_id, at, sequence)',
  'CREATE INDEX audit_by_actor ON audit_entries (actor_id, at, sequence)',
  "CREATE INDEX audit_by_action ON audit_entries (action, at, sequence, company_id) WHERE family <> 'clock'",
  "CREATE INDEX audit_by_family ON audit_entries (family, at, sequence, company_id) WHERE family <> 'clock'",
  ...d.appendOnly('audit_entries'),
  // Beside the log, whose rows never change: the parties of an entry (`store/audit/records.ts`).
  `CREATE TABLE audit_parties (
    party TEXT NOT NULL,
    at ${d.integer} NOT NULL,
    sequence ${d.integer} NOT NULL,
    PRIMARY KEY (party, at, sequence))`,
  'CREATE INDEX audit_parties_by_entry ON audit_parties (sequence)',
  ...d.appendOnly('audit_parties'),
  // Signed heads over the log (`store/seal.ts`). Two cannot follow the same one.
  `CREATE TABLE audit_heads (
    size ${d.integer} PRIMARY KEY,
    previous ${d.integer} NOT NULL UNIQUE,
    last ${d.integer} NOT NULL,
    latest_at ${d.integer} NOT NULL,
    entries TEXT NOT NULL,
    frontier TEXT NOT NULL,
    root TEXT NOT NULL,
    at ${d.integer} NOT NULL,
    signature TEXT)`,
  'CREATE INDEX audit_heads_by_last ON audit_heads (last)',
  'CREATE INDEX audit_heads_by_time ON audit_heads (latest_at, size)',
  ...d.appendOnly('audit_heads'),
  // `extension_id`: the only extension that an event such as `link.ended` is for.
  `CREATE TABLE events (
    sequence ${d.integer} PRIMARY KEY,
    epoch TEXT NOT NULL,
    type TEXT NOT NULL,
    at ${d.integer} NOT NULL,
    company_id ${d.integer} NOT NULL,
    person_id ${d.integer},
    payload TEXT NOT NULL,
    extension_id TEXT REFERENCES extensions (id))`,
  'CREATE INDEX events_by_company ON events (company_id, sequence)',
  'CREATE INDEX events_by_extension ON events (extension_id, sequence) WHERE extension_id IS NOT NULL',
  'CREATE INDEX events_by_age ON events (at)',
  `CREATE TABLE idempotency_keys (
    caller TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    answer TEXT,
    at ${d.integer} NOT NULL,
    PRIMARY KEY (caller, key))`,
  'CREATE INDEX idempotency_by_age ON idempotency_keys (at)',
];
