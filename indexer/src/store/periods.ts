/** Every statement about the periods of a company. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';

export interface PeriodFilter {
  readonly token: string;
  /** `YYYY-MM`; with one of them, only periods that look like a month are listed. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export interface PeriodRow {
  readonly period: string;
  /** Different roots. */
  readonly versions: number;
}

/** A page, newest first. @param before the last period of the page before */
export function listPeriods(
  db: Reader,
  { token, from, to }: PeriodFilter,
  limit: number,
  before: string | undefined,
): Promise<PeriodRow[]> {
  const conditions = [
    'company_token = :token',
    ...(from === undefined && to === undefined ? [] : ["period LIKE '____-__'"]),
    ...(from === undefined ? [] : ['period >= :from']),
    ...(to === undefined ? [] : ['period <= :to']),
    ...(before === undefined ? [] : ['period < :before']),
  ];
  return db.all<PeriodRow>(
    `SELECT period, COUNT(DISTINCT merkle_root) AS versions FROM proofs WHERE ${conditions.join(' AND ')} GROUP BY period ORDER BY period DESC LIMIT :limit`,
    { token, from: from ?? null, to: to ?? null, before: before ?? null, limit },
  );
}

export interface AnchorRow {
  readonly period: string;
  readonly merkle_root: Uint8Array;
  readonly sender: string;
  readonly ledger_time: Instant | null;
}

/**
 * @param periods of one page, newest first. @returns roots and senders, oldest first, at most 20 a period: anybody may
 * anchor more
 */
export async function anchorsOfPeriods(db: Reader, token: string, periods: readonly PeriodRow[]): Promise<AnchorRow[]> {
  if (periods.length === 0) return [];
  return db.all<AnchorRow>(
    `SELECT period, merkle_root, sender, ledger_time FROM (
       SELECT period, merkle_root, sender, MIN(ledger_time) AS ledger_time,
         ROW_NUMBER() OVER (PARTITION BY period ORDER BY MIN(checkpoint), merkle_root, sender) AS place
       FROM proofs WHERE company_token = :token AND period >= :oldest AND period <= :newest
       GROUP BY period, merkle_root, sender) AS anchors
     WHERE place <= 20 ORDER BY period DESC, place`,
    { token, newest: periods[0]!.period, oldest: periods.at(-1)!.period },
  );
}
