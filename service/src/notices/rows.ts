import type { Reader, Transaction } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import type { NoticeId, PersonId } from '../ids.js';
import { insertReturning } from '../tables.js';

export type NoticeRow = Tables['notices'];

export async function insertNotice(tx: Transaction, row: Omit<NoticeRow, 'id'>): Promise<void> {
  await insertReturning(tx, 'notices', row);
}

/** The newest first. */
export function listNoticeRows(
  reader: Reader,
  personId: PersonId,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<NoticeRow[]> {
  return reader.all<NoticeRow>(
    `SELECT * FROM notices WHERE person_id = :personId ${before === undefined ? '' : 'AND id < :before'} ORDER BY id DESC LIMIT :limit`,
    { personId, ...(before === undefined ? {} : { before }), limit },
  );
}

export async function countUnread(reader: Reader, personId: PersonId): Promise<number> {
  return (await reader.get<{ n: number }>(
    'SELECT count(*) AS n FROM notices WHERE person_id = :personId AND read_at IS NULL',
    { personId },
  ))!.n;
}

export async function updateRead(
  tx: Transaction,
  personId: PersonId,
  ids: readonly NoticeId[],
  at: Instant,
): Promise<void> {
  const parameters = Object.fromEntries(ids.map((id, index) => [`id_${index}`, id]));
  await tx.run(
    `UPDATE notices SET read_at = :at WHERE person_id = :personId AND read_at IS NULL
     AND id IN (${Object.keys(parameters)
       .map((name) => `:${name}`)
       .join(', ')})`,
    { personId, at, ...parameters },
  );
}

/** @returns their number */
export function deleteNotices(tx: Transaction, before: Instant): Promise<number> {
  return tx.run('DELETE FROM notices WHERE at < :before', { before });
}
