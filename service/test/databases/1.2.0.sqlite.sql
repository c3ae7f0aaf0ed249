CREATE TABLE IF NOT EXISTS schema_migrations (id TEXT PRIMARY KEY);

INSERT INTO schema_migrations (id) VALUES ('0000-rate-limits');

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

CREATE INDEX audit_by_actor ON audit_entries (actor_kind, actor_id, sequence);

CREATE INDEX audit_by_time ON audit_entries (at);

INSERT INTO schema_migrations (id) VALUES ('0012-audit-by-actor');

CREATE TABLE audit_parties (party TEXT NOT NULL, sequence INTEGER NOT NULL, PRIMARY KEY (party, sequence));

INSERT INTO audit_parties (party, sequence)
       SELECT 'person ' || actor_id, sequence FROM audit_entries WHERE actor_kind = 'person' AND actor_id IS NOT NULL
       UNION SELECT subject, sequence FROM audit_entries WHERE substr(subject, 1, 7) = 'person '
       UNION SELECT 'person ' || CAST(json_extract(details, '$.person') AS TEXT), sequence FROM audit_entries WHERE CAST(json_extract(details, '$.person') AS TEXT) IS NOT NULL
       UNION SELECT 'extension ' || actor_id, sequence FROM audit_entries WHERE actor_kind = 'extension' AND actor_id IS NOT NULL
       UNION SELECT 'extension ' || CAST(json_extract(details, '$.extension') AS TEXT), sequence FROM audit_entries WHERE actor_kind = 'personal_link' AND CAST(json_extract(details, '$.extension') AS TEXT) IS NOT NULL;

CREATE INDEX audit_parties_by_entry ON audit_parties (sequence);

CREATE TRIGGER audit_parties_no_update BEFORE UPDATE ON audit_parties BEGIN SELECT RAISE(ABORT, 'audit_parties is append-only'); END;

CREATE TRIGGER audit_parties_no_delete BEFORE DELETE ON audit_parties BEGIN SELECT RAISE(ABORT, 'audit_parties is append-only'); END;

INSERT INTO schema_migrations (id) VALUES ('0014-audit-parties');

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

CREATE TABLE role_grants (
      person_id INTEGER NOT NULL REFERENCES people (id), role TEXT NOT NULL, company_id INTEGER REFERENCES companies (id), department_id INTEGER REFERENCES departments (id));

CREATE INDEX grants_by_person ON role_grants (person_id);

CREATE INDEX grants_by_company ON role_grants (company_id, role);

INSERT INTO role_grants (person_id, role, company_id, department_id)
     SELECT id, role, CASE WHEN role = 'super_admin' THEN NULL ELSE company_id END, CASE WHEN role = 'approver' THEN department_id END FROM people WHERE role <> 'employee';

ALTER TABLE people ADD COLUMN kept_from TEXT NOT NULL DEFAULT '2026-01-01';

UPDATE people SET kept_from = employment_start WHERE employment_start IS NOT NULL;

ALTER TABLE people ADD COLUMN own_time_zone TEXT;

ALTER TABLE people ADD COLUMN opening_minutes INTEGER NOT NULL DEFAULT 0;

ALTER TABLE companies ADD COLUMN deducts_breaks_from TEXT;

CREATE UNIQUE INDEX people_personnel_number ON people (company_id, personnel_number) WHERE personnel_number IS NOT NULL;

CREATE INDEX people_by_department ON people (department_id);

INSERT INTO schema_migrations (id) VALUES ('0102-roles-and-balances-of-people');

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

ALTER TABLE extensions ADD COLUMN description TEXT;

ALTER TABLE extensions ADD COLUMN deleted_at INTEGER;

ALTER TABLE people_access ADD COLUMN changed_at INTEGER;

ALTER TABLE people_access ADD COLUMN changed_by INTEGER REFERENCES people (id);

CREATE INDEX keys_by_extension ON api_keys (extension_id, created_at);

INSERT INTO schema_migrations (id) VALUES ('0052-extension-administration');

CREATE TABLE closed_months (company_id INTEGER NOT NULL REFERENCES companies (id), month TEXT NOT NULL, closed_at INTEGER NOT NULL, PRIMARY KEY (company_id, month));

INSERT INTO schema_migrations (id) VALUES ('0060-months');

