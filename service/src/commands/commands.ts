/** Runs the commands of the service's operator. Exit codes as in `main.ts`. */
import { randomBytes } from 'node:crypto';
import { configurationExitCode } from '@clockproof/platform/config/config';
import { listPending } from '@clockproof/platform/database/migrate';
import { type DatabaseSettings, openDatabase, openExistingDatabase } from '@clockproof/platform/database/open';
import { operationalError } from '@clockproof/platform/operational-error';
import type { Instant } from '@clockproof/platform/time/instant';
import type { ServiceConfig } from '../config.js';
import { installationSecret } from '../store/installation.js';
import { migrations } from '../store/migrations/migrations.js';
import { Refusal } from '../store/refusal.js';
import { signWith } from '../store/sealing/data-key.js';
import { readDataKey, WrongDataKey } from '../store/sealing/data-keys.js';
import { createSealingKeys, type SealingKeys } from '../store/sealing/sealing-keys.js';
import { createStore, type Write } from '../store/write.js';
import { AdminFault, inviteSuperAdmin, resetPerson } from './admin.js';
import { BackupFault } from './backup-file.js';
import type { CommandLine } from './command-line.js';
import { backUp, move, restore } from './restore.js';

type Run = Extract<CommandLine, { kind: 'run' }>;

const operatorCommands = ['migrate', 'backup', 'restore', 'move', 'admin invite', 'admin reset'] as const;
export type OperatorCommand = (typeof operatorCommands)[number];

export const isOperatorCommand = (name: Run['name']): name is OperatorCommand =>
  (operatorCommands as readonly string[]).includes(name);

/** @returns the exit code: 0 done, 1 not done, 78 a setting is in the way */
export async function runOperatorCommand(
  name: OperatorCommand,
  { words, options }: Run,
  config: ServiceConfig,
  at: Instant,
): Promise<number> {
  try {
    console.log(await start(name, { words, options }, config, at));
    return 0;
  } catch (error) {
    const isExpected = error instanceof BackupFault || error instanceof AdminFault || error instanceof WrongDataKey;
    const fault = isExpected
      ? error.message
      : error instanceof Refusal
        ? `${name}: ${error.code}`
        : operationalError(error);
    if (fault === undefined) throw error;
    console.error(fault);
    return error instanceof WrongDataKey ? configurationExitCode : 1;
  }
}

function start(
  name: OperatorCommand,
  { words, options }: Pick<Run, 'words' | 'options'>,
  config: ServiceConfig,
  at: Instant,
): Promise<string> {
  const settings: DatabaseSettings = { driver: config.DB_DRIVER, dsn: config.DB_DSN };
  const passphrase = config.BACKUP_PASSPHRASE;
  const dataKey = config.DATA_KEY;
  const text = (option: string) => options[option] as string | undefined;
  const baseUrl = config.BASE_URL;
  switch (name) {
    case 'migrate':
      return migrate(settings, options['dry-run'] === true);
    case 'backup':
      return backUp(settings, words[0]!, { passphrase, randomBytes, at });
    case 'restore':
      return restore(settings, words[0]!, { passphrase, dataKey });
    case 'move':
      return move(settings, text('to')!, { dataKey, at });
    case 'admin invite':
      return administer(config, at, (write, keys) =>
        inviteSuperAdmin(
          write,
          {
            email: words[0]!.toLowerCase(),
            name: splitName(text('name')),
            companyId: text('company') === undefined ? undefined : Number(text('company')),
          },
          { baseUrl, randomBytes, keys },
        ),
      );
    case 'admin reset':
      return administer(config, at, (write, keys) =>
        resetPerson(write, words[0]!.toLowerCase(), { baseUrl, randomBytes, keys }),
      );
  }
}

/** The last word is the last name. */
function splitName(name: string | undefined): readonly [string, string] | undefined {
  const words = name?.trim().split(/\s+/) ?? [];
  return words.length < 2 ? undefined : [words.slice(0, -1).join(' '), words.at(-1)!];
}

/** Each migration in a transaction of its own; if the process dies, the next one goes on from there. */
async function migrate(settings: DatabaseSettings, dryRun: boolean): Promise<string> {
  const db = await (dryRun ? openExistingDatabase(settings) : openDatabase({ ...settings, exclusive: true }));
  try {
    const pendingIds = await listPending(db, migrations);
    if (pendingIds.length === 0) return 'the database has this version; there is nothing to do';
    if (dryRun) return ['would apply, in this order:', ...pendingIds.map((id) => `  ${id}`)].join('\n');
    await db.migrate(migrations);
    return ['applied:', ...pendingIds.map((id) => `  ${id}`)].join('\n');
  } finally {
    await db.close();
  }
}

async function administer(
  config: ServiceConfig,
  at: Instant,
  effect: (write: Write, keys: SealingKeys) => Promise<string>,
): Promise<string> {
  const db = await openExistingDatabase({ driver: config.DB_DRIVER, dsn: config.DB_DSN, exclusive: true });
  try {
    const pendingIds = await listPending(db, migrations);
    if (pendingIds.length > 0)
      throw new AdminFault('the database has not been migrated to this version; run clockproof migrate');
    const dataKey = await readDataKey(db, config.DATA_KEY, randomBytes);
    const store = createStore(db, { sign: dataKey && signWith(dataKey), randomBytes });
    const keys = createSealingKeys(dataKey, await installationSecret(store, randomBytes), randomBytes);
    return await store.write({ actor: { kind: 'system', name: 'Command line' }, at }, (write) => effect(write, keys));
  } finally {
    await db.close();
  }
}
