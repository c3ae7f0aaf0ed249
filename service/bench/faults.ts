/** Faults of disk and clock in other processes, by a small library that is loaded before theirs (`faults.c`, needs cc). */
import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Faults {
  /** For the processes that get them. */
  readonly env: Readonly<Record<string, string>>;
  /** Every sync of a file fails so, or every write to one; none when left out. */
  disk(fault?: { readonly sync?: 'EIO'; readonly write?: 'EIO' | 'ENOSPC' }): void;
  /** The clock of the processes is so many seconds ahead. */
  clock(seconds: number): void;
  close(): void;
}

const numbers = { EIO: 5n, ENOSPC: 28n } as const;

/** @throws Error there is no C compiler, or this is not Linux */
export function openFaults(): Faults {
  const folder = mkdtempSync(join(tmpdir(), 'clockproof-faults-'));
  chmodSync(folder, 0o755);
  const library = join(folder, 'faults.so');
  const source = fileURLToPath(new URL('../../bench/faults.c', import.meta.url));
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']);
  const file = join(folder, 'faults');
  const descriptor = openSync(file, 'w+', 0o644);
  const set = (index: number, value: bigint) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(value);
    writeSync(descriptor, bytes, 0, 8, index * 8);
  };
  for (const index of [0, 1, 2]) set(index, 0n);
  return {
    env: { LD_PRELOAD: library, FAULTS_FILE: file },
    disk({ sync, write } = {}) {
      set(0, sync === undefined ? 0n : numbers[sync]);
      set(1, write === undefined ? 0n : numbers[write]);
    },
    clock: (seconds) => set(2, BigInt(seconds)),
    close() {
      closeSync(descriptor);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