ALTER TABLE closed_months ADD COLUMN closed_by INTEGER;

ALTER TABLE closed_months ADD COLUMN settled INTEGER NOT NULL DEFAULT 0;

CREATE TABLE month_steps (
      id INTEGER PRIMARY KEY AUTOINCREMENT, company_id INTEGER NOT NULL REFERENCES companies (id), month TEXT NOT NULL, step TEXT NOT NULL, at INTEGER NOT NULL, person_id INTEGER, reason TEXT);

CREATE INDEX month_steps_by_company ON month_steps (company_id, month, id);

INSERT INTO month_steps (company_id, month, step, at) SELECT company_id, month, 'closed', closed_at FROM closed_months;

INSERT INTO schema_migrations (id) VALUES ('0105-month-steps');

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

ALTER TABLE time_entries ADD COLUMN break_rules TEXT;

CREATE INDEX entries_by_person_start ON time_entries (person_id, start_at);

CREATE INDEX entries_unfinished ON time_entries (company_id, date) WHERE status IN ('open', 'pending');

INSERT INTO schema_migrations (id) VALUES ('0106-entries-by-time');

CREATE TABLE data_key_check (one INTEGER PRIMARY KEY CHECK (one = 1), value TEXT NOT NULL);

INSERT INTO schema_migrations (id) VALUES ('0100-data-key');

CREATE TABLE company_card_keys (
      company_id INTEGER NOT NULL REFERENCES companies (id), version INTEGER NOT NULL, sealed BLOB NOT NULL, created_at INTEGER NOT NULL, PRIMARY KEY (company_id, version));

CREATE TABLE badges (
      id TEXT PRIMARY KEY, company_id INTEGER NOT NULL REFERENCES companies (id), person_id INTEGER NOT NULL REFERENCES people (id), uid_hash TEXT NOT NULL, state TEXT NOT NULL,
      family TEXT, aid TEXT, key_number INTEGER NOT NULL, key_version INTEGER NOT NULL, pin_tries INTEGER NOT NULL DEFAULT 0, pin_locked_until INTEGER,
      created_at INTEGER NOT NULL, issued_at INTEGER, UNIQUE (company_id, uid_hash));

CREATE INDEX badges_by_person ON badges (person_id);

CREATE TABLE pins (person_id INTEGER PRIMARY KEY REFERENCES people (id), hash TEXT NOT NULL, updated_at INTEGER NOT NULL);

INSERT INTO schema_migrations (id) VALUES ('0110-badges');

CREATE TABLE terminals (
      id TEXT PRIMARY KEY, company_id INTEGER NOT NULL REFERENCES companies (id), name TEXT NOT NULL, location TEXT, public_key BLOB, fingerprint TEXT, device TEXT, confirmed_at INTEGER,
      show_info INTEGER NOT NULL, info_without_pin INTEGER NOT NULL, badge_and_pin INTEGER NOT NULL, created_at INTEGER NOT NULL);

CREATE INDEX terminals_by_company ON terminals (company_id, id);

CREATE TABLE terminal_departments (terminal_id TEXT NOT NULL REFERENCES terminals (id), department_id INTEGER NOT NULL REFERENCES departments (id), PRIMARY KEY (terminal_id, department_id));

CREATE TABLE pairing_codes (terminal_id TEXT PRIMARY KEY REFERENCES terminals (id), hash TEXT NOT NULL UNIQUE, expires_at INTEGER NOT NULL, wrong_tries INTEGER NOT NULL DEFAULT 0);

CREATE TABLE terminal_nonces (terminal_id TEXT NOT NULL, nonce TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (terminal_id, nonce));

CREATE INDEX terminal_nonces_by_age ON terminal_nonces (terminal_id, at);

CREATE TABLE issuing_windows (terminal_id TEXT PRIMARY KEY REFERENCES terminals (id), person_id INTEGER NOT NULL REFERENCES people (id), expires_at INTEGER NOT NULL);

CREATE TABLE card_sessions (
      id TEXT PRIMARY KEY, terminal_id TEXT NOT NULL REFERENCES terminals (id), company_id INTEGER NOT NULL, purpose TEXT NOT NULL, badge_id TEXT NOT NULL, person_id INTEGER NOT NULL,
      state TEXT NOT NULL, sealed BLOB NOT NULL, steps INTEGER NOT NULL, created_at INTEGER NOT NULL, last_at INTEGER NOT NULL);

