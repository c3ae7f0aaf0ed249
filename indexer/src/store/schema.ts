/**
 * The tables of the index. Everything in `proofs` and `rejected_events` comes from the ledger and could be read from it
 * again; the rest is how far that has come.
 */
import type { Migration } from '@clockproof/platform/database/database';
import { sharedRateLimitMigration } from '@clockproof/platform/http/shared-rate-limit';

export const migrations: readonly Migration[] = [
  sharedRateLimitMigration,
  {
    id: '0001-baseline',
    statements: (d) => [
      // confirmed: 1 once the ledger has answered for the whole transaction by its digest: no list can have left out a
      // part of it. listed_again: 1 once the second reading has found the proof as it is stored.
      `CREATE TABLE proofs (
        tx TEXT NOT NULL, event_sequence ${d.integer} NOT NULL,
        checkpoint ${d.integer} NOT NULL, ledger_time ${d.integer},
        sender TEXT NOT NULL, package TEXT NOT NULL, company_token TEXT NOT NULL, period TEXT NOT NULL,
        merkle_root ${d.bytes} NOT NULL,
        event_type TEXT NOT NULL, event_bcs ${d.bytes}, confirmed ${d.integer} NOT NULL DEFAULT 0, listed_again ${d.integer} NOT NULL DEFAULT 0,
        PRIMARY KEY (tx, event_sequence))`,
      // Ledger order, the same on every replica and independent of any node's cursors.
      'CREATE INDEX proofs_in_ledger_order ON proofs (checkpoint, tx, event_sequence)',
      'CREATE INDEX proofs_of_company ON proofs (company_token, period, checkpoint, tx, event_sequence)',
      'CREATE INDEX proofs_of_sender ON proofs (sender, checkpoint, tx, event_sequence)',
      'CREATE INDEX proofs_of_company_in_order ON proofs (company_token, checkpoint, tx, event_sequence)',
      'CREATE INDEX proofs_of_period ON proofs (period, checkpoint, tx, event_sequence)',
      // Rows that are asked for again: proofs without a time, and events that the node delivered in part. Mostly empty.
      'CREATE INDEX proofs_without_time ON proofs (tx) WHERE ledger_time IS NULL',
      // Events of the package that are no proofs. Kept so that a count can be explained; the API never reads them.
      `CREATE TABLE rejected_events (
        tx TEXT NOT NULL, event_sequence ${d.integer} NOT NULL, checkpoint ${d.integer}, event_type TEXT NOT NULL, sender TEXT, reason TEXT NOT NULL, raw TEXT NOT NULL,
        PRIMARY KEY (tx, event_sequence))`,
      "CREATE INDEX rejected_events_unsettled ON rejected_events (tx) WHERE reason IN ('incomplete', 'payload_unreadable', 'sender_missing')",
      // The ledger gave a stored proof in another version. The first stays until an operator settles it.
      `CREATE TABLE integrity_alarms (
        tx TEXT NOT NULL, event_sequence ${d.integer} NOT NULL, reported TEXT NOT NULL, stored TEXT NOT NULL, noticed_at ${d.integer} NOT NULL,
        PRIMARY KEY (tx, event_sequence, reported))`,
      // One row a stream. Always true: every event of the stream with checkpoint <= watermark is in proofs or
      // rejected_events.
      // resume: the position of an unfinished walk; losing it costs time, never an event. version: compare-and-set
      // between replicas.
      `CREATE TABLE streams (
        id TEXT PRIMARY KEY, package TEXT NOT NULL, sender TEXT, from_checkpoint ${d.integer} NOT NULL,
        watermark ${d.integer} NOT NULL, backfilled ${d.integer} NOT NULL, resume TEXT, version ${d.integer} NOT NULL,
        history TEXT NOT NULL, history_floor ${d.integer}, retention_checked_from ${d.integer} NOT NULL)`,
      // One row a stream: the progress of the running second reading, and the finished ones. position: every event
      // up to here was compared in this round. resume: cursor of its unfinished walk. compared: events of this round so
      // far, and of the last whole one. version: compare-and-set.
      `CREATE TABLE rescans (
        stream_id TEXT PRIMARY KEY, position ${d.integer} NOT NULL, resume TEXT, rounds ${d.integer} NOT NULL, started_at ${d.integer} NOT NULL,
        compared ${d.integer} NOT NULL, compared_last_round ${d.integer}, completed_at ${d.integer}, version ${d.integer} NOT NULL)`,
      // Counted in the transaction that stores, so that status needs no count over millions of rows. retention and gaps
      // are counts for the operator.
      `CREATE TABLE totals (
        id ${d.integer} PRIMARY KEY, proofs ${d.integer} NOT NULL, rejected ${d.integer} NOT NULL, alarms ${d.integer} NOT NULL, gap_repairs ${d.integer} NOT NULL, last_proof_at ${d.integer})`,
      'INSERT INTO totals (id, proofs, rejected, alarms, gap_repairs) VALUES (1, 0, 0, 0, 0)',
      // The subject of this index, and the view of the last completed poll. package_versions: versions of the package
      // that a node has reported once, as JSON: they stay even if it later forgets or fails to report one.
      `CREATE TABLE follower (
        id ${d.integer} PRIMARY KEY, chain_id TEXT, original_package TEXT, dialect TEXT, published_at ${d.integer},
        head_checkpoint ${d.integer}, head_time ${d.integer}, last_index_time ${d.integer}, senders TEXT NOT NULL,
        lease_holder TEXT, lease_beat ${d.integer} NOT NULL, package_versions TEXT)`,
      "INSERT INTO follower (id, senders, lease_beat) VALUES (1, '', 0)",
      // The tree over all proofs up to a checkpoint: size, complete subtrees, and the last proof in it. scope: which
      // senders it covers.
      `CREATE TABLE index_digest (
        id ${d.integer} PRIMARY KEY, scope TEXT NOT NULL, checkpoint ${d.integer} NOT NULL, size ${d.integer} NOT NULL, frontier ${d.bytes} NOT NULL,
        last_checkpoint ${d.integer} NOT NULL, last_tx TEXT NOT NULL, last_sequence ${d.integer} NOT NULL, version ${d.integer} NOT NULL)`,
      `INSERT INTO index_digest VALUES (1, '', -1, 0, CAST('' AS ${d.bytes}), -1, '', -1, 0)`,
    ],
  },
];
