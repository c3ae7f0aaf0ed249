/** The stored records of a person's work, and their retention by law. */
import type { Reader } from '@clockproof/platform/database/database';
import type { Instant } from '@clockproof/platform/time/instant';
import { addDays, type LocalDate, localDateAt } from '@clockproof/platform/time/local-date';
import type { PersonRow } from '../people/rows.js';
import { retentionEnd, retentionOf } from './retention.js';

export interface KeptRecords {
  readonly kind: 'time_entries' | 'month_sign_offs' | 'absences';
  readonly count: number;
  readonly first: LocalDate;
  readonly last: LocalDate;
  /** The last day on which they must be kept. */
  readonly until: LocalDate | undefined;
  readonly clauses: readonly string[];
}

interface Span {
  readonly count: number;
  readonly first: LocalDate | null;
  readonly last: LocalDate | null;
}

/**
 * Kinds without any record are left out. Entries of every state are records of working time, with their versions.
 * @param openUntil leaves out entries that are open and began later
 */
export async function readKeptRecords(
  reader: Reader,
  person: PersonRow,
  openUntil: Instant = Number.MAX_SAFE_INTEGER,
): Promise<KeptRecords[]> {
  const retention = retentionOf(person.country);
  const span = (sql: string) => reader.get<Span>(sql, { personId: person.id });
  const entries = await reader.get<{ count: number; first: LocalDate | null; last: Instant | null }>(
    `SELECT COUNT(*) AS count, MIN(date) AS first, MAX(COALESCE(end_at, start_at)) AS last FROM time_entries
     WHERE person_id = :personId AND (status <> 'open' OR start_at <= :openUntil)`,
    { personId: person.id, openUntil },
  );
  // A night shift is kept as long as its last day.
  const lastDay = entries?.last == null ? null : localDateAt(Number(entries.last), person.time_zone);
  const signOffs = await span(
    "SELECT COUNT(*) AS count, MIN(month) || '-01' AS first, MAX(month) || '-28' AS last FROM month_sign_offs WHERE person_id = :personId",
  );
  const absences = await span(
    'SELECT COUNT(*) AS count, MIN(start_date) AS first, MAX(end_date) AS last FROM absences WHERE person_id = :personId',
  );
  const entriesUntil = retention !== undefined && lastDay !== null ? retentionEnd(retention, lastDay) : undefined;
  const spans: [KeptRecords['kind'], Span | undefined, LocalDate | undefined][] = [
    ['time_entries', entries && { ...entries, last: lastDay }, entriesUntil],
    ['month_sign_offs', signOffs, undefined],
    ['absences', absences, undefined],
  ];
  return spans.flatMap(([kind, span, until]) =>
    span === undefined || span.first === null || span.last === null || Number(span.count) === 0
      ? []
      : [
          {
            kind,
            count: Number(span.count),
            first: span.first,
            last: span.last,
            until,
            clauses: until === undefined ? [] : retention!.clauses,
          },
        ],
  );
}

/** The first day on which nothing has to be kept any more; undefined if that is today or earlier. */
export function erasableFrom(
  records: readonly KeptRecords[],
  { time_zone: timeZone }: Pick<PersonRow, 'time_zone'>,
  at: Instant,
): LocalDate | undefined {
  const last = records.reduce<LocalDate>(
    (latest, { until }) => (until !== undefined && until > latest ? until : latest),
    '',
  );
  const from = last === '' ? '' : addDays(last, 1);
  return from > localDateAt(at, timeZone) ? from : undefined;
}