CREATE UNIQUE INDEX one_session_a_terminal ON card_sessions (terminal_id) WHERE state <> 'ended';

CREATE UNIQUE INDEX one_session_a_badge ON card_sessions (badge_id) WHERE state <> 'ended';

CREATE INDEX card_sessions_by_age ON card_sessions (created_at);

INSERT INTO schema_migrations (id) VALUES ('0120-terminals');

CREATE TABLE schedules (
      id INTEGER PRIMARY KEY AUTOINCREMENT, company_id INTEGER NOT NULL REFERENCES companies (id), person_id INTEGER REFERENCES people (id), valid_from TEXT NOT NULL, week TEXT NOT NULL);

CREATE UNIQUE INDEX schedules_of_person ON schedules (person_id, valid_from) WHERE person_id IS NOT NULL;

CREATE UNIQUE INDEX schedules_of_company ON schedules (company_id, valid_from) WHERE person_id IS NULL;

CREATE INDEX schedules_by_company ON schedules (company_id, person_id);

INSERT INTO schema_migrations (id) VALUES ('0100-schedules');

CREATE TABLE approvals (
      id INTEGER PRIMARY KEY AUTOINCREMENT, company_id INTEGER NOT NULL REFERENCES companies (id), person_id INTEGER NOT NULL REFERENCES people (id), kind TEXT NOT NULL, subject_id INTEGER NOT NULL,
      from_date TEXT NOT NULL, to_date TEXT NOT NULL, status TEXT NOT NULL, requested_at INTEGER NOT NULL, decided_by INTEGER, decided_at INTEGER, comment TEXT,
      CHECK ((status = 'waiting') = (decided_at IS NULL)));

CREATE UNIQUE INDEX approvals_waiting ON approvals (kind, subject_id) WHERE status = 'waiting';

CREATE INDEX approvals_by_company ON approvals (company_id, status, id);

CREATE INDEX approvals_by_person ON approvals (person_id, status, id);

CREATE INDEX approvals_by_subject ON approvals (kind, subject_id, id);

INSERT INTO schema_migrations (id) VALUES ('0104-approvals');

CREATE TABLE corrections (
      id INTEGER PRIMARY KEY AUTOINCREMENT, company_id INTEGER NOT NULL REFERENCES companies (id), person_id INTEGER NOT NULL REFERENCES people (id), entry_id INTEGER, remove INTEGER NOT NULL,
      start_at INTEGER, end_at INTEGER, breaks TEXT, reason TEXT NOT NULL, status TEXT NOT NULL, requested_by INTEGER NOT NULL, requested_at INTEGER NOT NULL,
      decided_by INTEGER, decided_at INTEGER, decision_reason TEXT,
      CHECK ((remove = 1) = (start_at IS NULL)), CHECK ((start_at IS NULL) = (end_at IS NULL)), CHECK (end_at > start_at), CHECK (remove = 0 OR entry_id IS NOT NULL));

CREATE INDEX corrections_by_person ON corrections (person_id, id);

CREATE TABLE entry_versions (
      entry_id INTEGER NOT NULL, version INTEGER NOT NULL, person_id INTEGER NOT NULL REFERENCES people (id), at INTEGER NOT NULL, changed_by INTEGER, source_name TEXT,
      change TEXT NOT NULL, reason TEXT, date TEXT NOT NULL, start_at INTEGER NOT NULL, end_at INTEGER, breaks TEXT NOT NULL, status TEXT NOT NULL, PRIMARY KEY (entry_id, version));

CREATE INDEX entry_versions_by_person ON entry_versions (person_id);

INSERT INTO schema_migrations (id) VALUES ('0107-corrections');

CREATE TABLE month_balances (
      company_id INTEGER NOT NULL REFERENCES companies (id), month TEXT NOT NULL, person_id INTEGER NOT NULL REFERENCES people (id), target_minutes INTEGER NOT NULL,
      worked_minutes INTEGER NOT NULL, difference_minutes INTEGER NOT NULL, absence_half_days INTEGER NOT NULL, findings INTEGER NOT NULL, PRIMARY KEY (company_id, month, person_id));

