/** Corrects an entry, or adds one that was never stamped: what it was stands beside what it is to be. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { plusDays, useCalendar } from '../parts/calendar.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import type { Entry } from './entries.js';
import { instantOf, readTime } from './local-time.js';

interface Draft {
  readonly start: string;
  readonly end: string;
  readonly breaks: readonly { readonly start: string; readonly end: string }[];
  readonly reason: string;
}

export function CorrectionForm({
  entry,
  date,
  onSent,
}: {
  readonly entry: Entry | undefined;
  readonly date: string;
  readonly onSent: () => void;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const queries = useQueryClient();
  const id = useId();
  const before: Draft = {
    start: entry === undefined ? '' : calendar.time(entry.start),
    end: entry?.end === undefined ? '' : calendar.time(entry.end),
    breaks: (entry?.breaks ?? []).map((pause) => ({
      start: calendar.time(pause.start),
      end: pause.end === undefined ? '' : calendar.time(pause.end),
    })),
    reason: '',
  };
  const [draft, setDraft] = useState(before);
  const [tried, setTried] = useState(false);
  const change = (some: Partial<Draft>) => setDraft((now) => ({ ...now, ...some }));
  const breaks = draft.breaks.filter((pause) => pause.start.trim() !== '' || pause.end.trim() !== '');
  const spanOf = (some: Draft) =>
    minutesOf(
      some,
      some.breaks.filter((pause) => pause.start.trim() !== '' || pause.end.trim() !== ''),
    );
  const worked = spanOf(draft);
  const was = entry?.worked_minutes;
  // The fields have no seconds: as long as they say what they said, nothing differs.
  const isUntouched = timesOf(draft) === timesOf(before);
  const shown = isUntouched && was !== undefined ? was : worked;
  const faults = {
    start: readTime(draft.start) === undefined ? words.correction_time_needed : undefined,
    end: readTime(draft.end) === undefined ? words.correction_time_needed : undefined,
    breaks: breaks.some((pause) => readTime(pause.start) === undefined || readTime(pause.end) === undefined)
      ? words.correction_time_needed
      : worked === undefined && readTime(draft.start) !== undefined && readTime(draft.end) !== undefined
        ? words.correction_breaks_outside
        : undefined,
    reason: draft.reason.trim() === '' ? words.correction_reason_needed : undefined,
  };
  const sending = useMutation({
    mutationFn: (remove: boolean) => {
      if (remove)
        return ask(
          client.POST('/app/me/corrections', {
            body: { entry_id: entry!.id, remove: true, reason: draft.reason.trim() },
          }),
        );
      const start = readTime(draft.start)!;
      // What ends before it begins ends on the next day.
      const at = (time: string) => instantOf(time < start ? plusDays(date, 1) : date, time, calendar);
      const end = readTime(draft.end)!;
      return ask(
        client.POST('/app/me/corrections', {
          body: {
            ...(entry === undefined ? {} : { entry_id: entry.id }),
            start: at(start),
            end: end === start ? instantOf(plusDays(date, 1), end, calendar) : at(end),
            breaks: breaks.map((pause) => ({ start: at(readTime(pause.start)!), end: at(readTime(pause.end)!) })),
            reason: draft.reason.trim(),
          },
        }),
      );
    },
    onSuccess: async () => {
      await Promise.all(
        ['overview', 'my-corrections', 'my-days', 'my-entries'].map((key) =>
          queries.invalidateQueries({ queryKey: [key] }),
        ),
      );
      onSent();
    },
  });
  const send = (remove = false) => {
    setTried(true);
    if (sending.isPending || faults.reason !== undefined) return;
    if (!remove && Object.values(faults).some((fault) => fault !== undefined)) return;
    sending.mutate(remove);
  };
  const time = (key: string, label: string, value: string, fault: string | undefined, set: (value: string) => void) => (
    <span className="time-field">
      <label htmlFor={`${id}${key}`}>{label}</label>
      <input
        id={`${id}${key}`}
        className="field"
        inputMode="numeric"
        autoComplete="off"
        maxLength={5}
        placeholder="00:00"
        value={value}
        aria-invalid={(tried && fault !== undefined) || undefined}
        aria-describedby={tried && fault !== undefined ? `${id}fault` : undefined}
        onChange={(event) => set(event.target.value)}
        onBlur={() => set(readTime(value) ?? value)}
      />
    </span>
  );
  const shownFaults = [...new Set([faults.start, faults.end, faults.breaks])].filter((fault) => fault !== undefined);
  return (
    <form
      className="card correction"
      aria-labelledby={`${id}title`}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
      }}
    >
      <h2 id={`${id}title`}>
        {entry === undefined ? words.correction_add(calendar.day(date)) : words.correction_of(calendar.day(date))}
        <small className="muted">{entry === undefined ? words.correction_add_hint : words.correction_hint}</small>
      </h2>
      <div className="correction-fields">
        {time('start', words.time_in, draft.start, faults.start, (start) => change({ start }))}
        {draft.breaks.map((pause, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: breaks are told apart by their place
          <span key={index} className="break-fields">
            {time(`b${index}`, words.time_break_from(index + 1), pause.start, undefined, (start) =>
              change({ breaks: draft.breaks.map((one, place) => (place === index ? { ...one, start } : one)) }),
            )}
            {time(`e${index}`, words.time_break_to(index + 1), pause.end, faults.breaks, (end) =>
              change({ breaks: draft.breaks.map((one, place) => (place === index ? { ...one, end } : one)) }),
            )}
          </span>
        ))}
        {time('end', words.time_out, draft.end, faults.end, (end) => change({ end }))}
        {draft.breaks.length < 20 && (
          <button
            type="button"
            className="link-button add-break"
            onClick={() => change({ breaks: [...draft.breaks, { start: '', end: '' }] })}
          >
            {words.time_add_break}
          </button>
        )}
        <span className="reason-field">
          <label htmlFor={`${id}reason`}>{words.correction_reason}</label>
          <input
            id={`${id}reason`}
            className="field"
            maxLength={1000}
            value={draft.reason}
            aria-invalid={(tried && faults.reason !== undefined) || undefined}
            aria-describedby={tried && faults.reason !== undefined ? `${id}why` : undefined}
            onChange={(event) => change({ reason: event.target.value })}
          />
        </span>
      </div>
      {tried && shownFaults.length > 0 && (
        <p id={`${id}fault`} className="field-fault">
          {shownFaults.join(' ')}
        </p>
      )}
      {tried && faults.reason !== undefined && (
        <p id={`${id}why`} className="field-fault">
          {faults.reason}
        </p>
      )}
      <ProblemNotice
        problem={sending.error}
        labels={{
          start: words.time_in,
          end: words.time_out,
          breaks: words.time_breaks,
          reason: words.correction_reason,
        }}
      />
      <div className="correction-foot">
        <span aria-live="polite">
          {shown !== undefined && (
            <>
              {words.worked}{' '}
              {was !== undefined && was !== shown && (
                <>
                  <del>{calendar.duration(was)}</del>{' '}
                </>
              )}
              <ins>{calendar.duration(shown)}</ins>
              {was !== undefined && was !== shown && <span className="muted"> ({calendar.signed(shown - was)})</span>}
            </>
          )}
          {entry !== undefined && <Changes before={before} after={{ ...draft, breaks }} />}
        </span>
        <span className="correction-buttons">
          {entry !== undefined && (
            <button type="button" className="button quiet" onClick={() => send(true)}>
              {words.correction_remove}
            </button>
          )}
          <button type="submit" className="button primary" aria-disabled={sending.isPending || undefined}>
            {words.correction_send}
            <span className="cap" aria-hidden="true">
              {words.correction_keys}
            </span>
          </button>
        </span>
      </div>
    </form>
  );
}

/** What is to change, old beside new. */
const timesOf = ({ reason: _, ...times }: Draft) => JSON.stringify(times);

