import type { Database } from '@clockproof/platform/database/database';
import { openDatabase } from '@clockproof/platform/database/open';
import { createTestDatabase, dialects, type TestDatabase } from '@clockproof/platform/testing/databases';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { addressOf, digestOf } from '../simulator/encode.js';
import { ingest, ingestTransaction } from '../src/store/ingest.js';
import { proofsOfTransaction } from '../src/store/proofs.js';
import { migrations } from '../src/store/schema.js';

const proofIn = (tx: string) => ({
  tx,
  eventSequence: 0,
  checkpoint: 5,
  ledgerTime: 1_795_000_000_000,
  sender: addressOf('sender'),
  package: addressOf('package'),
  companyToken: 'ct_1',
  period: '2026-10',
  merkleRoot: 'ab'.repeat(32),
  eventType: `${addressOf('package')}::anchor::ProofAnchored`,
  eventBcs: null,
});

describe.each(dialects)('a stored transaction on %s', (dialect) => {
  let home: TestDatabase;
  let db: Database;
  beforeAll(async () => {
    home = await createTestDatabase(dialect, migrations);
    db = await openDatabase(home.settings);
  });
  afterAll(async () => {
    await db.close();
    await home.drop();
  });

  it('counts as whole once the ledger has answered for its digest', async () => {
    const tx = digestOf('whole', 1);
    const batch = { proofs: [proofIn(tx)], rejected: [] };
    await db.write((write) => ingest(write, batch, 1));
    expect(await proofsOfTransaction(db, tx)).toMatchObject({ confirmed: false });
    await db.write((write) => ingestTransaction(write, tx, { ...batch, sequences: [0], gaps: 0 } as never, 2));
    expect(await proofsOfTransaction(db, tx)).toMatchObject({ confirmed: true });
  });

  it('does not while the node has delivered an event of it in part', async () => {
    const tx = digestOf('whole', 2);
    const answer = { proofs: [proofIn(tx)], rejected: [], sequences: [0], gaps: 1 };
    await db.write((write) => ingestTransaction(write, tx, answer as never, 1));
    expect(await proofsOfTransaction(db, tx)).toMatchObject({ confirmed: false });
  });
});