CREATE INDEX month_balances_by_person ON month_balances (person_id, month);

INSERT INTO schema_migrations (id) VALUES ('0110-month-balances');

CREATE TABLE absence_types (
      company_id INTEGER NOT NULL REFERENCES companies (id), key TEXT NOT NULL, label_de TEXT NOT NULL, label_en TEXT NOT NULL, half_day INTEGER NOT NULL,
      requires_approval INTEGER NOT NULL, counts_as_vacation INTEGER NOT NULL, overlap_class TEXT NOT NULL, target TEXT NOT NULL, active INTEGER NOT NULL,
      PRIMARY KEY (company_id, key));

CREATE TABLE absence_ledgers (person_id INTEGER PRIMARY KEY REFERENCES people (id), approval TEXT NOT NULL DEFAULT 'by_type');

CREATE TABLE absences (
      id INTEGER PRIMARY KEY AUTOINCREMENT, company_id INTEGER NOT NULL REFERENCES companies (id), person_id INTEGER NOT NULL REFERENCES people (id), type TEXT NOT NULL,
      start_date TEXT NOT NULL, end_date TEXT NOT NULL, half_day TEXT, half_days INTEGER NOT NULL, comment TEXT, status TEXT NOT NULL,
      extension_id TEXT REFERENCES extensions (id), external_id TEXT, author_kind TEXT NOT NULL, author_person_id INTEGER, author_name TEXT,
      created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, changed INTEGER NOT NULL,
      CHECK (end_date >= start_date), CHECK (half_day IS NULL OR start_date = end_date));

CREATE UNIQUE INDEX absences_external_id ON absences (extension_id, person_id, external_id) WHERE external_id IS NOT NULL;

CREATE INDEX absences_by_person ON absences (person_id, start_date, id);

CREATE INDEX absences_by_company ON absences (company_id, start_date, id);

CREATE INDEX absences_by_start ON absences (start_date, id);

CREATE INDEX absences_by_change ON absences (changed);

CREATE TABLE vacation_entitlements (
      person_id INTEGER NOT NULL REFERENCES people (id), year INTEGER NOT NULL, half_days INTEGER NOT NULL, carried_half_days INTEGER NOT NULL, carried_until TEXT,
      PRIMARY KEY (person_id, year));

CREATE TABLE vacation_policies (company_id INTEGER PRIMARY KEY REFERENCES companies (id), half_days INTEGER NOT NULL, carry_until TEXT);

INSERT INTO schema_migrations (id) VALUES ('0090-absences');

CREATE TABLE removals (
      kind TEXT NOT NULL, id INTEGER NOT NULL, company_id INTEGER NOT NULL, person_id INTEGER, removed_at INTEGER NOT NULL, changed INTEGER NOT NULL,
      PRIMARY KEY (kind, id));

CREATE INDEX removals_by_change ON removals (kind, changed, id);

CREATE INDEX removals_by_age ON removals (removed_at);

INSERT INTO schema_migrations (id) VALUES ('0200-removals');

CREATE TABLE credentials (
      person_id INTEGER PRIMARY KEY REFERENCES people (id), password_hash TEXT, password_changed_at INTEGER, last_sign_in_at INTEGER,
      factor_tries INTEGER NOT NULL DEFAULT 0, factor_tries_since INTEGER NOT NULL DEFAULT 0,
      totp_sealed BLOB, totp_sealed_by TEXT, totp_enrolled_at INTEGER, totp_step INTEGER NOT NULL DEFAULT 0,
      pending_sealed BLOB, pending_sealed_by TEXT, pending_expires_at INTEGER);

CREATE TABLE recovery_codes (
      person_id INTEGER NOT NULL REFERENCES people (id), hash TEXT NOT NULL, hashed_by TEXT NOT NULL, used_at INTEGER, PRIMARY KEY (person_id, hash));

CREATE TABLE sessions (
      id TEXT PRIMARY KEY, token_hash TEXT NOT NULL UNIQUE, person_id INTEGER NOT NULL REFERENCES people (id), stage TEXT NOT NULL, created_at INTEGER NOT NULL,
      last_seen_at INTEGER NOT NULL, second_factor_at INTEGER, ended_at INTEGER, device TEXT, address TEXT NOT NULL);

