/** `doctor`: checks all settings of an operator, and reports the faults in sentences. It changes nothing. */
import { constants, existsSync } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { examine, type Report } from '@clockproof/platform/cli/examination';
import type { Database } from '@clockproof/platform/database/database';
import { listPending } from '@clockproof/platform/database/migrate';
import { openExistingDatabase } from '@clockproof/platform/database/open';
import { describeServer } from '@clockproof/platform/database/server';
import { findDamage } from '@clockproof/platform/database/sqlite-check';
import { fileFault } from '@clockproof/platform/file-fault';
import { damagedFile, operationalError } from '@clockproof/platform/operational-error';
import { formatInstant, type Instant, minute, second } from '@clockproof/platform/time/instant';
import { readConfig, type ServiceConfig } from '../config.js';
import { readHead } from '../store/audit/rows.js';
import { migrations } from '../store/migrations/migrations.js';
import { readDataKey, WrongDataKey } from '../store/sealing/data-keys.js';
import { describeSetBacks, isSetBack, positionNoteOf, setBackSentence } from '../store/set-back.js';
import { version } from '../version.js';
import { maxCheck } from './file-check.js';
import { findNewestEntry } from './rows.js';

export interface DoctorNeeds {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly print: (line: string) => void;
  readonly clock: () => Instant;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Asks the public address for its health. */
  readonly fetch: (url: string) => Promise<{ readonly status: number }>;
  /** Free bytes and all bytes on the disk of a file. */
  readonly diskOf?: (folder: string) => Promise<{ readonly free: number; readonly total: number }>;
}

/** @returns 0 nothing is wrong (notes aside), 1 something is, 78 the configuration is */
export function doctor(needs: DoctorNeeds): Promise<number> {
  const { env, print } = needs;
  return examine(
    print,
    () => readConfig(env),
    async (config, report) => {
      report('ok', 'configuration', `every setting is valid; Clockproof ${version} on Node ${process.versions.node}`);
      await checkDatabase(config, needs, report);
      await checkFile(config, report);
      await checkDisk(config, needs, report);
      checkAddress(config, report);
      await checkReach(config, needs, report);
      checkMail(config, report);
      checkEgress(config, report);
    },
  );
}

async function checkDatabase(config: ServiceConfig, needs: DoctorNeeds, report: Report): Promise<void> {
  let db: Database;
  try {
    db = await openExistingDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN, poolSize: 1 });
  } catch (error) {
    return report('FAIL', 'database', operationalError(error) ?? String(error));
  }
  try {
    await checkServer(db, config.DB_POOL_SIZE, needs.clock(), report);
    const pendingIds = await listPending(db, migrations);
    if (pendingIds.length === migrations.length)
      return report('note', 'migrations', 'the database is empty; the first start fills it');
    if (pendingIds.length > 0)
      return report(
        'note',
        'migrations',
        `${pendingIds.length} wait for the next start, or for clockproof migrate: ${pendingIds.join(', ')}`,
      );
    report('ok', 'migrations', 'none pending');
    await checkDataKey(config, db, needs, report);
    await checkLog(db, needs.clock(), report);
    await checkHistory(config, db, report);
  } catch (error) {
    report('FAIL', 'database', operationalError(error) ?? String(error));
  } finally {
    await db.close();
  }
}

/** The oldest major version that is supported. */
export const oldestPostgres = 14;

