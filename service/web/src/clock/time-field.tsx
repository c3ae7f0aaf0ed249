/**
 * A field for a time of an entry. If a text can mean several instants, the field names the meant one and offers the
 * others.
 */
import type { ReactNode } from 'react';
import type { CalendarFormats } from '../parts/calendar.js';
import { useWords, type Words } from '../words/words.js';
import type { DraftTime, Meaning } from './draft-time.js';
import { instantsOf, readTime } from './local-time.js';

export interface TimeFieldProps {
  readonly id: string;
  readonly label: string;
  readonly value: DraftTime;
  readonly meaning: Meaning;
  /** The day on which the entry starts. */
  readonly date: string;
  readonly calendar: CalendarFormats;
  /** The id of the text with the fault. */
  readonly faultId: string | undefined;
  readonly onChange: (value: DraftTime) => void;
}

export function TimeField({ id, label, value, meaning, date, calendar, faultId, onChange }: TimeFieldProps): ReactNode {
  const words = useWords();
  const { instant, choices } = meaning;
  const name = (choice: string) => nameOf(choice, date, calendar, words);
  return (
    <span className="time-field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="field"
        inputMode="numeric"
        autoComplete="off"
        maxLength={5}
        placeholder="00:00"
        value={value.text}
        aria-invalid={faultId !== undefined || undefined}
        aria-describedby={faultId}
        onChange={(event) => onChange({ ...value, text: event.target.value, chosenInstant: undefined })}
        onBlur={() => onChange({ ...value, text: readTime(value.text) ?? value.text })}
      />
      {choices.length > 1 && (
        <select
          className="field when"
          aria-label={words.time_when(label)}
          value={instant}
          onChange={(event) => onChange({ ...value, chosenInstant: event.target.value })}
        >
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {name(choice)}
            </option>
          ))}
        </select>
      )}
      {choices.length === 1 && name(choices[0]!) !== words.time_same_day && (
        <small className="when muted">{name(choices[0]!)}</small>
      )}
    </span>
  );
}

/** `same day`, `next day`, `02:30 (second)` @param date of the day on which the entry starts */
function nameOf(instant: string, date: string, calendar: CalendarFormats, words: Words): string {
  const day = calendar.dateOf(instant);
  const days = Math.round((Date.parse(day) - Date.parse(date)) / 86_400_000);
  const time = calendar.time(instant);
  const instants = instantsOf(day, time, calendar);
  if (instants.length === 1) return words.time_days_later(days);
  const isFirst = Date.parse(instant) < Date.parse(instants[1]!);
  const which = isFirst ? words.time_first(time) : words.time_second(time);
  return days === 0 ? which : `${which}, ${words.time_days_later(days)}`;
}

/** Asks whether an unusually long entry is meant: an end before the start is one on the next day. */
export function LongEntry({
  id,
  until,
  minutes,
  calendar,
  confirmed,
  isMissing,
  onChange,
}: {
  readonly id: string;
  readonly until: string;
  readonly minutes: number;
  readonly calendar: CalendarFormats;
  readonly confirmed: boolean;
  /** Whether the form was sent without the confirmation. */
  readonly isMissing: boolean;
  readonly onChange: (isConfirmed: boolean) => void;
}): ReactNode {
  const words = useWords();
  return (
    <p className="notice warn long-entry">
      <label htmlFor={id}>
        <input
          id={id}
          type="checkbox"
          checked={confirmed}
          aria-invalid={isMissing || undefined}
          aria-describedby={isMissing ? `${id}fault` : undefined}
          onChange={(event) => onChange(event.target.checked)}
        />{' '}
        {words.long_entry(
          calendar.duration(minutes),
          `${calendar.day(calendar.dateOf(until))}, ${calendar.time(until)}`,
        )}
      </label>
      {isMissing && (
        <span id={`${id}fault`} className="field-fault">
          {words.long_entry_needed}
        </span>
      )}
    </p>
  );
}
