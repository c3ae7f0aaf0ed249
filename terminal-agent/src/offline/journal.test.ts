import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fileDisk, type JournalDisk, NotRecorded, openJournal } from './journal.js';

/** The plug was pulled. */
class PowerLoss extends Error {}

/** A disk that can be full, and whose power can be cut in the middle of any write. */
function memoryDisk() {
  let diskContent: Buffer = Buffer.alloc(0);
  /** The fault of the next write: bytes that still get to the disk, and the failure after them. */
  let next: { readonly bytes: number; readonly kind: 'full' | 'cut' | 'cut_after' } | undefined;
  const write = (content: Buffer, start: Buffer, addition: Uint8Array): void => {
    const fault = next;
    next = undefined;
    if (fault === undefined) diskContent = content;
    else if (fault.kind === 'cut_after') {
      diskContent = content;
      throw new PowerLoss();
    } else {
      diskContent = Buffer.concat([start, addition.subarray(0, fault.bytes % (addition.length + 1))]);
      throw fault.kind === 'full' ? Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' }) : new PowerLoss();
    }
  };
  const disk: JournalDisk = {
    read: () => Promise.resolve(diskContent),
    async append(bytes) {
      write(Buffer.concat([diskContent, bytes]), diskContent, bytes);
    },
    async truncate(length) {
      diskContent = diskContent.subarray(0, length);
    },
    async replace(bytes) {
      // Beside the file first: a fault leaves the old one.
      write(Buffer.from(bytes), diskContent, Buffer.alloc(0));
    },
  };
  return {
    disk,
    fail: (bytes: number, kind: 'full' | 'cut' | 'cut_after') => {
      next = { bytes, kind };
    },
  };
}

const seal = (number: number): string => `sealed ${number}`;

