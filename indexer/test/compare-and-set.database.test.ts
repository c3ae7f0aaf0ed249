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

// Two replicas have read the same state; the second one stores nothing.
describe.each(dialects)('compare-and-set on %s', (dialect) => {
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

  it('moves a stream for one of two replicas', async () => {
    const [stream] = await readStreams(db);
    await db.write((tx) => moveStream(tx, stream!, { watermark: 20 }));
    await expect(db.write((tx) => moveStream(tx, stream!, { watermark: 15 }))).rejects.toThrow(StreamMoved);
    expect(await readStreams(db)).toMatchObject([{ watermark: 20, version: stream!.version + 1 }]);
  });

  it('moves a rescan for one of two replicas', async () => {
    const [stream] = await readStreams(db);
    const rescan = await rescanOf(db, stream!, 0);
    await db.write((tx) => moveRescan(tx, rescan, { position: 30 }));
    await expect(db.write((tx) => moveRescan(tx, rescan, { position: 25 }))).rejects.toThrow(StreamMoved);
    expect(await rescanOf(db, stream!, 0)).toMatchObject({ position: 30, version: rescan.version + 1 });
  });

  it('extends the digest for one of two replicas', async () => {
    const digestBefore = await readDigest(db);
    const next = (checkpoint: number) => ({ ...digestBefore, checkpoint, frontier: emptyFrontier });
    await db.write((tx) => writeDigest(tx, digestBefore, next(40)));
    await expect(db.write((tx) => writeDigest(tx, digestBefore, next(35)))).rejects.toThrow(StreamMoved);
    expect(await readDigest(db)).toMatchObject({ checkpoint: 40, version: digestBefore.version + 1 });
  });

  it('gives the lease to one of two replicas', async () => {
    const follower = await readFollower(db);
    expect(await beatLease(db, follower, 'first')).toBe(true);
    expect(await beatLease(db, follower, 'second')).toBe(false);
    expect(await readFollower(db)).toMatchObject({ leaseHolder: 'first', leaseBeat: follower.leaseBeat + 1 });
  });
});