CREATE INDEX sessions_by_person ON sessions (person_id, last_seen_at);

CREATE TABLE one_time_links (
      hash TEXT PRIMARY KEY, kind TEXT NOT NULL, person_id INTEGER REFERENCES people (id), created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL);

CREATE INDEX one_time_links_by_person ON one_time_links (person_id);

INSERT INTO schema_migrations (id) VALUES ('0150-sign-in');

CREATE TABLE links (
      id TEXT PRIMARY KEY, extension_id TEXT NOT NULL REFERENCES extensions (id), person_id INTEGER NOT NULL REFERENCES people (id), company_id INTEGER NOT NULL,
      scopes TEXT NOT NULL, refresh_hash TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, last_used_at INTEGER, ended_at INTEGER, ended_why TEXT);

CREATE INDEX links_by_person ON links (person_id, id);

CREATE INDEX links_by_extension ON links (extension_id, id);

CREATE INDEX links_by_end ON links (expires_at) WHERE ended_at IS NULL;

CREATE TABLE used_refresh_tokens (hash TEXT PRIMARY KEY, link_id TEXT NOT NULL REFERENCES links (id));

CREATE INDEX used_refresh_tokens_by_link ON used_refresh_tokens (link_id);

CREATE TABLE access_tokens (hash TEXT PRIMARY KEY, link_id TEXT NOT NULL REFERENCES links (id), scopes TEXT NOT NULL, expires_at INTEGER NOT NULL);

CREATE INDEX access_tokens_by_link ON access_tokens (link_id, expires_at);

CREATE TABLE authorization_codes (
      hash TEXT PRIMARY KEY, extension_id TEXT NOT NULL REFERENCES extensions (id), person_id INTEGER NOT NULL REFERENCES people (id), redirect_uri TEXT NOT NULL, code_challenge TEXT NOT NULL,
      scopes TEXT NOT NULL, link_expires_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER, link_id TEXT REFERENCES links (id));

CREATE TABLE consent_requests (
      id TEXT PRIMARY KEY, extension_id TEXT NOT NULL REFERENCES extensions (id), redirect_uri TEXT NOT NULL, code_challenge TEXT NOT NULL, state TEXT, scopes TEXT NOT NULL, browser_hash TEXT NOT NULL,
      session_id TEXT, person_id INTEGER REFERENCES people (id), created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, decided_at INTEGER);

CREATE INDEX consent_requests_by_end ON consent_requests (expires_at);

INSERT INTO schema_migrations (id) VALUES ('0160-oauth');

CREATE TABLE passkeys (
      id TEXT PRIMARY KEY, person_id INTEGER NOT NULL REFERENCES people (id), credential_id TEXT NOT NULL UNIQUE, public_key BLOB NOT NULL, counter INTEGER NOT NULL,
      transports TEXT NOT NULL, name TEXT NOT NULL, created_at INTEGER NOT NULL, last_used_at INTEGER);

CREATE INDEX passkeys_by_person ON passkeys (person_id, created_at);

ALTER TABLE sessions ADD COLUMN challenge TEXT;

ALTER TABLE sessions ADD COLUMN challenge_for TEXT;

ALTER TABLE sessions ADD COLUMN challenge_until INTEGER;

INSERT INTO schema_migrations (id) VALUES ('0210-passkeys');

CREATE TABLE webhook_secrets (
      extension_id TEXT NOT NULL REFERENCES extensions (id), number INTEGER NOT NULL, sealed BLOB NOT NULL, sealed_by TEXT NOT NULL, created_at INTEGER NOT NULL,
      ends_at INTEGER, PRIMARY KEY (extension_id, number));

INSERT INTO schema_migrations (id) VALUES ('0170-webhook-secrets');

INSERT INTO audit_parties (party, sequence)
       SELECT 'extension ' || l.extension_id, e.sequence FROM audit_entries e JOIN links l ON l.id = e.actor_id WHERE e.actor_kind = 'personal_link' ON CONFLICT DO NOTHING;

INSERT INTO schema_migrations (id) VALUES ('0220-audit-of-links');

DELETE FROM installation;

DELETE FROM data_key_check;

DELETE FROM people_access;

DELETE FROM audit_head;

DELETE FROM event_head;

