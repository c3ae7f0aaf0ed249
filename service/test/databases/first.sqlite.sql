CREATE TABLE IF NOT EXISTS schema_migrations (id TEXT PRIMARY KEY);

CREATE TABLE installation (one INTEGER PRIMARY KEY CHECK (one = 1), secret BLOB NOT NULL);

INSERT INTO schema_migrations (id) VALUES ('0001-installation');

CREATE TABLE audit_entries (
      sequence INTEGER PRIMARY KEY, at INTEGER NOT NULL, company_id INTEGER, actor_kind TEXT NOT NULL, actor_id TEXT, actor_name TEXT,
      action TEXT NOT NULL, subject TEXT, details TEXT, hash TEXT NOT NULL);

CREATE INDEX audit_by_company ON audit_entries (company_id, sequence);

CREATE TABLE audit_head (one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER NOT NULL, hash TEXT NOT NULL);

INSERT INTO audit_head (one, sequence, hash) VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');

CREATE TRIGGER audit_entries_no_update BEFORE UPDATE ON audit_entries BEGIN SELECT RAISE(ABORT, 'audit_entries is append-only'); END;

CREATE TRIGGER audit_entries_no_delete BEFORE DELETE ON audit_entries BEGIN SELECT RAISE(ABORT, 'audit_entries is append-only'); END;

INSERT INTO schema_migrations (id) VALUES ('0010-audit');

CREATE TABLE event_head (one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER NOT NULL);

INSERT INTO event_head (one, sequence) VALUES (1, 0);

CREATE TABLE events (
      sequence INTEGER PRIMARY KEY, id TEXT NOT NULL, type TEXT NOT NULL, at INTEGER NOT NULL, company_id INTEGER NOT NULL, person_id INTEGER, payload TEXT NOT NULL);

CREATE INDEX events_by_company ON events (company_id, sequence);

INSERT INTO schema_migrations (id) VALUES ('0020-events');

CREATE TABLE idempotency_keys (
      caller TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, answer TEXT, at INTEGER NOT NULL, PRIMARY KEY (caller, key));

CREATE INDEX idempotency_by_age ON idempotency_keys (at);

INSERT INTO schema_migrations (id) VALUES ('0030-idempotency');

CREATE TABLE companies (
      id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, time_zone TEXT NOT NULL, country TEXT NOT NULL, region TEXT, active INTEGER NOT NULL DEFAULT 1, updated_at INTEGER NOT NULL);

CREATE TABLE departments (id INTEGER PRIMARY KEY AUTOINCREMENT, company_id INTEGER NOT NULL REFERENCES companies (id), name TEXT NOT NULL, UNIQUE (company_id, name));

CREATE TABLE people (
      id INTEGER PRIMARY KEY AUTOINCREMENT, company_id INTEGER NOT NULL REFERENCES companies (id), personnel_number TEXT, first_name TEXT NOT NULL, last_name TEXT NOT NULL, email TEXT,
      department_id INTEGER REFERENCES departments (id), role TEXT NOT NULL, language TEXT NOT NULL, active INTEGER NOT NULL DEFAULT 1,
      employment_start TEXT, employment_end TEXT, updated_at INTEGER NOT NULL, changed INTEGER NOT NULL);

CREATE UNIQUE INDEX people_email ON people (email) WHERE email IS NOT NULL;

CREATE INDEX people_by_company ON people (company_id, id);

CREATE INDEX people_by_change ON people (changed);

INSERT INTO schema_migrations (id) VALUES ('0040-people');

CREATE TABLE extensions (
      id TEXT PRIMARY KEY, name TEXT NOT NULL, company_id INTEGER REFERENCES companies (id), mode TEXT NOT NULL, acting TEXT NOT NULL, scopes TEXT NOT NULL,
      is_leading INTEGER NOT NULL, linkable INTEGER NOT NULL, redirect_uris TEXT NOT NULL, link_days INTEGER NOT NULL, client_id TEXT NOT NULL UNIQUE,
      webhook_url TEXT, webhook_secret TEXT, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL,
      CHECK (acting <> 'everyone' OR company_id IS NOT NULL));

CREATE TABLE api_keys (
      id TEXT PRIMARY KEY, extension_id TEXT NOT NULL REFERENCES extensions (id), lookup TEXT NOT NULL UNIQUE, hash TEXT NOT NULL,
      created_at INTEGER NOT NULL, expires_at INTEGER, revoked_at INTEGER, last_used_at INTEGER);

CREATE TABLE people_access (
      one INTEGER PRIMARY KEY CHECK (one = 1), people_writes INTEGER NOT NULL, personal_links INTEGER NOT NULL, terminals INTEGER NOT NULL);

INSERT INTO people_access (one, people_writes, personal_links, terminals) VALUES (1, 0, 0, 0);

INSERT INTO schema_migrations (id) VALUES ('0050-extensions');

CREATE TABLE closed_months (company_id INTEGER NOT NULL REFERENCES companies (id), month TEXT NOT NULL, closed_at INTEGER NOT NULL, PRIMARY KEY (company_id, month));

INSERT INTO schema_migrations (id) VALUES ('0060-months');

CREATE TABLE time_entries (
      id INTEGER PRIMARY KEY AUTOINCREMENT, company_id INTEGER NOT NULL REFERENCES companies (id), person_id INTEGER NOT NULL REFERENCES people (id), date TEXT NOT NULL,
      start_at INTEGER NOT NULL, end_at INTEGER, breaks TEXT NOT NULL, status TEXT NOT NULL, source_kind TEXT NOT NULL, source_id TEXT, source_name TEXT, proof TEXT, comment TEXT,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, changed INTEGER NOT NULL,
      CHECK ((status = 'open') = (end_at IS NULL)), CHECK (end_at IS NULL OR end_at >= start_at));

