import type { Dialect } from '@clockproof/platform/database/database';

export const access = (d: Dialect): readonly string[] => [
  `CREATE TABLE credentials (
    person_id ${d.integer} PRIMARY KEY REFERENCES people (id),
    password_hash TEXT,
    password_changed_at ${d.integer},
    last_sign_in_at ${d.integer},
    factor_tries ${d.integer} NOT NULL DEFAULT 0,
    factor_tries_since ${d.integer} NOT NULL DEFAULT 0,
    totp_sealed ${d.bytes},
    totp_sealed_by TEXT,
    totp_enrolled_at ${d.integer},
    totp_step ${d.integer} NOT NULL DEFAULT 0,
    pending_sealed ${d.bytes},
    pending_sealed_by TEXT,
    pending_expires_at ${d.integer},
    last_address TEXT)`,
  `CREATE TABLE recovery_codes (
    person_id ${d.integer} NOT NULL REFERENCES people (id),
    hash TEXT NOT NULL,
    hashed_by TEXT NOT NULL,
    used_at ${d.integer},
    PRIMARY KEY (person_id, hash))`,
  // `challenge`: a session waits for one signature of a passkey at a time. `pending_binding`: the proof of the second
  // factor binds the person to an account at the identity provider.
  `CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    person_id ${d.integer} NOT NULL REFERENCES people (id),
    stage TEXT NOT NULL,
    opened_by TEXT NOT NULL,
    pending_binding TEXT,
    created_at ${d.integer} NOT NULL,
    last_seen_at ${d.integer} NOT NULL,
    second_factor_at ${d.integer},
    ended_at ${d.integer},
    device TEXT,
    address TEXT NOT NULL,
    challenge TEXT,
    challenge_for TEXT,
    challenge_until ${d.integer})`,
  'CREATE INDEX sessions_by_person ON sessions (person_id, last_seen_at)',
  `CREATE TABLE one_time_links (
    hash TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    person_id ${d.integer} REFERENCES people (id),
    created_at ${d.integer} NOT NULL,
    expires_at ${d.integer} NOT NULL)`,
  'CREATE INDEX one_time_links_by_person ON one_time_links (person_id)',
  `CREATE TABLE passkeys (
    id TEXT PRIMARY KEY,
    person_id ${d.integer} NOT NULL REFERENCES people (id),
    credential_id TEXT NOT NULL UNIQUE,
    public_key ${d.bytes} NOT NULL,
    counter ${d.integer} NOT NULL,
    transports TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at ${d.integer} NOT NULL,
    last_used_at ${d.integer})`,
  'CREATE INDEX passkeys_by_person ON passkeys (person_id, created_at)',
  // Wrong passwords in a row for one address of an account, known or not: the hash identifies it. Such a row does not
  // slow down `credentials.last_address`, where the person last signed in.
  `CREATE TABLE password_tries (
    account TEXT PRIMARY KEY,
    tries ${d.integer} NOT NULL,
    last_at ${d.integer} NOT NULL)`,
  'CREATE INDEX password_tries_by_age ON password_tries (last_at)',
  // Identity providers of companies, the people they know here, and sign-ins under way.
  `CREATE TABLE identity_providers (
    company_id ${d.integer} PRIMARY KEY REFERENCES companies (id),
    enabled ${d.integer} NOT NULL,
    address TEXT NOT NULL UNIQUE,
    issuer TEXT NOT NULL,
    client_id TEXT NOT NULL,
    secret_sealed ${d.bytes},
    secret_sealed_by TEXT,
    role_claim TEXT,
    role_values TEXT NOT NULL,
    creates_people ${d.integer} NOT NULL,
    trusts_auth_time ${d.integer} NOT NULL)`,
  `CREATE TABLE email_domains (
    domain TEXT PRIMARY KEY,
    company_id ${d.integer} NOT NULL REFERENCES companies (id))`,
  'CREATE INDEX email_domains_of_company ON email_domains (company_id)',
  // A provider may serve several companies, so a subject is one of a company.
  `CREATE TABLE provider_subjects (
    company_id ${d.integer} NOT NULL REFERENCES companies (id),
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    person_id ${d.integer} NOT NULL UNIQUE REFERENCES people (id),
    created_at ${d.integer} NOT NULL,
    PRIMARY KEY (company_id, issuer, subject))`,
  `CREATE TABLE company_sign_ins (
    state_hash TEXT PRIMARY KEY,
    company_id ${d.integer} NOT NULL REFERENCES companies (id),
    issuer TEXT NOT NULL,
    mark_hash TEXT NOT NULL,
    created_at ${d.integer} NOT NULL)`,
  'CREATE INDEX company_sign_ins_by_age ON company_sign_ins (created_at)',
];
