import { emptyFrontier } from '@clockproof/platform/bytes/merkle-tree';
import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { moveRescan, rescanOf } from '../src/store/rescans.js';
import { migrations } from '../src/store/schema.js';
import {
  beatLease,
  moveStream,
  readDigest,
  readFollower,
  readStreams,
  reconcileStreams,
  StreamMoved,
  writeDigest,
} from '../src/store/streams.js';

// What two replicas do that have read the same: the second stores nothing.
describe.each(dialects)('of two replicas on %s', (dialect) => {
  let home: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    home = await createTestDatabase(dialect, migrations);
    db = await openDatabase(home.settings);
    await reconcileStreams(db, [{ id: 'one', package: '0x1', sender: null, fromCheckpoint: 10 }], true);
  });
  afterAll(async () => {
    await db.close();
    await home.drop();
  });

  it('one moves a stream', async () => {
    const [stream] = await readStreams(db);
    await db.write((tx) => moveStream(tx, stream!, { watermark: 20 }));
    await expect(db.write((tx) => moveStream(tx, stream!, { watermark: 15 }))).rejects.toThrow(StreamMoved);
    expect(await readStreams(db)).toMatchObject([{ watermark: 20, version: stream!.version + 1 }]);
  });

  it('one moves the second reading', async () => {
    const [stream] = await readStreams(db);
    const rescan = await rescanOf(db, stream!, 0);
    await db.write((tx) => moveRescan(tx, rescan, { position: 30 }));
    await expect(db.write((tx) => moveRescan(tx, rescan, { position: 25 }))).rejects.toThrow(StreamMoved);
    expect(await rescanOf(db, stream!, 0)).toMatchObject({ position: 30, version: rescan.version + 1 });
  });

  it('one extends the digest', async () => {
    const before = await readDigest(db);
    const next = (checkpoint: number) => ({ ...before, checkpoint, frontier: emptyFrontier });
    await db.write((tx) => writeDigest(tx, before, next(40)));
    await expect(db.write((tx) => writeDigest(tx, before, next(35)))).rejects.toThrow(StreamMoved);
    expect(await readDigest(db)).toMatchObject({ checkpoint: 40, version: before.version + 1 });
  });

  it('one takes the lease', async () => {
    const seen = await readFollower(db);
    expect(await beatLease(db, seen, 'first')).toBe(true);
    expect(await beatLease(db, seen, 'second')).toBe(false);
    expect(await readFollower(db)).toMatchObject({ leaseHolder: 'first', leaseBeat: seen.leaseBeat + 1 });
  });
});
