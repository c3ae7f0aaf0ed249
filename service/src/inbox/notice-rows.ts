import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import type { Tables } from '../generated/tables.js';
import { defined } from '../store/defined.js';
import type { CompanyId, ExtensionId, NoticeId, PersonId, TerminalId } from '../store/ids.js';
import {
  among,
  insertFrom,
  insertIfAbsent,
  removeSome,
  type Transaction,
  updateWhere,
  updateWhereReturning,
} from '../store/tables.js';

export type NoticeRow = Tables['notices'];

/** @returns false if the person has the notice already */
export function insertNotice(tx: Transaction, row: Omit<NoticeRow, 'id'>): Promise<boolean> {
  return insertIfAbsent(tx, 'notices', row);
}

/** One for everyone who is active in a company, if the company is. */
export async function insertNotices(
  tx: Transaction,
  companyId: CompanyId,
  notice: Pick<NoticeRow, 'kind' | 'facts' | 'at'>,
): Promise<void> {
  await insertFrom(
    tx,
    'notices',
    ['person_id', 'kind', 'facts', 'at'],
    `SELECT p.id, :kind, :facts, :at FROM people p JOIN companies c ON c.id = p.company_id
     WHERE p.company_id = :companyId AND p.active = 1 AND c.active = 1 ORDER BY p.id`,
    { companyId, ...notice },
  );
}

/** The newest first. */
export function listNoticeRows(
  reader: Reader,
  personId: PersonId,
  { before, limit }: { readonly before: number | undefined; readonly limit: number },
): Promise<NoticeRow[]> {
  return reader.all<NoticeRow>(
    `SELECT * FROM notices WHERE person_id = :personId ${before === undefined ? '' : 'AND id < :before'} ORDER BY id DESC LIMIT :limit`,
    { personId, ...defined({ before }), limit },
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
  const { list, parameters } = among(ids);
  await updateWhere(tx, 'notices', { read_at: at }, `person_id = :personId AND read_at IS NULL AND id IN (${list})`, {
    personId,
    ...parameters,
  });
}

/** @returns the people who had not read it */
export async function updateReadAbout(tx: Transaction, subject: string, at: Instant): Promise<PersonId[]> {
  const rows = await updateWhereReturning(tx, 'notices', { read_at: at }, 'about = :about AND read_at IS NULL', {
    about: subject,
  });
  return rows.map((row) => row.person_id);
}

/** @returns their number */
export function deleteNotices(tx: Transaction, before: Instant, limit: number): Promise<number> {
  return removeSome(tx, 'notices', ['id'], 'at < :before', { before, limit });
}

/** The name of an extension that a notice is about; undefined if it was deleted. */
export async function nameOfExtension(reader: Reader, id: ExtensionId): Promise<string | undefined> {
  const sql = 'SELECT name FROM extensions WHERE id = :id AND deleted_at IS NULL';
  return (await reader.get<{ name: string }>(sql, { id }))?.name;
}

/** The name of a terminal that a notice is about; undefined if it was removed. */
export async function nameOfTerminal(reader: Reader, id: TerminalId): Promise<string | undefined> {
  const sql = 'SELECT name FROM terminals WHERE id = :id AND removed_at IS NULL';
  return (await reader.get<{ name: string }>(sql, { id }))?.name;
}
