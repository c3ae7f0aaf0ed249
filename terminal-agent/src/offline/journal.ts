import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TerminalKey } from '../key.js';

/** A stamp that waits for the service: its number, and the rest encrypted for the service. */
export interface SealedStamp {
  readonly number: number;
  readonly sealed: string;
}

/** The file of a journal. Handed in, so that tests can fill the disk and pull the plug. */
export interface JournalDisk {
  /** The bytes of the file; empty if there is none. */
  read(): Promise<Uint8Array>;
  /** Adds bytes at the end and resolves when they are on the disk. After an error any part of them may be there. */
  append(bytes: Uint8Array): Promise<void>;
  /** Shortens the file and resolves when that is on the disk. */
  truncate(length: number): Promise<void>;
  /** Replaces the file, whole or not at all, and resolves when that is on the disk. */
  replace(bytes: Uint8Array): Promise<void>;
}

/** The stamp is not in the journal: nobody may be told that it was recorded. */
export class NotRecorded extends Error {
  override readonly name = 'NotRecorded';
}

/** The stamps recorded without a connection, under one terminal key. */
export interface OfflineJournal {
  /** In ascending order of number. */
  waiting(): readonly SealedStamp[];
  /** A number was used with other content: two devices share a key. Nothing more is recorded. */
  stopped(): boolean;
  /** Lines that were damaged when the journal was opened; the torn last line of a crash is none. */
  readonly damaged: number;
  /** Numbers up to here belong to stamps that the service has. */
  raise(lastNumber: number): void;
  /**
   * Adds a stamp under the next number. Resolves when it is on the disk: then, and not before, it is recorded.
   *
   * @throws {NotRecorded}
   */
  record(seal: (number: number) => string): Promise<SealedStamp>;
  /** The service has these stamps: they leave the journal. */
  acknowledge(numbers: ReadonlySet<number>): Promise<void>;
  /** See {@link OfflineJournal.stopped}. Stays so over restarts. */
  stop(): Promise<void>;
}

interface JournalState {
  /** The highest number that left the journal. */
  readonly acknowledged: number;
  readonly stopped: boolean;
}

/**
 * Opens the journal. A line is a check sum and a JSON object; the last object that names no stamp is the state of the
 * journal. If the process died while it wrote, the last line is torn: nobody was told that it was recorded, and it is
 * removed.
 */
export async function openJournal(disk: JournalDisk): Promise<OfflineJournal> {
  const content = parse(Buffer.from(await disk.read()));
  let { waiting, state } = content;
  let length = content.whole;
  /** Bytes after `length` that a failed write may have left. */
  let untidy = content.torn;
  let last = Math.max(state.acknowledged, ...waiting.map(({ number }) => number));

  let queue: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const result = queue.then(work);
    queue = result.catch(() => undefined);
    return result;
  };
  const tidy = async (): Promise<void> => {
    if (!untidy) return;
    await disk.truncate(length);
    untidy = false;
  };
  const rewrite = async (): Promise<void> => {
    const bytes = Buffer.concat([line(state), ...waiting.map(line)]);
    await disk.replace(bytes);
    length = bytes.length;
    untidy = false;
  };

  await tidy().catch(() => undefined);
  return {
    waiting: () => waiting,
    stopped: () => state.stopped,
    damaged: content.damaged,
    raise(lastNumber) {
      last = Math.max(last, lastNumber);
    },
    record: (seal) =>
      inTurn(async () => {
        if (state.stopped) throw new NotRecorded('the journal is stopped');
        const stamp = { number: last + 1, sealed: seal(last + 1) };
        const bytes = line(stamp);
        try {
          await tidy();
          untidy = true;
          await disk.append(bytes);
        } catch (error) {
          // A partly written line must not precede the next one.
          await tidy().catch(() => undefined);
          throw new NotRecorded(error instanceof Error ? error.message : String(error), { cause: error });
        }
        // If the process dies here, the stamp is uploaded although nobody was told so: it still waits for approval.
        untidy = false;
        length += bytes.length;
        last = stamp.number;
        waiting = [...waiting, stamp];
        return stamp;
      }),
    acknowledge: (numbers) =>
      inTurn(async () => {
        state = { ...state, acknowledged: Math.max(state.acknowledged, ...numbers) };
        waiting = waiting.filter(({ number }) => !numbers.has(number));
        // If this fails, the stamps are sent again after a restart, and the service calls them duplicates.
        await rewrite();
      }),
    stop: () =>
      inTurn(async () => {
        state = { ...state, stopped: true };
        await rewrite();
      }),
  };
}

function line(content: SealedStamp | JournalState): Buffer {
  const text = JSON.stringify(content);
  return Buffer.from(`${checkSum(text)} ${text}\n`);
}

function checkSum(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

function parse(bytes: Buffer) {
  const completeLength = bytes.lastIndexOf(0x0a) + 1;
  let state: JournalState = { acknowledged: 0, stopped: false };
  const stamps: SealedStamp[] = [];
  let damagedLines = 0;
  for (const text of bytes.subarray(0, completeLength).toString('utf8').split('\n').slice(0, -1)) {
    const content = text.slice(9);
    if (text.slice(0, 9) !== `${checkSum(content)} `) {
      damagedLines += 1;
      continue;
    }
    const line = JSON.parse(content) as SealedStamp | JournalState;
    if ('number' in line) stamps.push(line);
    else state = line;
  }
  return {
    waiting: stamps,
    state,
    damaged: damagedLines,
    whole: completeLength,
    torn: completeLength < bytes.length,
  };
}

export function journalFolder(stateFolder: string): string {
  return join(stateFolder, 'offline');
}

/** The file of the offline stamps of one terminal key: their numbers belong to it. */
export function journalFile(stateFolder: string, terminalId: string, key: Pick<TerminalKey, 'fingerprint'>): string {
  return join(journalFolder(stateFolder), `${terminalId}.${key.fingerprint}.journal`);
}

/** The journal as a file that only its owner can read. */
export function fileDisk(path: string): JournalDisk {
  return {
    async read() {
      try {
        return await readFile(path);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Uint8Array();
        throw error;
      }
    },
    async append(bytes) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(path, 'a', 0o600);
      try {
        const isNew = (await file.stat()).size === 0;
        await file.writeFile(bytes);
        await file.sync();
        if (isNew) await syncFolder(dirname(path));
      } finally {
        await file.close();
      }
    },
    async truncate(length) {
      const file = await open(path, 'r+');
      try {
        await file.truncate(length);
        await file.sync();
      } finally {
        await file.close();
      }
    },
    async replace(bytes) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const file = await open(`${path}.new`, 'w', 0o600);
      try {
        await file.writeFile(bytes);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.new`, path);
      await syncFolder(dirname(path));
    },
  };
}

/** The name of a new file is on the disk only when its folder is. Windows has no such thing. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
