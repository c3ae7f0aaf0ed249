/**
 * Appends the head of the audit log to a file outside of the database. The newest entries can be removed together with
 * the head unnoticed, unless a later head is known elsewhere.
 */
import { appendFile } from 'node:fs/promises';
import type { Log } from '@clockproof/platform/log';
import { type Instant, minute } from '@clockproof/platform/time/instant';
import type { ServiceConfig } from '../config.js';
import type { Store } from '../store/write.js';
import { headLine } from './verify.js';

export interface HeadFile {
  stop(): void;
}

/** @returns the number of entries that the newest line covers */
export async function appendHead(db: Store, file: string, at: Instant, writtenSize: number): Promise<number> {
  const line = await headLine(db, at, db.sign);
  const size = line === undefined ? 0 : Number(line.slice(0, line.indexOf(':')));
  if (line === undefined || size === writtenSize) return writtenSize;
  await appendFile(file, `${line}\n`, { mode: 0o600 });
  return size;
}

/** Appends a line at start and after each interval in which the log has grown. */
export function startHeadFile({
  config: { AUDIT_HEAD_FILE: file, AUDIT_HEAD_MINUTES: minutes },
  db,
  clock,
  log,
}: {
  readonly config: Pick<ServiceConfig, 'AUDIT_HEAD_FILE' | 'AUDIT_HEAD_MINUTES'>;
  readonly db: Store;
  readonly clock: () => Instant;
  readonly log: Log;
}): HeadFile {
  if (file === undefined) return { stop: () => undefined };
  let writtenSize = 0;
  const append = () => {
    appendHead(db, file, clock(), writtenSize).then(
      (size) => {
        writtenSize = size;
      },
      (error: unknown) =>
        log.error({ err: error }, 'the head of the audit log could not be appended to AUDIT_HEAD_FILE'),
    );
  };
  append();
  const timer = setInterval(append, minutes * minute);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
