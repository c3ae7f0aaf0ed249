/**
 * Databases for tests: every feature file runs once per driver, each on a database of its own.
 *
 * A migrated database is a copy of a template, which is built once per test run and named by a digest of the
 * migrations: changed migrations never meet an old template. The common beginning of most tests can be part of it.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Database, Migration } from '../database/database.js';
import { type DatabaseSettings, openDatabase } from '../database/open.js';
import { openPostgres, postgresDialect } from '../database/postgres.js';
import { sqliteDialect } from '../database/sqlite.js';

export type DialectName = 'sqlite' | 'postgres';

/** The drivers this run is for: DIALECTS=sqlite, DIALECTS=postgres, or both. */
export const dialects: readonly DialectName[] = (process.env['DIALECTS'] ?? 'sqlite,postgres')
  .split(',')
  .map((name) => {
    if (name !== 'sqlite' && name !== 'postgres') throw new Error(`DIALECTS: ${name} is neither sqlite nor postgres`);
    return name;
  });

/** One of them, for tests of decisions before anything reaches a database. */
export const oneDialect: readonly DialectName[] = dialects.slice(0, 1);

export interface TestDatabase {
  readonly settings: DatabaseSettings;
  /** The result of {@link Contents.fill}. */
  readonly contents: unknown;
  /** Removes the database. Close every connection first. */
  drop(): Promise<void>;
}

/** Rows that a template holds beside the schema. The first test that needs them writes them once per test run. */
export interface Contents {
  /** A name among the contents for the same migrations. */
  readonly name: string;
  /** Closes what it opens. @returns the facts that a test needs about the rows; JSON */
  fill(settings: DatabaseSettings): Promise<unknown>;
}

/** @param migrations the schema at the beginning; without them the database is empty. */
export function createTestDatabase(
  dialect: DialectName,
  migrations: readonly Migration[] = [],
  contents?: Contents,
): Promise<TestDatabase> {
  return dialect === 'sqlite' ? createOnSqlite(migrations, contents) : createOnPostgres(migrations, contents);
}

async function createOnSqlite(migrations: readonly Migration[], contents?: Contents): Promise<TestDatabase> {
  const folder = mkdtempSync(join(testFolder(), 'clockproof-sqlite-'));
  const dsn = join(folder, 'test.sqlite');
  const template = migrations.length > 0 ? await sqliteTemplate(migrations, contents) : undefined;
  if (template !== undefined) copyFileSync(join(template, 'test.sqlite'), dsn);
  return {
    settings: { driver: 'sqlite', dsn },
    contents: template === undefined ? undefined : readContents(join(template, 'contents.json')),
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function createOnPostgres(migrations: readonly Migration[], contents?: Contents): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const template = migrations.length > 0 ? await postgresTemplate(migrations, contents) : 'template0';
  // One connection for both: opening one costs as much as copying the files, which is the quicker way to copy.
  const server = await openServer();
  await server.all(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
  return {
    settings: { driver: 'postgres', dsn: dsnOf(name) },
    contents: readContents(contentsOf(template)),
    async drop() {
      await untilLeft(server, name);
      await server.all(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      await server.close();
    },
  };
}

/**
 * Closed connections take some milliseconds to end. DROP DATABASE looks for them ten times a second only; connections
 * that stay are ended by it.
 */
async function untilLeft(server: Database, name: string): Promise<void> {
  for (let looks = 0; looks < 25; looks++) {
    const [{ left } = { left: 0 }] = await server.all<{ left: number }>(
      'SELECT CAST(count(*) AS integer) AS left FROM pg_stat_activity WHERE datname = :name',
      { name },
    );
    if (left === 0) return;
    await server.all('SELECT pg_sleep(0.002)');
  }
}

/** The run's own folder, which its end removes; outside of a test run every database has a folder of its own. */
const testFolder = () => process.env['TEST_FOLDER'] ?? tmpdir();

const contentsOf = (template: string) => join(testFolder(), `${template}.${new URL(serverDsn()).port}.json`);
const readContents = (file: string): unknown =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : undefined;

/** Two workers may build it at once: the first to rename its folder has built the one that all use. */
async function sqliteTemplate(migrations: readonly Migration[], contents?: Contents): Promise<string> {
  const folder = join(testFolder(), `${templateName(migrations, 'sqlite', contents)}.sqlite`);
  if (existsSync(folder)) return folder;
  const temporaryFolder = `${folder}.${randomUUID()}`;
  mkdirSync(temporaryFolder);
  await build(
    { driver: 'sqlite', dsn: join(temporaryFolder, 'test.sqlite') },
    join(temporaryFolder, 'contents.json'),
    migrations,
    contents,
  );
  try {
    renameSync(temporaryFolder, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(temporaryFolder, { recursive: true });
  }
  return folder;
}

const templates = new Set<string>();

/** Two databases may want it at once: the second waits at the lock, which ends with the connection. */
async function postgresTemplate(migrations: readonly Migration[], contents?: Contents): Promise<string> {
  const name = templateName(migrations, 'postgres', contents);
  if (templates.has(name)) return name;
  const server = await openServer();
  const exists = () => server.get('SELECT 1 AS one FROM pg_database WHERE datname = :name', { name });
  try {
    await server.all('SELECT pg_advisory_lock(hashtext(:name))', { name });
    if ((await exists()) === undefined) {
      const building = `${name}_${process.pid}`;
      await server.all(`CREATE DATABASE ${building}`);
      await build({ driver: 'postgres', dsn: dsnOf(building) }, contentsOf(name), migrations, contents);
      await untilLeft(server, building);
      await server.all(`ALTER DATABASE ${building} RENAME TO ${name}`);
    }
  } finally {
    await server.close();
  }
  templates.add(name);
  return name;
}

async function build(
  settings: DatabaseSettings,
  file: string,
  migrations: readonly Migration[],
  contents?: Contents,
): Promise<void> {
  await migrate(settings, migrations);
  if (contents !== undefined) writeFileSync(file, JSON.stringify(await contents.fill(settings)));
}

function templateName(migrations: readonly Migration[], name: DialectName, contents?: Contents): string {
  const dialect = name === 'sqlite' ? sqliteDialect : postgresDialect;
  const text = JSON.stringify(migrations.map(({ id, statements }) => [id, statements(dialect)]));
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  return `template_${hash}${contents === undefined ? '' : `_${contents.name}`}`;
}

async function migrate(settings: DatabaseSettings, migrations: readonly Migration[]): Promise<void> {
  const db = await openDatabase(settings);
  try {
    await db.migrate(migrations);
  } finally {
    await db.close();
  }
}

/** The worker's server: Jest counts its workers from 1. */
function serverDsn(): string {
  const addresses = process.env['TEST_POSTGRES_DSN']?.split(' ');
  if (addresses === undefined)
    throw new Error('TEST_POSTGRES_DSN is not set: run through jest, whose global set-up starts the servers');
  return addresses[Number(process.env['JEST_WORKER_ID'] ?? 1) % addresses.length]!;
}

function dsnOf(name: string): string {
  const url = new URL(serverDsn());
  url.pathname = `/${name}`;
  return url.href;
}

/**
 * One connection, so that a lock taken through it is held until it closes. On a busy machine a template takes long to
 * make: its maker, and those that wait for it, have all the time of a test.
 */
async function openServer(): Promise<Database> {
  const server = await openPostgres(serverDsn(), { poolSize: 1, answerMilliseconds: 600_000 });
  await server.all("SELECT set_config('lock_timeout', '0', false), set_config('statement_timeout', '0', false)");
  return server;
}