async function checkServer(db: Database, poolSize: number, now: Instant, report: Report): Promise<void> {
  const { version: server, postgres } = await describeServer(db);
  if (postgres === undefined) {
    report('ok', 'database', `SQLite ${server}, for one process; PostgreSQL serves several`);
    return;
  }
  const isOld = postgres.number < oldestPostgres * 10_000;
  report(
    isOld ? 'FAIL' : 'ok',
    'database',
    `PostgreSQL ${server}${isOld ? ` is not supported; use ${oldestPostgres} or later` : ''}`,
  );
  report(
    postgres.left < 15 ? 'note' : 'ok',
    'connections',
    `${postgres.left} more are possible; each process takes up to DB_POOL_SIZE and two`,
  );
  if (postgres.limit >= 0 && postgres.limit < poolSize + 2)
    report(
      'FAIL',
      'connections',
      `the role may have ${postgres.limit}, and a process takes up to ${poolSize + 2}: ALTER ROLE … CONNECTION LIMIT -1, or a smaller DB_POOL_SIZE`,
    );
  if (postgres.prepared !== null)
    report(
      'FAIL',
      'prepared transactions',
      `${postgres.prepared}: they delay every feed and the sealing of the audit log; end each with ROLLBACK PREPARED 'name'`,
    );
  const difference = Math.abs(postgres.now - now);
  if (difference > 2 * second)
    report(
      'FAIL',
      'clock',
      `this machine and the database are ${Math.round(difference / second)} seconds apart; synchronise both, for example with chrony`,
    );
  else report('ok', 'clock', `this machine and the database agree, ${formatInstant(now)}`);
}

async function checkDataKey(
  config: ServiceConfig,
  db: Database,
  { randomBytes }: DoctorNeeds,
  report: Report,
): Promise<void> {
  try {
    const dataKey = await readDataKey(db, config.DATA_KEY, randomBytes);
    if (dataKey !== undefined) report('ok', 'DATA_KEY', 'it is the key of this database');
    else if (config.DATA_KEY === undefined)
      report('note', 'DATA_KEY', 'not set: there can be no badges, and the audit log is not signed');
    else report('ok', 'DATA_KEY', 'the next start uses it for this database; keep a copy somewhere else');
  } catch (error) {
    if (!(error instanceof WrongDataKey)) throw error;
    report('FAIL', 'DATA_KEY', error.message);
  }
}

async function checkFile({ DB_DRIVER: driver, DB_DSN: dsn }: ServiceConfig, report: Report): Promise<void> {
  if (driver !== 'sqlite' || !existsSync(dsn)) return;
  try {
    const damage = await findDamage({ driver, dsn }, maxCheck);
    if (damage === undefined) report('note', 'file', 'the check for damaged pages was not finished in ten minutes');
    else if (damage.length === 0) report('ok', 'file', 'no page is damaged');
    else report('FAIL', 'file', damagedFile(damage.join('; ')));
  } catch (error) {
    report('FAIL', 'file', operationalError(error) ?? String(error));
  }
}

/** A clock that went back shows in the log, whose newest entry then lies ahead. */
async function checkLog(db: Database, now: Instant, report: Report): Promise<void> {
  const { size } = await readHead(db);
  const newestAt = (await findNewestEntry(db))?.at;
  if (newestAt === undefined) return report('ok', 'audit log', 'empty');
  if (newestAt > now + minute)
    return report(
      'FAIL',
      'clock',
      `the newest entry of the audit log is from ${formatInstant(newestAt)}, in the future: the clock of this machine is or was wrong`,
    );
  report(
    'ok',
    'audit log',
    `${size} entries are sealed, the newest entry is from ${formatInstant(newestAt)}; audit verify checks them`,
  );
}

/** For SQLite. On PostgreSQL the server's timeline shows a set-back (`store/position.ts`). */
async function checkHistory(
  { DB_DRIVER: driver, DB_DSN: dsn }: ServiceConfig,
  db: Database,
  report: Report,
): Promise<void> {
  if (await isSetBack(db, positionNoteOf({ driver, dsn }))) return report('FAIL', 'history', setBackSentence);
  for (const setBack of await describeSetBacks(db)) report('note', 'history', setBack);
}

