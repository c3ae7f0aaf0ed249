/** From row to record: ledger facts only, so that two operators' answers are equal byte for byte. */
import { toHex } from '@clockproof/platform/bytes/encoding';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { ProofRow } from './proofs.js';

export interface ProofRecord {
  readonly tx: string;
  readonly event_sequence: number;
  readonly sender: string;
  readonly package: string;
  readonly company_token: string;
  readonly period: string;
  readonly merkle_root: string;
  readonly checkpoint: number;
  readonly ledger_time?: string;
}

export function presentProof(row: ProofRow): ProofRecord {
  return {
    tx: row.tx,
    event_sequence: row.event_sequence,
    sender: row.sender,
    package: row.package,
    company_token: row.company_token,
    period: row.period,
    merkle_root: toHex(row.merkle_root),
    checkpoint: row.checkpoint,
    ledger_time: formatInstant(row.ledger_time),
  };
}

/** Canonical JSON of a record of texts and numbers: names sorted, no spaces. Two operators write the same bytes. */
export function canonicalJson(record: Readonly<Record<string, string | number>>): string {
  return JSON.stringify(record, Object.keys(record).sort());
}