describe('the offline journal', () => {
  it('numbers stamps from one, and goes on after what the service has', async () => {
    const journal = await openJournal(memoryDisk().disk);
    expect((await journal.record(seal)).number).toBe(1);
    expect((await journal.record(seal)).number).toBe(2);
    journal.raise(411);
    expect(await journal.record(seal)).toEqual({ number: 412, sealed: 'sealed 412' });
    journal.raise(3);
    expect((await journal.record(seal)).number).toBe(413);
  });

  it('the journal gives out each number once, also to stamps that come at once', async () => {
    const journal = await openJournal(memoryDisk().disk);
    const numbers = await Promise.all([1, 2, 3].map(() => journal.record(seal)));
    expect(numbers.map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  it('the journal keeps stamps until they are acknowledged, and their numbers for ever', async () => {
    const { disk } = memoryDisk();
    const journal = await openJournal(disk);
    for (const _ of [1, 2, 3]) await journal.record(seal);
    await journal.acknowledge(new Set([1, 3]));
    expect(journal.waiting().map(({ number }) => number)).toEqual([2]);
    expect((await openJournal(disk)).waiting().map(({ number }) => number)).toEqual([2]);
    await journal.acknowledge(new Set([2]));
    const secondJournal = await openJournal(disk);
    expect(secondJournal.waiting()).toEqual([]);
    expect((await secondJournal.record(seal)).number).toBe(4);
  });

  it('the journal reports what a full disk did not take, and goes on when there is room again', async () => {
    const { disk, fail } = memoryDisk();
    const journal = await openJournal(disk);
    await journal.record(seal);
    fail(11, 'full');
    await expect(journal.record(seal)).rejects.toThrow(NotRecorded);
    expect(await journal.record(seal)).toEqual({ number: 2, sealed: 'sealed 2' });
    const secondJournal = await openJournal(disk);
    expect(secondJournal.waiting().map(({ number }) => number)).toEqual([1, 2]);
    expect(secondJournal.damaged).toBe(0);
  });

  it('the journal removes a torn last line and keeps the others', async () => {
    const { disk } = memoryDisk();
    await (await openJournal(disk)).record(seal);
    await disk.append(Buffer.from('0badc0de {"number":2,"sea'));
    const secondJournal = await openJournal(disk);
    expect(secondJournal.waiting().map(({ number }) => number)).toEqual([1]);
    expect(secondJournal.damaged).toBe(0);
    expect((await secondJournal.record(seal)).number).toBe(2);
    expect((await openJournal(disk)).waiting()).toHaveLength(2);
  });

  it('the journal passes over a damaged line in the middle and counts it', async () => {
    const { disk } = memoryDisk();
    const journal = await openJournal(disk);
    for (const _ of [1, 2, 3]) await journal.record(seal);
    const text = Buffer.from(await disk.read())
      .toString('utf8')
      .replace('sealed 2', 'sealed 9');
    await disk.replace(Buffer.from(text));
    const secondJournal = await openJournal(disk);
    expect(secondJournal.damaged).toBe(1);
    expect(secondJournal.waiting().map(({ number }) => number)).toEqual([1, 3]);
  });

  it('records nothing more once it is stopped, also after a restart', async () => {
    const { disk } = memoryDisk();
    const journal = await openJournal(disk);
    await journal.record(seal);
    await journal.stop();
    await expect(journal.record(seal)).rejects.toThrow(NotRecorded);
    const secondJournal = await openJournal(disk);
    expect(secondJournal.stopped()).toBe(true);
    expect(secondJournal.waiting()).toHaveLength(1);
  });

  it('the journal loses no recorded stamp and doubles no number, wherever the power is cut and whenever the disk is full', async () => {
    const faults = fc.record({
      bytes: fc.nat(60),
      kind: fc.constantFrom('full' as const, 'cut' as const, 'cut_after' as const),
    });
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('record' as const), fault: fc.option(faults) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('acknowledge' as const), fault: fc.option(faults) }) },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const), fault: fc.constant(null) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { disk, fail } = memoryDisk();
        let journal = await openJournal(disk);
        /** Stamps of which people were told, by number, without those that the service has. */
        const contents = new Map<number, string>();
        const usedNumbers = new Map<number, string>();
        let count = 0;
        for (const { do: action, fault } of steps) {
          if (fault !== null) fail(fault.bytes, fault.kind);
          count += 1;
          const content = `stamp ${count}`;
          try {
            if (action === 'record') {
              const { number } = await journal.record(() => content);
              contents.set(number, content);
            } else if (action === 'acknowledge') {
              // The service keeps every other one.
              const batch = journal
                .waiting()
                .filter((_, index) => index % 2 === 0)
                .slice(0, 3);
              for (const { number, sealed } of batch) {
                // A number stays with the stamp that was first sent under it.
                expect(usedNumbers.get(number) ?? sealed).toBe(sealed);
                usedNumbers.set(number, sealed);
              }
              for (const { number } of batch) contents.delete(number);
              if (batch.length > 0) await journal.acknowledge(new Set(batch.map(({ number }) => number)));
            }
          } catch (error) {
            // After a power loss the process is gone; after a full disk it goes on.
            const isPowerLoss = error instanceof PowerLoss || (error as Error).cause instanceof PowerLoss;
            if (isPowerLoss) journal = await openJournal(disk);
          }
          if (action === 'restart') journal = await openJournal(disk);
          const waitingStamps = new Map(journal.waiting().map(({ number, sealed }) => [number, sealed]));
          for (const [number, sealed] of contents) expect(waitingStamps.get(number)).toBe(sealed);
          const numbers = journal.waiting().map(({ number }) => number);
          expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
          expect(journal.damaged).toBe(0);
        }
      }),
      { seed: 20261122, numRuns: 300 },
    );
  });
});

describe('the file of the journal', () => {
  const folder = mkdtemp(join(tmpdir(), 'journal-'));
  afterAll(async () => rm(await folder, { recursive: true }));

  it('the journal is readable by its owner only, and survives what happens to files', async () => {
    const path = join(await folder, 'state', 'offline.journal');
    const journal = await openJournal(fileDisk(path));
    await journal.record(seal);
    await journal.record(seal);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await appendFile(path, '01234567 {"torn');
    const secondJournal = await openJournal(fileDisk(path));
    expect(secondJournal.waiting()).toHaveLength(2);
    expect(await readFile(path, 'utf8')).not.toContain('torn');
    await secondJournal.acknowledge(new Set([1]));
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await openJournal(fileDisk(path))).waiting().map(({ number }) => number)).toEqual([2]);
  });
});
