/**
 * Pages of proofs. A cursor is the place of the last proof in ledger order, which means the same to every replica;
 * bound to its filters by a checksum, so that a cursor of another list is refused instead of skipping proofs. It holds
 * no secret, so it needs no signature.
 */
import { hash } from 'node:crypto';
import type { Reader } from '@clockproof/platform/database/database';
import { Refusal } from '@clockproof/platform/http/refusal';
import type { ErrorCode } from '../generated/contract.js';
import { isTransactionDigest } from '../ledger/identifiers.js';
import { type ProofRecord, presentProof } from '../store/proof-record.js';
import { listProofs, type Position, type ProofFilter, type ProofRow } from '../store/proofs.js';
import type { DetailCode } from './request.js';

export interface ProofPage {
  readonly data: ProofRecord[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

export const defaultLimit = 100;

export async function pageOfProofs(
  db: Reader,
  filter: ProofFilter,
  limit: number,
  cursor: string | undefined,
): Promise<ProofPage> {
  const position = cursor === undefined ? undefined : readCursor(cursor, filter);
  const rows = await listProofs(db, filter, limit + 1, position);
  const page = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  return {
    data: page.map(presentProof),
    next_cursor: hasMore ? writeCursor(page.at(-1)!, filter) : null,
    has_more: hasMore,
  };
}

function checksum(place: string, { sender, companyToken, period }: ProofFilter): string {
  return hash(
    'sha256',
    JSON.stringify([place, sender ?? null, companyToken ?? null, period ?? null]),
    'base64url',
  ).slice(0, 16);
}

function writeCursor(row: ProofRow, filter: ProofFilter): string {
  const place = Buffer.from(JSON.stringify([row.checkpoint, row.tx, row.event_sequence])).toString('base64url');
  return `p1_${checksum(place, filter)}${place}`;
}

function readCursor(cursor: string, filter: ProofFilter): Position {
  const place = cursor.slice(19);
  if (cursor.startsWith('p1_') && cursor.slice(3, 19) === checksum(place, filter)) {
    const [checkpoint, tx, sequence] = JSON.parse(Buffer.from(place, 'base64url').toString('utf8')) as unknown[];
    if (
      Number.isSafeInteger(checkpoint) &&
      typeof tx === 'string' &&
      isTransactionDigest(tx) &&
      Number.isSafeInteger(sequence)
    )
      return { checkpoint: checkpoint as number, tx, sequence: sequence as number };
  }
  throw new Refusal<ErrorCode, DetailCode>('invalid_cursor', {
    details: [{ field: 'cursor', code: 'mismatch', error: 'The cursor was altered or belongs to other filters.' }],
  });
}
