/**
 * Faults of disk, memory and clock in other processes, by a small library that is loaded before theirs (`faults.c`,
 * needs cc).
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Faults {
  /** The environment of the faulty processes. */
  readonly env: Readonly<Record<string, string>>;
  /** Every sync of a file, or every write to one, fails with the given error; none if left out. */
  disk(fault?: { readonly sync?: 'EIO'; readonly write?: 'EIO' | 'ENOSPC' }): void;
  /** The clock of the processes is ahead by this number of seconds. */
  clock(seconds: number): void;
  /** Kills the process that asks for the N-th sync of a file from now on, counted over all of them; 0: none. */
  killAtSync(count: number): void;
  /** @returns the number of syncs left until then */
  syncsLeft(): number;
  /**
   * Fails the N-th call from now on by which SQLite writes, reads, syncs or allocates, counted over those that can fail
   * so, and no other; 0: none.
   */
  failOnce(fault: keyof typeof numbers, count: number): void;
  /** @returns the number of calls left until then */
  callsLeft(): number;
  close(): void;
}

const numbers = { EIO: 5n, ENOMEM: 12n, ENOSPC: 28n } as const;

/** @throws Error there is no C compiler, or this is not Linux */
export function openFaults(): Faults {
  const folder = mkdtempSync(join(tmpdir(), 'clockproof-faults-'));
  chmodSync(folder, 0o755);
  const library = join(folder, 'faults.so');
  // Beside this file; tests run it as source, benches compiled.
  const source = fileURLToPath(new URL('./faults.c', import.meta.url.replace('/dist/src/', '/src/')));
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']);
  const file = join(folder, 'faults');
  const descriptor = openSync(file, 'w+');
  // The processes count in it, also a server that runs as another user.
  chmodSync(file, 0o666);
  const setNumber = (index: number, value: bigint) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    writeSync(descriptor, bytes, 0, 8, index * 8);
  };
  const countOf = (index: number) => {
    const bytes = Buffer.alloc(8);
    readSync(descriptor, bytes, 0, 8, index * 8);
    return Math.max(0, Number(bytes.readBigInt64LE()));
  };
  for (const index of [0, 1, 2, 3, 4, 5]) setNumber(index, 0n);
  return {
    env: { LD_PRELOAD: library, FAULTS_FILE: file },
    disk({ sync, write } = {}) {
      setNumber(0, sync === undefined ? 0n : numbers[sync]);
      setNumber(1, write === undefined ? 0n : numbers[write]);
    },
    clock: (seconds) => setNumber(2, BigInt(seconds)),
    killAtSync: (count) => setNumber(3, BigInt(count)),
    syncsLeft: () => countOf(3),
    failOnce(fault, count) {
      setNumber(5, 0n);
      setNumber(4, numbers[fault]);
      setNumber(5, BigInt(count));
    },
    callsLeft: () => countOf(5),
    close() {
      closeSync(descriptor);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
