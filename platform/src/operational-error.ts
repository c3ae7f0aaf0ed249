/** Tells operational errors, which an operator can fix, from programming errors. */
import { DatabaseUnavailable } from './database/database.js';
import { SchemaUnknown } from './database/migrate.js';
import { CannotOpen } from './database/open.js';
import { DatabaseInUse } from './database/sqlite-owner.js';
import { fileFault } from './file-fault.js';
import { CannotListen } from './http/server.js';

/**
 * @returns one sentence that names the setting or file at fault; undefined for a programming error, which
 * needs the stack
 */
export function operationalError(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error instanceof CannotListen) return `LISTEN_ADDR: ${error.message}`;
  if ([SchemaUnknown, CannotOpen, DatabaseInUse].some((fault) => error instanceof fault))
    return `DB_DSN: ${error.message}`;
  if (error instanceof DatabaseUnavailable && error.reason === 'damaged')
    return `DB_DSN: ${damagedFile(messageOf(error.cause as Error))}`;
  if (error instanceof DatabaseUnavailable)
    return `DB_DSN: ${[error, error.cause]
      .filter((cause) => cause instanceof Error)
      .map(messageOf)
      .join(': ')}`;
  // A file or address given on the command line: if there is no sentence, Node's message names both.
  return fileFault(error) ?? (typeof (error as NodeJS.ErrnoException).syscall === 'string' ? error.message : undefined);
}

/** Names the step that saves most: a backup lacks the later writes. @param damage a word of SQLite's */
export function damagedFile(damage: string): string {
  return `the file is damaged (${damage}); stop the service, first copy the file with its -wal, then follow "A damaged file" in docs/operations/backup.md`;
}

/** If several addresses were tried, Node's error has no message of its own. */
function messageOf(error: Error): string {
  return error.message !== ''
    ? error.message
    : error instanceof AggregateError
      ? (error.errors as Error[]).map((attempt) => attempt.message).join(', ')
      : error.name;
}
