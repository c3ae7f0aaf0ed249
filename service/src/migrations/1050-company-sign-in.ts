import type { Migration } from '@clockproof/platform/database/database';

/** Identity providers of companies, whom they know here, and sign-ins under way. */
export const companySignIn: Migration = {
  id: '1050-company-sign-in',
  statements: (d) => [
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
      creates_people ${d.integer} NOT NULL)`,
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
  ],
};