INSERT INTO installation (one, secret) VALUES (1, X'00017f80ff');

INSERT INTO data_key_check (one, value) VALUES (1, 'check');

INSERT INTO companies (id, name, time_zone, country, region, updated_at) VALUES (1, 'Old & Söhne', 'Europe/Berlin', 'DE', 'DE-HH', 1790834400000);

INSERT INTO companies (id, name, time_zone, country, region, active, updated_at) VALUES (2, 'O''Neil', 'Europe/Vienna', 'AT', NULL, 0, 1790834400000);

INSERT INTO departments (id, company_id, name) VALUES (1, 1, 'Office');

INSERT INTO people (company_id, language, updated_at, employment_start, id, first_name, last_name, role, department_id, changed) VALUES (1, 'de', 1790834400000, '2026-10-01', 1, 'Ada', 'Old', 'employee', 1, 1);

INSERT INTO people (company_id, language, updated_at, employment_start, id, first_name, last_name, role, department_id, changed) VALUES (1, 'de', 1790834400000, '2026-10-01', 2, 'Ben', 'Old', 'approver', 1, 2);

INSERT INTO people (company_id, language, updated_at, employment_start, id, first_name, last_name, role, email, changed) VALUES (1, 'de', 1790834400000, '2026-10-01', 3, 'Cleo', 'Old', 'company_admin', 'c@old.example', 3);

INSERT INTO people (company_id, language, updated_at, employment_start, id, first_name, last_name, role, personnel_number, changed) VALUES (1, 'de', 1790834400000, '2026-10-01', 4, 'Dana', 'Old', 'super_admin', 'P4', 4);

INSERT INTO role_grants (person_id, role, company_id, department_id) VALUES (2, 'approver', 1, 1);

INSERT INTO role_grants (person_id, role, company_id, department_id) VALUES (3, 'company_admin', 1, NULL);

INSERT INTO role_grants (person_id, role, company_id, department_id) VALUES (4, 'super_admin', NULL, NULL);

INSERT INTO extensions (id, name, company_id, mode, acting, scopes, is_leading, linkable, redirect_uris, link_days, client_id, webhook_url, created_at, updated_at) VALUES ('ext_planner', 'Planner', 1, 'api', 'everyone', '["clock.write"]', 1, 1, '["https://planner.example/back"]', 90, 'planner', 'https://planner.example/hook', 1790834400000, 1790834400000);

INSERT INTO api_keys (id, extension_id, lookup, hash, created_at) VALUES ('key_1', 'ext_planner', 'abcdef', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 1790834400000);

INSERT INTO people_access (one, people_writes, personal_links, terminals, changed_at, changed_by) VALUES (1, 1, 1, 0, 1790834400000, 4);

INSERT INTO webhook_secrets (extension_id, number, sealed, sealed_by, created_at) VALUES ('ext_planner', 1, X'010203', 'installation', 1790834400000);

