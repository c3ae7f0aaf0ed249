/**
 * The stop of a process: it lets running work finish, and ends within its deadline even if that work never finishes.
 */
import type { Database } from './database/database.js';
import { exit } from './deadlines.js';
import { endLogs, type Log } from './log.js';

export interface Closing {
  /** Lets running work finish. */
  close(): Promise<void>;
  /** Names of the work for which {@link close} waits, or which it gave up. */
  readonly unfinished: ReadonlySet<string>;
}

/** The members of `process` used here. */
interface Process {
  on(signal: 'SIGTERM' | 'SIGINT', listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * Exit code 0 means that everything was finished, 1 that work was cut off; the log names it. A second signal ends the
 * process at once. Committed data stays in any case.
 */
export function endOnSignal(service: Closing, log: Log, target: Process = process, withinMs = exit): void {
  let deadline: NodeJS.Timeout | undefined;
  const leave = (code: number) => {
    clearTimeout(deadline);
    void endLogs().then(() => target.exit(code));
  };
  const end = () => {
    const openWork = [...service.unfinished];
    if (openWork.length > 0) log.error({ cut: openWork }, 'stopped before everything was finished');
    leave(openWork.length > 0 ? 1 : 0);
  };
  const stop = (signal: string) => {
    if (deadline !== undefined) return leave(1);
    deadline = setTimeout(end, withinMs);
    log.info({ signal }, 'stopping');
    service.close().then(end, (error: unknown) => {
      log.error({ err: error }, 'the stop failed');
      leave(1);
    });
  };
  target.on('SIGTERM', () => stop('SIGTERM'));
  target.on('SIGINT', () => stop('SIGINT'));
}

/**
 * Ends the process with exit code 1 if the files of its SQLite database were moved, replaced or removed: writes
 * acknowledged from then on would be lost. It closes nothing, so that the `-wal` file stays as it is.
 * @param everyMs the time between two looks; below a second by default
 */
export function endOnLoss(db: Pick<Database, 'findLoss'>, log: Log, target: Process = process, everyMs = 500): void {
  const timer = setInterval(async () => {
    const loss = await db.findLoss?.();
    if (loss === undefined) return;
    clearInterval(timer);
    log.fatal(`DB_DSN: ${loss}`);
    void endLogs().then(() => target.exit(1));
  }, everyMs);
  timer.unref();
}

/**
 * @returns the names, and a function that waits for a step under its name: one that fails, or resolves to false, stays
 * unfinished
 */
export function createUnfinished() {
  const names = new Set<string>();
  return {
    names: names as ReadonlySet<string>,
    async finish(name: string, step: Promise<unknown> | undefined): Promise<void> {
      names.add(name);
      if ((await step) !== false) names.delete(name);
    },
  };
}