function Changes({ before, after }: { readonly before: Draft; readonly after: Draft }): ReactNode {
  const words = useWords();
  const breaksOf = (some: Draft) => some.breaks.map((pause) => `${pause.start}–${pause.end}`).join(', ') || '–';
  const lines = [
    [words.time_in, before.start, readTime(after.start) ?? after.start],
    [words.time_breaks, breaksOf(before), breaksOf(after)],
    [words.time_out, before.end === '' ? '–' : before.end, readTime(after.end) ?? (after.end || '–')],
  ] as const;
  const changed = lines.filter(([, was, is]) => was !== is);
  if (changed.length === 0) return null;
  return (
    <span className="changed">
      {changed.map(([label, was, is]) => (
        <span key={label}>
          {label} <del>{was}</del> <span aria-hidden="true">→</span> <ins>{is}</ins>
        </span>
      ))}
    </span>
  );
}

/** @returns minutes between the times without the breaks; undefined where they are incomplete or make no sense */
function minutesOf(draft: Draft, breaks: Draft['breaks']): number | undefined {
  const start = readTime(draft.start);
  const end = readTime(draft.end);
  if (start === undefined || end === undefined) return undefined;
  const from = minute(start);
  const after = (time: string) => (minute(time) < from ? minute(time) + 1440 : minute(time));
  const to = end === start ? from + 1440 : after(end);
  let sum = to - from;
  for (const pause of breaks) {
    const first = readTime(pause.start);
    const last = readTime(pause.end);
    if (first === undefined || last === undefined) return undefined;
    if (after(last) <= after(first) || after(last) > to) return undefined;
    sum -= after(last) - after(first);
  }
  return sum;
}

function minute(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