CREATE UNIQUE INDEX one_open_entry ON time_entries (person_id) WHERE status = 'open';

CREATE INDEX entries_by_company_date ON time_entries (company_id, date, id);

CREATE INDEX entries_by_person_date ON time_entries (person_id, date, id);

CREATE INDEX entries_by_date ON time_entries (date, id);

CREATE INDEX entries_by_change ON time_entries (changed);

CREATE INDEX entries_by_company_change ON time_entries (company_id, changed);

CREATE INDEX entries_by_person_change ON time_entries (person_id, changed);

CREATE TABLE clock_states (
      person_id INTEGER PRIMARY KEY REFERENCES people (id), company_id INTEGER NOT NULL, state TEXT NOT NULL, since INTEGER, break_since INTEGER,
      source_kind TEXT, source_id TEXT, source_name TEXT, updated_at INTEGER NOT NULL);

CREATE INDEX clock_states_by_company ON clock_states (company_id, person_id);

INSERT INTO schema_migrations (id) VALUES ('0080-clocking');

DELETE FROM installation;

DELETE FROM people_access;

DELETE FROM audit_head;

DELETE FROM event_head;

INSERT INTO installation (one, secret) VALUES (1, X'00017f80ff');

INSERT INTO companies (id, name, time_zone, country, region, updated_at) VALUES (1, 'Old & Söhne', 'Europe/Berlin', 'DE', 'DE-HH', 1790834400000);

INSERT INTO companies (id, name, time_zone, country, region, active, updated_at) VALUES (2, 'O''Neil', 'Europe/Vienna', 'AT', NULL, 0, 1790834400000);

INSERT INTO departments (id, company_id, name) VALUES (1, 1, 'Office');

INSERT INTO people (company_id, language, updated_at, employment_start, id, first_name, last_name, role, department_id, changed) VALUES (1, 'de', 1790834400000, '2026-10-01', 1, 'Ada', 'Old', 'employee', 1, 1);

INSERT INTO people (company_id, language, updated_at, employment_start, id, first_name, last_name, role, department_id, changed) VALUES (1, 'de', 1790834400000, '2026-10-01', 2, 'Ben', 'Old', 'approver', 1, 2);

INSERT INTO people (company_id, language, updated_at, employment_start, id, first_name, last_name, role, email, changed) VALUES (1, 'de', 1790834400000, '2026-10-01', 3, 'Cleo', 'Old', 'company_admin', 'c@old.example', 3);

INSERT INTO people (company_id, language, updated_at, employment_start, id, first_name, last_name, role, personnel_number, changed) VALUES (1, 'de', 1790834400000, '2026-10-01', 4, 'Dana', 'Old', 'super_admin', 'P4', 4);

INSERT INTO extensions (id, name, company_id, mode, acting, scopes, is_leading, linkable, redirect_uris, link_days, client_id, webhook_url, created_at, updated_at) VALUES ('ext_planner', 'Planner', 1, 'api', 'everyone', '["clock.write"]', 1, 1, '["https://planner.example/back"]', 90, 'planner', 'https://planner.example/hook', 1790834400000, 1790834400000);

INSERT INTO api_keys (id, extension_id, lookup, hash, created_at) VALUES ('key_1', 'ext_planner', 'abcdef', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 1790834400000);

INSERT INTO people_access (one, people_writes, personal_links, terminals) VALUES (1, 1, 1, 0);

INSERT INTO audit_entries (sequence, at, company_id, actor_kind, actor_id, action, subject, details, hash) VALUES (1, 1790834400000, 1, 'person', '4', 'person.added', 'person 1', '{"department":1}', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb');

INSERT INTO audit_entries (sequence, at, company_id, actor_kind, actor_id, action, subject, details, hash) VALUES (2, 1790834400001, 1, 'personal_link', 'link_1', 'clock.in', 'entry 1', '{"person":1,"extension":"ext_planner"}', 'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc');

INSERT INTO audit_head (one, sequence, hash) VALUES (1, 2, 'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc');

INSERT INTO event_head (one, sequence) VALUES (1, 9);

INSERT INTO events (sequence, id, type, at, company_id, person_id, payload) VALUES (9, 'evt_000000000009', 'clock.in', 1790834400000, 1, 1, '{"a":"ü"}');

INSERT INTO idempotency_keys (caller, key, fingerprint, answer, at) VALUES ('ext_planner', 'k-1', 'f', '{"status":200}', 1790834400000);

INSERT INTO idempotency_keys (caller, key, fingerprint, answer, at) VALUES ('ext_planner', 'k-2', 'g', NULL, 1790834400000);

INSERT INTO closed_months (company_id, month, closed_at) VALUES (1, '2026-09', 1790834400000);

INSERT INTO time_entries (company_id, person_id, source_kind, source_id, source_name, created_at, updated_at, id, date, start_at, end_at, breaks, status, changed) VALUES (1, 1, 'extension', 'ext_planner', 'Planner', 1790834400000, 1790834400000, 1, '2026-10-01', 1790834400000, 1790863200000, '[[1790848800000,1790852400000]]', 'recorded', 5);

INSERT INTO time_entries (company_id, person_id, source_kind, source_id, source_name, created_at, updated_at, id, date, start_at, breaks, status, changed) VALUES (1, 1, 'extension', 'ext_planner', 'Planner', 1790834400000, 1790834400000, 2, '2026-10-02', 1790920800000, '[]', 'open', 6);

INSERT INTO clock_states (person_id, company_id, state, since, source_kind, updated_at) VALUES (1, 1, 'in', 1790920800000, 'extension', 1790834400000);

INSERT INTO clock_states (person_id, company_id, state, updated_at) VALUES (2, 1, 'out', 1790834400000);

