/** Databases for tests: every feature file runs once per driver, each on an empty database of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatabaseSettings, openDatabase } from '../database/open.js';

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

export async function createTestDatabase(dialect: DialectName): Promise<TestDatabase> {
  if (dialect === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'clockproof-sqlite-'));
    return {
      settings: { driver: 'sqlite', dsn: join(folder, 'test.sqlite') },
      drop: async () => rmSync(folder, { recursive: true, force: true }),
    };
  }
  const server = process.env['TEST_POSTGRES_DSN'];
  if (server === undefined)
    throw new Error('TEST_POSTGRES_DSN is not set: run through jest, whose global set-up starts the server');
  const name = `test_${process.pid}_${++count}`;
  const onServer = async (statement: string) => {
    const admin = await openDatabase({ driver: 'postgres', dsn: server, poolSize: 1 });
    try {
      await admin.all(statement);
    } finally {
      await admin.close();
    }
  };
  await onServer(`CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    settings: { driver: 'postgres', dsn: url.href },
    drop: () => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}
