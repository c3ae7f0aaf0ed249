/**
 * Databases for tests: every feature file runs once per driver, each on a database of its own.
 *
 * A migrated database is a copy of a template, which is built once per test run and named by what the migrations say:
 * changed migrations never meet an old template.
 */
import { createHash, randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Migration } from '../database/database.js';
import { type DatabaseSettings, openDatabase } from '../database/open.js';
import { postgresDialect } from '../database/postgres.js';
import { sqliteDialect } from '../database/sqlite.js';

export type DialectName = 'sqlite' | 'postgres';

/** The drivers this run is for: DIALECTS=sqlite, DIALECTS=postgres, or both. */
export const dialects: readonly DialectName[] = (process.env['DIALECTS'] ?? 'sqlite,postgres')
  .split(',')
  .map((name) => {
    if (name !== 'sqlite' && name !== 'postgres') throw new Error(`DIALECTS: ${name} is neither sqlite nor postgres`);
    return name;
  });

export interface TestDatabase {
  readonly settings: DatabaseSettings;
  /** Removes the database. Close every connection first. */
  drop(): Promise<void>;
}

let count = 0;

/** @param migrations the schema the database starts with; without them it is empty. */
export function createTestDatabase(dialect: DialectName, migrations: readonly Migration[] = []): Promise<TestDatabase> {
  return dialect === 'sqlite' ? createOnSqlite(migrations) : createOnPostgres(migrations);
}

async function createOnSqlite(migrations: readonly Migration[]): Promise<TestDatabase> {
  const folder = mkdtempSync(join(testFolder(), 'clockproof-sqlite-'));
  const dsn = join(folder, 'test.sqlite');
  if (migrations.length > 0) copyFileSync(await sqliteTemplate(migrations), dsn);
  return { settings: { driver: 'sqlite', dsn }, drop: async () => rmSync(folder, { recursive: true, force: true }) };
}

async function createOnPostgres(migrations: readonly Migration[]): Promise<TestDatabase> {
  const name = `test_${process.pid}_${++count}`;
  const template = migrations.length > 0 ? await postgresTemplate(migrations) : 'template0';
  // One connection for both: opening one costs as much as copying the files, which is the quicker way to copy.
  const server = await openServer();
  await server.all(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  return {
    settings: { driver: 'postgres', dsn: dsnOf(name) },
    async drop() {
      await server.all(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await server.close();
    },
  };
}

/** The run's own folder, which its end removes; outside of a test run every database has a folder of its own. */
const testFolder = () => process.env['TEST_FOLDER'] ?? tmpdir();

/** Two workers may build it at once: both build the same, and the rename is atomic. */
async function sqliteTemplate(migrations: readonly Migration[]): Promise<string> {
  const file = join(testFolder(), `${templateName(migrations, 'sqlite')}.sqlite`);
  if (existsSync(file)) return file;
  const built = `${file}.${randomUUID()}`;
  await migrate({ driver: 'sqlite', dsn: built }, migrations);
  renameSync(built, file);
  return file;
}

const templates = new Set<string>();

/** Two workers may want it at once: the second waits at the lock, which ends with the connection. */
async function postgresTemplate(migrations: readonly Migration[]): Promise<string> {
  const name = templateName(migrations, 'postgres');
  if (templates.has(name)) return name;
  const server = await openServer();
  const exists = () => server.get('SELECT 1 AS one FROM pg_database WHERE datname = :name', { name });
  try {
    await server.all('SELECT pg_advisory_lock(hashtext(:name))', { name });
    if ((await exists()) === undefined) {
      const building = `${name}_${process.pid}`;
      await server.all(`CREATE DATABASE ${building}`);
      await migrate({ driver: 'postgres', dsn: dsnOf(building) }, migrations);
      await server.all(`ALTER DATABASE ${building} RENAME TO ${name}`);
    }
  } finally {
    await server.close();
  }
  templates.add(name);
  return name;
}

function templateName(migrations: readonly Migration[], name: DialectName): string {
  const dialect = name === 'sqlite' ? sqliteDialect : postgresDialect;
  const text = JSON.stringify(migrations.map(({ id, statements }) => [id, statements(dialect)]));
  return `template_${createHash('sha256').update(text).digest('hex').slice(0, 16)}`;
}

async function migrate(settings: DatabaseSettings, migrations: readonly Migration[]): Promise<void> {
  const db = await openDatabase(settings);
  try {
    await db.migrate(migrations);
  } finally {
    await db.close();
  }
}

function serverDsn(): string {
  const dsn = process.env['TEST_POSTGRES_DSN'];
  if (dsn === undefined)
    throw new Error('TEST_POSTGRES_DSN is not set: run through jest, whose global set-up starts the server');
  return dsn;
}

function dsnOf(name: string): string {
  const url = new URL(serverDsn());
  url.pathname = `/${name}`;
  return url.href;
}

/** One connection, so that a lock taken through it is held until it closes. */
const openServer = () => openDatabase({ driver: 'postgres', dsn: serverDsn(), poolSize: 1 });
