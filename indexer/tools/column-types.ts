/** Types of columns that the schema cannot express. `generate-tables.ts` refuses a column that does not exist. */
import type { ColumnTypes, KnownColumn } from '@clockproof/platform/tools/tables-module';

const is = (type: string, means?: string): KnownColumn => (means === undefined ? { type } : { type, means });
const means = (text: string): KnownColumn => ({ means: text });
const version = means('Compare-and-set between replicas.');

export const columnTypes: ColumnTypes = {
  typeSources: { Instant: { kind: 'integer', from: '@clockproof/platform/time/instant' } },
  everywhere: {},
  endings: { _at: 'Instant', _time: 'Instant' },
  tables: {
    proofs: {
      ledger_time: means('Null while no node has told it.'),
      confirmed: is('0 | 1', '1 once the ledger has answered for the whole transaction by its digest.'),
      listed_again: is('0 | 1', '1 once the second reading has found the proof as it is stored.'),
    },
    integrity_alarms: {
      reported: means('JSON of the version that the ledger gave later.'),
      stored: means('JSON of the version that is stored.'),
    },
    streams: {
      watermark: means('Every event of the stream up to this checkpoint is stored.'),
      backfilled: is('0 | 1'),
      resume: means('Where an unfinished walk goes on: losing it costs time, never an event.'),
      history: is("'complete' | 'partial' | 'unknown'"),
      version,
    },
    rescans: {
      position: means('In this round everything up to here was compared with what is stored.'),
      resume: means('Cursor of the unfinished walk.'),
      compared: means('Events that were compared in this round.'),
      compared_last_round: means('Events of the last whole round; null before the first.'),
      version,
    },
    index_digest: { version },
    follower: {
      package_versions: means('JSON: versions of the package that a node has reported once.'),
      lease_beat: means('Grows with every sign of life of the holder.'),
    },
  },
};