INSERT INTO audit_entries (sequence, at, company_id, actor_kind, actor_id, action, subject, details, hash) VALUES (1, 1790834400000, 1, 'person', '4', 'person.added', 'person 1', '{"department":1}', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb');

INSERT INTO audit_entries (sequence, at, company_id, actor_kind, actor_id, action, subject, details, hash) VALUES (2, 1790834400001, 1, 'personal_link', 'link_1', 'clock.in', 'entry 1', '{"person":1,"extension":"ext_planner"}', 'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc');

INSERT INTO audit_parties (party, sequence) VALUES ('person 4', 1);

INSERT INTO audit_parties (party, sequence) VALUES ('person 1', 1);

INSERT INTO audit_parties (party, sequence) VALUES ('person 1', 2);

INSERT INTO audit_parties (party, sequence) VALUES ('extension ext_planner', 2);

INSERT INTO audit_head (one, sequence, hash) VALUES (1, 2, 'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc');

INSERT INTO event_head (one, sequence) VALUES (1, 9);

INSERT INTO events (sequence, id, type, at, company_id, person_id, payload) VALUES (9, 'evt_000000000009', 'clock.in', 1790834400000, 1, 1, '{"a":"ü"}');

INSERT INTO idempotency_keys (caller, key, fingerprint, answer, at) VALUES ('ext_planner', 'k-1', 'f', '{"status":200}', 1790834400000);

INSERT INTO idempotency_keys (caller, key, fingerprint, answer, at) VALUES ('ext_planner', 'k-2', 'g', NULL, 1790834400000);

INSERT INTO closed_months (company_id, month, closed_at, closed_by, settled) VALUES (1, '2026-09', 1790834400000, 3, 1);

INSERT INTO month_steps (id, company_id, month, step, at, person_id) VALUES (1, 1, '2026-09', 'closed', 1790834400000, 3);

INSERT INTO month_balances (company_id, month, person_id, target_minutes, worked_minutes, difference_minutes, absence_half_days, findings) VALUES (1, '2026-09', 1, 9600, 9480, -120, 2, 0);

INSERT INTO schedules (id, company_id, person_id, valid_from, week) VALUES (1, 1, NULL, '2026-01-01', '[480,480,480,480,480,0,0]');

INSERT INTO schedules (id, company_id, person_id, valid_from, week) VALUES (2, 1, 1, '2026-10-01', '[240,240,240,240,240,0,0]');

INSERT INTO time_entries (company_id, person_id, source_kind, source_id, source_name, created_at, updated_at, id, date, start_at, end_at, breaks, status, changed, break_rules) VALUES (1, 1, 'extension', 'ext_planner', 'Planner', 1790834400000, 1790834400000, 1, '2026-10-01', 1790834400000, 1790863200000, '[[1790848800000,1790852400000]]', 'recorded', 5, 'DE');

INSERT INTO time_entries (company_id, person_id, source_kind, source_id, source_name, created_at, updated_at, id, date, start_at, breaks, status, changed) VALUES (1, 1, 'extension', 'ext_planner', 'Planner', 1790834400000, 1790834400000, 2, '2026-10-02', 1790920800000, '[]', 'open', 6);

INSERT INTO clock_states (person_id, company_id, state, since, source_kind, updated_at) VALUES (1, 1, 'in', 1790920800000, 'extension', 1790834400000);

INSERT INTO clock_states (person_id, company_id, state, updated_at) VALUES (2, 1, 'out', 1790834400000);

INSERT INTO corrections (id, company_id, person_id, entry_id, remove, start_at, end_at, breaks, reason, status, requested_by, requested_at) VALUES (1, 1, 1, 1, 0, 1790834400000, 1790859600000, '[]', 'went earlier', 'waiting', 1, 1790834400000);

INSERT INTO entry_versions (entry_id, version, person_id, at, change, date, start_at, end_at, breaks, status) VALUES (1, 1, 1, 1790834400000, 'recorded', '2026-10-01', 1790834400000, 1790863200000, '[]', 'recorded');

INSERT INTO approvals (id, company_id, person_id, kind, subject_id, from_date, to_date, status, requested_at) VALUES (1, 1, 1, 'correction', 1, '2026-10-01', '2026-10-01', 'waiting', 1790834400000);

INSERT INTO absence_types (company_id, key, label_de, label_en, half_day, requires_approval, counts_as_vacation, overlap_class, target, active) VALUES (1, 'vacation', 'Urlaub', 'Vacation', 1, 1, 1, 'away', 'credited', 1);

INSERT INTO absence_ledgers (person_id) VALUES (1);

INSERT INTO absences (id, company_id, person_id, type, start_date, end_date, half_days, comment, status, extension_id, external_id, author_kind, author_name, created_at, updated_at, changed) VALUES (1, 1, 1, 'vacation', '2026-12-21', '2026-12-23', 6, 'Ski', 'approved', 'ext_planner', 'P-1', 'extension', 'Planner', 1790834400000, 1790834400000, 7);

INSERT INTO vacation_entitlements (person_id, year, half_days, carried_half_days, carried_until) VALUES (1, 2026, 60, 4, '2026-03-31');

INSERT INTO vacation_policies (company_id, half_days, carry_until) VALUES (1, 56, '03-31');

INSERT INTO company_card_keys (company_id, version, sealed, created_at) VALUES (1, 1, X'090807', 1790834400000);

INSERT INTO badges (id, company_id, person_id, uid_hash, state, family, aid, key_number, key_version, created_at, issued_at) VALUES ('bdg_1', 1, 1, 'dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd', 'active', 'desfire', 'f04550', 1, 1, 1790834400000, 1790834400000);

INSERT INTO pins (person_id, hash, updated_at) VALUES (1, '$argon2id$pin', 1790834400000);

INSERT INTO terminals (id, company_id, name, location, public_key, fingerprint, device, confirmed_at, show_info, info_without_pin, badge_and_pin, created_at) VALUES ('ter_1', 1, 'Entrance', 'Ground floor', X'0008101820283038404850586068707880889098a0a8b0b8c0c8d0d8e0e8f0f8', 'ab:cd', 'reader', 1790834400000, 1, 0, 1, 1790834400000);

INSERT INTO terminal_departments (terminal_id, department_id) VALUES ('ter_1', 1);

INSERT INTO pairing_codes (terminal_id, hash, expires_at, wrong_tries) VALUES ('ter_1', 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', 1793426400000, 2);

INSERT INTO terminal_nonces (terminal_id, nonce, at) VALUES ('ter_1', 'n-1', 1790834400000);

INSERT INTO issuing_windows (terminal_id, person_id, expires_at) VALUES ('ter_1', 1, 1793426400000);

INSERT INTO card_sessions (id, terminal_id, company_id, purpose, badge_id, person_id, state, sealed, steps, created_at, last_at) VALUES ('crd_1', 'ter_1', 1, 'stamp', 'bdg_1', 1, 'talking', X'040506', 2, 1790834400000, 1790834400001);

INSERT INTO removals (kind, id, company_id, person_id, removed_at, changed) VALUES ('absence', 99, 1, 1, 1790834400000, 8);

INSERT INTO credentials (person_id, password_hash, password_changed_at, last_sign_in_at, totp_sealed, totp_sealed_by, totp_enrolled_at, totp_step) VALUES (4, '$argon2id$password', 1790834400000, 1790834400000, X'030201', 'data_key', 1790834400000, 59694480);

INSERT INTO recovery_codes (person_id, hash, hashed_by, used_at) VALUES (4, 'ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff', 'data_key', NULL);

INSERT INTO sessions (id, token_hash, person_id, stage, created_at, last_seen_at, second_factor_at, device, address, challenge, challenge_for, challenge_until) VALUES ('ses_1', '0000000000000000000000000000000000000000000000000000000000000000', 4, 'complete', 1790834400000, 1790834400000, 1790834400000, 'Firefox', '192.0.2.7', 'c', 'passkey', 1793426400000);

INSERT INTO one_time_links (hash, kind, person_id, created_at, expires_at) VALUES ('1111111111111111111111111111111111111111111111111111111111111111', 'invitation', 2, 1790834400000, 1793426400000);

INSERT INTO passkeys (id, person_id, credential_id, public_key, counter, transports, name, created_at) VALUES ('pas_1', 4, 'Y3JlZA', X'a50102', 3, '["usb"]', 'Key ring', 1790834400000);

INSERT INTO links (id, extension_id, person_id, company_id, scopes, refresh_hash, created_at, expires_at) VALUES ('link_1', 'ext_planner', 1, 1, '["clock.write"]', '2222222222222222222222222222222222222222222222222222222222222222', 1790834400000, 1793426400000);

INSERT INTO used_refresh_tokens (hash, link_id) VALUES ('3333333333333333333333333333333333333333333333333333333333333333', 'link_1');

INSERT INTO access_tokens (hash, link_id, scopes, expires_at) VALUES ('4444444444444444444444444444444444444444444444444444444444444444', 'link_1', '["clock.write"]', 1790838000000);

INSERT INTO authorization_codes (hash, extension_id, person_id, redirect_uri, code_challenge, scopes, link_expires_at, expires_at, used_at, link_id) VALUES ('5555555555555555555555555555555555555555555555555555555555555555', 'ext_planner', 1, 'https://planner.example/back', 'c', '["clock.write"]', 1793426400000, 1790834460000, 1790834400000, 'link_1');

INSERT INTO consent_requests (id, extension_id, redirect_uri, code_challenge, state, scopes, browser_hash, session_id, person_id, created_at, expires_at, decided_at) VALUES ('con_1', 'ext_planner', 'https://planner.example/back', 'c', 's', '["clock.write"]', '6666666666666666666666666666666666666666666666666666666666666666', 'ses_1', 1, 1790834400000, 1793426400000, 1790834400000);