async function checkDisk(config: ServiceConfig, { diskOf = freeBytes }: DoctorNeeds, report: Report): Promise<void> {
  if (config.DB_DRIVER !== 'sqlite') return;
  const folder = dirname(resolve(config.DB_DSN));
  try {
    await access(folder, constants.W_OK);
    const { free, total } = await diskOf(folder);
    const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
    const size = await stat(config.DB_DSN).then(
      (file) => file.size,
      () => 0,
    );
    const isFull = free < 100 * 2 ** 20;
    const isShort = free < Math.max(2 ** 30, size);
    report(
      isFull ? 'FAIL' : isShort ? 'note' : 'ok',
      'disk',
      `${gib(free)} of ${gib(total)} are free at ${folder}${isFull ? '; make room: changes are refused until there is some, and nothing that was acknowledged is lost' : isShort ? '; a backup on the same disk needs as much as the database' : ''}`,
    );
    const file = await stat(config.DB_DSN).catch(() => undefined);
    if (file !== undefined && (file.mode & 0o077) !== 0)
      report(
        'note',
        'disk',
        `other users of this machine can read ${config.DB_DSN}; chmod 600 keeps it to the service`,
      );
  } catch (error) {
    report('FAIL', 'disk', fileFault(error) ?? `${folder}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function freeBytes(folder: string): Promise<{ free: number; total: number }> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

const localNames = new Set(['localhost', '127.0.0.1', '[::1]']);

function checkAddress({ BASE_URL, TRUSTED_PROXIES, LISTEN_ADDR, METRICS_ADDR }: ServiceConfig, report: Report): void {
  const { protocol, hostname } = new URL(BASE_URL);
  const isLocal = localNames.has(hostname);
  if (protocol === 'http:' && !isLocal)
    report(
      'FAIL',
      'BASE_URL',
      `${BASE_URL} is not https: passwords and badges would cross the network in the clear, and passkeys do not work`,
    );
  else if (isLocal) report('note', 'BASE_URL', `${BASE_URL} can be opened on this machine only`);
  else report('ok', 'BASE_URL', BASE_URL);
  const isLoopback = (host: string) => ['127.0.0.1', '::1', 'localhost'].includes(host);
  if (protocol === 'https:' && TRUSTED_PROXIES.length === 0 && !isLoopback(LISTEN_ADDR.host))
    report('note', 'TRUSTED_PROXIES', 'none: behind a proxy on another machine, all clients share one limit');
  if (METRICS_ADDR !== undefined && !isLoopback(METRICS_ADDR.host))
    report('note', 'METRICS_ADDR', 'metrics can be read from other machines; keep the port behind the firewall');
}

async function checkReach({ BASE_URL }: ServiceConfig, { fetch }: DoctorNeeds, report: Report): Promise<void> {
  try {
    const { status } = await fetch(`${BASE_URL}/healthz`);
    if (status === 200) report('ok', 'reach', `${BASE_URL} answers from here`);
    else report('note', 'reach', `${BASE_URL}/healthz answers with ${status}; if the service runs, look at the proxy`);
  } catch (error) {
    const cause = (error as { cause?: { code?: string; message?: string } }).cause;
    const reason = cause?.code ?? cause?.message ?? String(error);
    if (/CERT|SSL|TLS|SIGNED|ALTNAME/i.test(reason))
      report('FAIL', 'reach', `the certificate of ${BASE_URL} is refused: ${reason}`);
    else
      report(
        'note',
        'reach',
        `${BASE_URL} does not answer from here (${reason}); as expected if the service does not run`,
      );
  }
}

function checkMail({ SMTP_URL, MAIL_FROM }: ServiceConfig, report: Report): void {
  if (SMTP_URL === undefined || MAIL_FROM === undefined)
    report('note', 'mail', 'off: SMTP_URL and MAIL_FROM turn it on; until then admins pass links on themselves');
  else report('ok', 'mail', `from ${MAIL_FROM}`);
}

function checkEgress({ EXTENSIONS_ENABLED, WEBHOOK_ALLOW_PRIVATE_TARGETS }: ServiceConfig, report: Report): void {
  if (!EXTENSIONS_ENABLED) report('ok', 'webhooks', 'off with EXTENSIONS_ENABLED=false: the service sends no requests');
  else if (WEBHOOK_ALLOW_PRIVATE_TARGETS)
    report(
      'note',
      'webhooks',
      'WEBHOOK_ALLOW_PRIVATE_TARGETS=true: people who administer extensions can send requests into your own network',
    );
  else report('ok', 'webhooks', 'go to public https addresses only');
}
