/** The subject of a request, in the words of a line of the list. */
import type { Schemas } from '../api/session.js';
import type { CalendarFormats } from '../parts/calendar.js';
import type { Words } from '../words/words.js';

export type Approval = Schemas['Approval'];
export interface ApprovalLine {
  readonly what: string;
  readonly amount: string;
  readonly when: string;
}

interface Work {
  readonly start: string;
  readonly end?: string | undefined;
  readonly breaks?: readonly { readonly start: string; readonly end?: string | undefined }[] | undefined;
}

/**
 * Whole minutes of a span without its breaks, as the service counts them: seconds are not rounded up. Undefined while
 * it is open.
 */
export function workedIn({ start, end, breaks = [] }: Work): number | undefined {
  if (end === undefined) return undefined;
  const millisecondsBetween = (from: string, to: string) => Date.parse(to) - Date.parse(from);
  const workedMs = breaks.reduce(
    (remaining, pause) => remaining - (pause.end === undefined ? 0 : millisecondsBetween(pause.start, pause.end)),
    millisecondsBetween(start, end),
  );
  return Math.floor(workedMs / 60_000);
}

export function lineOf(request: Approval, words: Words, calendar: CalendarFormats): ApprovalLine {
  const { absence, correction, entry, kind } = request;
  if (absence !== undefined)
    return {
      what:
        kind === 'absence_cancellation' ? `${words.approvals_kinds[kind]}: ${absence.type_label}` : absence.type_label,
      amount: words.approvals_days(calendar.days(absence.days)),
      when: `${calendar.span(absence.start_date, absence.end_date)}${absence.half_day === undefined ? '' : `, ${words.approvals_half[absence.half_day]}`}`,
    };
  if (correction !== undefined) {
    const { entry: oldEntry, start, end, breaks, remove } = correction;
    const minutesBefore = oldEntry === undefined ? 0 : (workedIn(oldEntry) ?? 0);
    const minutesAfter = remove
      ? 0
      : (workedIn({ start: start ?? oldEntry!.start, end: end ?? oldEntry?.end, breaks: breaks ?? oldEntry?.breaks }) ??
        0);
    return {
      what: words.approvals_kinds.correction,
      amount: calendar.signed(minutesAfter - minutesBefore),
      when: calendar.day(oldEntry?.date ?? calendar.dateOf(start!)),
    };
  }
  return {
    what: words.approvals_kinds[kind],
    amount: entry?.source.name ?? '',
    when: entry === undefined ? '' : `${calendar.day(entry.date)}, ${calendar.times(entry.start, entry.end, '')}`,
  };
}
