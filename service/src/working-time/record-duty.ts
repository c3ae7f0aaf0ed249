/**
 * Begin, end and duration of a day's work have to be recorded by the end of the seventh day after it: MiLoG §17 (1),
 * for minijobs and the branches of SchwarzArbG §2a. Pure.
 */
import { addDays, type LocalDate } from '@clockproof/platform/time/local-date';
import { type Law, rulesInForce, versionsOf } from './law.js';
import type { Finding } from './rules.js';

interface RecordDuty {
  readonly clause: string;
  readonly days: number;
}

const law: Law<RecordDuty> = {
  DE: [{ from: '2015-01-01', rules: { clause: 'MiLoG §17 (1)', days: 7 } }],
};

/** The records of a day. */
export interface RecordOfDay {
  readonly date: LocalDate;
  /** An entry of the day has no end yet. */
  readonly open: boolean;
  /** There is an entry with an end, also one that awaits approval. */
  readonly complete: boolean;
  /** Minutes of work that the schedule wants, after absences. */
  readonly dueMinutes: number;
}

/**
 * One finding for a workday that is older than the law allows and not recorded: an entry without an end, or no entry
 * on a day on which work was due.
 * @param today on the company's calendar
 */
export function missingRecord(country: string, day: RecordOfDay, today: LocalDate): Finding[] {
  const duty = rulesInForce(versionsOf(law, country), day.date);
  if (duty === undefined || addDays(day.date, duty.days) >= today) return [];
  if (!day.open && (day.complete || day.dueMinutes <= 0)) return [];
  return [
    {
      code: 'record_missing',
      rule: duty.clause,
      limitMinutes: 0,
      actualMinutes: 0,
      days: { limit: duty.days, actual: 0 },
    },
  ];
}
