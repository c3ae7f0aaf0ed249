/** The anchored periods of a company, and the months missing between them. */
import { hash } from 'node:crypto';
import { toHex } from '@clockproof/platform/bytes/encoding';
import { Refusal } from '@clockproof/platform/http/refusal';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { ErrorCode } from '../generated/contract.js';
import { anchorsOfPeriods, listPeriods, type PeriodFilter } from '../store/periods.js';
import { defaultLimit } from './proof-page.js';
import type { ApiContext, Request, Response } from './request.js';

/** The last period of a page, and the last month on it or before it: a gap may lie between two pages. */
interface Place {
  readonly period: string;
  readonly month: string | null;
}

/** Periods of one company token, newest first. */
export async function listCompanyPeriods(
  { db }: Pick<ApiContext, 'db'>,
  { path, query }: Request<'listCompanyPeriods'>,
): Promise<Response<'listCompanyPeriods'>> {
  const filter = { token: path.token, from: query.from, to: query.to };
  const limit = query.limit ?? defaultLimit;
  const place = query.cursor === undefined ? undefined : readCursor(query.cursor, filter);
  const rows = await listPeriods(db, filter, limit + 1, place?.period);
  const page = rows.slice(0, limit);
  const hasMore = rows.length > limit;
  const anchors = await anchorsOfPeriods(db, path.token, page);
  const months = page.map(({ period }) => period).filter(isMonth);
  const last = { period: page.at(-1)?.period ?? '', month: months.at(-1) ?? place?.month ?? null };
  return {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: {
      data: page.map(({ period, versions }) => ({
        period,
        versions,
        anchors: anchors
          .filter((anchor) => anchor.period === period)
          .map(({ merkle_root, sender, ledger_time }) => ({
            merkle_root: toHex(merkle_root),
            sender,
            ledger_time: formatInstant(ledger_time),
          })),
      })),
      missing: missingMonths(place?.month == null ? months : [place.month, ...months]),
      next_cursor: hasMore ? writeCursor(last, filter) : null,
      has_more: hasMore,
    },
  };
}

const isMonth = (period: string) => /^\d{4}-(0[1-9]|1[0-2])$/.test(period);
const numberOf = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1;
const monthOf = (number: number) =>
  `${String(Math.floor(number / 12)).padStart(4, '0')}-${String((number % 12) + 1).padStart(2, '0')}`;

/** As ranges: anybody may anchor a month far away. @param months newest first */
function missingMonths(months: readonly string[]): { from: string; to: string }[] {
  return months.slice(1).flatMap((month, place) => {
    const [olderNumber, newerNumber] = [numberOf(month), numberOf(months[place]!)];
    return newerNumber - olderNumber > 1 ? [{ from: monthOf(olderNumber + 1), to: monthOf(newerNumber - 1) }] : [];
  });
}

const checksum = (text: string, { token, from, to }: PeriodFilter) =>
  hash('sha256', JSON.stringify([text, token, from ?? null, to ?? null]), 'base64url').slice(0, 16);

function writeCursor({ period, month }: Place, filter: PeriodFilter): string {
  const text = Buffer.from(JSON.stringify([period, month])).toString('base64url');
  return `p2_${checksum(text, filter)}${text}`;
}

function readCursor(cursor: string, filter: PeriodFilter): Place {
  const text = cursor.slice(19);
  if (!cursor.startsWith('p2_') || cursor.slice(3, 19) !== checksum(text, filter))
    throw new Refusal<ErrorCode>('invalid_cursor', {
      details: [{ field: 'cursor', code: 'mismatch', error: 'The cursor was altered or belongs to other filters.' }],
    });
  const [period, month] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as [string, string | null];
  return { period, month };
}
