/** Asks once for the end of an entry whose person forgot to clock out. Other faults are corrected on the day itself. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { Glyph } from '../parts/glyph.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { breaksUntil } from './bulk-draft.js';
import { draftOf, isLong, meaningsOf } from './correction-draft.js';
import { type DraftTime, emptyTime } from './draft-time.js';
import { LongEntry, TimeField } from './time-field.js';

export default function MissingClockOut({ missing }: { readonly missing: Schemas['MissingClockOut'] }): ReactNode {
  const { time_entry: entry, correction_waits: isWaiting } = missing;
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  const day = calendar.day(entry.date);
  if (isWaiting)
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
  const calendar = useCalendar(useOwnZone());
  const id = useId();
  const [leavingTime, setLeavingTime] = useState<DraftTime>(emptyTime);
  /** The end of the unusually long entry that the person has confirmed. */
  const [confirmedEnd, setConfirmedEnd] = useState<string>();
  const [wasTried, setTried] = useState(false);
  const day = calendar.day(entry.date);
  const meaning = meaningsOf({ ...draftOf(entry, calendar), end: leavingTime }, entry.date, calendar).end;
  const end = meaning.instant;
  const fault = end === undefined ? words.correction_time_needed : undefined;
  const needsConfirmation = end !== undefined && isLong(entry.start, end);
  const queries = useQueryClient();
  const sending = useMutation({
    mutationFn: () =>
      ask(
        client.POST('/app/me/corrections', {
          body: {
            entry_id: entry.id,
            start: entry.start,
            end: end!,
            breaks: breaksUntil(end!, entry),
            reason: words.missing_reason,
          },
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
        if (fault === undefined && !(needsConfirmation && confirmedEnd !== end) && !sending.isPending) sending.mutate();
      }}
    >
      <span>
        <Glyph name="warning" /> {words.missing_question(day, calendar.clock(entry.start))}
      </span>
      <span className="row">
        <TimeField
          id={id}
          label={words.missing_field(day)}
          value={leavingTime}
          meaning={meaning}
          date={calendar.dateOf(entry.start)}
          calendar={calendar}
          faultId={wasTried && fault !== undefined ? `${id}fault` : undefined}
          onChange={setLeavingTime}
        />
        <button type="submit" className="button primary small" aria-disabled={sending.isPending || undefined}>
          {words.missing_send}
        </button>
        <Link className="link-button" href={`/time?day=${entry.date}&correct=1`}>
          {words.missing_more}
        </Link>
      </span>
      {wasTried && fault !== undefined && (
        <p id={`${id}fault`} className="field-fault">
          {fault}
        </p>
      )}
      {needsConfirmation && (
        <LongEntry
          id={`${id}long`}
          until={end}
          minutes={(Date.parse(end) - Date.parse(entry.start)) / 60_000}
          calendar={calendar}
          confirmed={confirmedEnd === end}
          isMissing={wasTried && confirmedEnd !== end}
          onChange={(isRight) => setConfirmedEnd(isRight ? end : undefined)}
        />
      )}
      <ProblemNotice problem={sending.error} />
    </form>
  );
}
