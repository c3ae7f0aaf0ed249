/** Asks once when somebody left who forgot to clock out; whatever else was wrong is corrected on the day itself. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { Glyph } from '../parts/glyph.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { draftOf, faultsIn, timesOf } from './correction-draft.js';
import { readTime } from './local-time.js';

export default function MissingClockOut({ missing }: { readonly missing: Schemas['MissingClockOut'] }): ReactNode {
  const { time_entry: entry, correction_waits: waits } = missing;
  const words = useWords();
  const calendar = useCalendar();
  const day = calendar.day(entry.date);
  if (waits)
    return (
      <div className="notice row">
        <Glyph name="check" />
        <span>{words.missing_waits(day)}</span>
      </div>
    );
  return <LeavingTime entry={entry} />;
}

function LeavingTime({ entry }: { readonly entry: Schemas['TimeEntry'] }): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const id = useId();
  const [end, setEnd] = useState('');
  const [tried, setTried] = useState(false);
  const day = calendar.day(entry.date);
  const draft = { ...draftOf(entry, calendar), end, reason: words.missing_reason };
  const faults = faultsIn(draft, words);
  const fault = faults.end ?? faults.breaks;
  const queries = useQueryClient();
  const sending = useMutation({
    mutationFn: () =>
      ask(
        client.POST('/app/me/corrections', {
          body: { entry_id: entry.id, ...timesOf(draft, entry.date, calendar)[0], reason: draft.reason },
        }),
      ),
    onSuccess: () =>
      Promise.all(
        ['overview', 'my-corrections', 'my-days', 'my-entries'].map((key) =>
          queries.invalidateQueries({ queryKey: [key] }),
        ),
      ),
  });
  return (
    <form
      className="notice warn missing"
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (fault === undefined && !sending.isPending) sending.mutate();
      }}
    >
      <span>
        <Glyph name="warning" /> {words.missing_question(day, calendar.time(entry.start))}
      </span>
      <span className="row">
        <input
          className="field"
          aria-label={words.missing_field(day)}
          inputMode="numeric"
          autoComplete="off"
          maxLength={5}
          placeholder="00:00"
          value={end}
          aria-invalid={(tried && fault !== undefined) || undefined}
          aria-describedby={tried && fault !== undefined ? `${id}fault` : undefined}
          onChange={(event) => setEnd(event.target.value)}
          onBlur={() => setEnd(readTime(end) ?? end)}
        />
        <button type="submit" className="button primary small" aria-disabled={sending.isPending || undefined}>
          {words.missing_send}
        </button>
        <Link className="link-button" href={`/time?day=${entry.date}&correct=1`}>
          {words.missing_more}
        </Link>
      </span>
      {tried && fault !== undefined && (
        <p id={`${id}fault`} className="field-fault">
          {fault}
        </p>
      )}
      <ProblemNotice problem={sending.error} />
    </form>
  );
}
