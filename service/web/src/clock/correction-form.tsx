/**
 * Corrects an entry, or adds one that was never stamped: its old times stand beside the new ones. A person asks for it;
 * an approver makes it, and can split an entry as well.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { type CalendarFormats, useCalendar } from '../parts/calendar.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import {
  type Draft,
  type DraftFaults,
  draftOf,
  emptySpan,
  faultsIn,
  haveSameTimes,
  isLong,
  type Meanings,
  meaningsOf,
  minutesOf,
  withoutEmptyBreaks,
} from './correction-draft.js';
import { useSending } from './correction-sending.js';
import type { DraftTime, Meaning } from './draft-time.js';
import type { Entry } from './entries.js';
import { readTime } from './local-time.js';
import { LongEntry, TimeField } from './time-field.js';

export function CorrectionForm({
  entry,
  date,
  zone,
  personId,
  onSent,
}: {
  readonly entry: Entry | undefined;
  readonly date: string;
  /** Zone of the person's company. */
  readonly zone: Zone;
  /** The person whose time it is; undefined for the signed-in person. */
  readonly personId: number | undefined;
  readonly onSent: (ids: readonly string[]) => void;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const id = useId();
  const initialDraft = draftOf(entry, calendar);
  const [typedDraft, setTypedDraft] = useState(initialDraft);
  /** The end of the unusually long entry that the person has confirmed. */
  const [confirmedEnd, setConfirmedEnd] = useState<string>();
  const [wasTried, setTried] = useState(false);
  const lacksEnd = entry !== undefined && entry.end === undefined;
  useEffect(() => {
    if (lacksEnd) document.getElementById(`${id}end`)?.focus();
  }, [id, lacksEnd]);
  const draft = withoutEmptyBreaks(typedDraft);
  const meanings = meaningsOf(draft, date, calendar);
  const isUntouched = haveSameTimes(meanings, meaningsOf(initialDraft, date, calendar));
  const faults = faultsIn(meanings, draft.reason, words);
  const { start, end } = { start: meanings.start.instant, end: meanings.end.instant };
  const needsConfirmation = !isUntouched && start !== undefined && end !== undefined && isLong(start, end);
  const isOwn = personId === undefined;
  const sending = useSending({ entry, personId, onSent });
  const send = (remove = false) => {
    setTried(true);
    if (sending.isPending || faults.reason !== undefined) return;
    if (!remove && Object.values(faults).some((fault) => fault !== undefined)) return;
    if (!remove && needsConfirmation && confirmedEnd !== end) return;
    sending.mutate({ meanings: remove ? undefined : meanings, reason: draft.reason.trim() });
  };
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
        {entry === undefined
          ? words.correction_add(calendar.day(date))
          : `${words.correction_of(calendar.day(date))}, ${calendar.clock(entry.start)}`}{' '}
        <small className="muted">{entry === undefined ? words.correction_add_hint : words.correction_hint}</small>
      </h2>
      <CorrectionFields
        id={id}
        value={typedDraft}
        date={date}
        calendar={calendar}
        faults={wasTried ? faults : noFaults}
        reasonLabel={isOwn ? words.correction_reason : words.correction_reason_others}
        onChange={(part) => setTypedDraft((draft) => ({ ...draft, ...part }))}
      />
      {needsConfirmation && (
        <LongEntry
          id={`${id}long`}
          until={end}
          minutes={(Date.parse(end) - Date.parse(start)) / 60_000}
          calendar={calendar}
          confirmed={confirmedEnd === end}
          isMissing={wasTried && confirmedEnd !== end}
          onChange={(isRight) => setConfirmedEnd(isRight ? end : undefined)}
        />
      )}
      <ProblemNotice
        problem={sending.error}
        labels={{
          start: words.time_in,
          end: words.time_out,
          breaks: words.time_breaks,
          reason: isOwn ? words.correction_reason : words.correction_reason_others,
        }}
      />
      <div className="correction-foot">
        <span aria-live="polite">
          <Worked entry={entry} meanings={meanings} isUntouched={isUntouched} calendar={calendar} />
          {entry !== undefined && <Changes before={initialDraft} after={draft} />}
        </span>
        <span className="correction-buttons">
          {entry !== undefined && !isOwn && (
            <button
              type="button"
              className="button quiet"
              onClick={() =>
                setTypedDraft((current) => ({ ...current, gap: current.gap === undefined ? emptySpan : undefined }))
              }
            >
              {typedDraft.gap === undefined ? words.correction_split : words.correction_split_not}
            </button>
          )}
          {entry !== undefined && (
            <button type="button" className="button quiet" onClick={() => send(true)}>
              {words.correction_remove}
            </button>
          )}
          <button type="submit" className="button primary" aria-disabled={sending.isPending || undefined}>
            {isOwn ? words.correction_send : entry === undefined ? words.correction_do_add : words.correct}
            <span className="cap" aria-hidden="true">
              {words.correction_keys}
            </span>
          </button>
        </span>
      </div>
    </form>
  );
}

const noFaults: DraftFaults = {
  start: undefined,
  end: undefined,
  breaks: undefined,
  gap: undefined,
  reason: undefined,
};

interface CorrectionFieldsProps {
  /** The common beginning of the ids of the fields. */
  readonly id: string;
  readonly value: Draft;
  readonly date: string;
  readonly calendar: CalendarFormats;
  readonly faults: DraftFaults;
  readonly reasonLabel: string;
  readonly onChange: (part: Partial<Draft>) => void;
}

function CorrectionFields({
  id,
  value,
  date,
  calendar,
  faults,
  reasonLabel,
  onChange,
}: CorrectionFieldsProps): ReactNode {
  const words = useWords();
  const changeBreak = (index: number, part: Partial<Draft['breaks'][number]>) =>
    onChange({ breaks: value.breaks.map((pause, place) => (place === index ? { ...pause, ...part } : pause)) });
  const meanings = meaningsOf(value, date, calendar);
  const startDate = meanings.start.instant === undefined ? date : calendar.dateOf(meanings.start.instant);
  const ofTime = (key: string, time: DraftTime, meaning: Meaning, fault: string | undefined) => ({
    id: `${id}${key}`,
    value: time,
    meaning,
    date: startDate,
    calendar,
    faultId: fault === undefined ? undefined : `${id}fault`,
  });
  const timeFaults = [...new Set([faults.start, faults.end, faults.breaks, faults.gap])].filter(
    (fault) => fault !== undefined,
  );
  return (
    <>
      <div className="correction-fields">
        <TimeField
          {...ofTime('start', value.start, meanings.start, faults.start)}
          label={words.time_in}
          onChange={(start) => onChange({ start })}
        />
        {value.breaks.map((pause, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: breaks are told apart by their place
          <span key={index} className="break-fields">
            <TimeField
              {...ofTime(`b${index}`, pause.start, meanings.breaks[index]!.start, undefined)}
              label={words.time_break_from(index + 1)}
              onChange={(start) => changeBreak(index, { start })}
            />
            <TimeField
              {...ofTime(`e${index}`, pause.end, meanings.breaks[index]!.end, faults.breaks)}
              label={words.time_break_to(index + 1)}
              onChange={(end) => changeBreak(index, { end })}
            />
          </span>
        ))}
        <TimeField
          {...ofTime('end', value.end, meanings.end, faults.end)}
          label={words.time_out}
          onChange={(end) => onChange({ end })}
        />
        {value.gap !== undefined && (
          <span className="break-fields">
            <TimeField
              {...ofTime('gs', value.gap.start, meanings.gap!.start, faults.gap)}
              label={words.correction_gap_from}
              onChange={(start) => onChange({ gap: { ...value.gap!, start } })}
            />
            <TimeField
              {...ofTime('ge', value.gap.end, meanings.gap!.end, faults.gap)}
              label={words.correction_gap_to}
              onChange={(end) => onChange({ gap: { ...value.gap!, end } })}
            />
          </span>
        )}
        {value.breaks.length < 20 && (
          <button
            type="button"
            className="link-button add-break"
            onClick={() => onChange({ breaks: [...value.breaks, emptySpan] })}
          >
            {words.time_add_break}
          </button>
        )}
        <span className="reason-field">
          <label htmlFor={`${id}reason`}>{reasonLabel}</label>
          <input
            id={`${id}reason`}
            className="field"
            maxLength={1000}
            value={value.reason}
            aria-invalid={faults.reason !== undefined || undefined}
            aria-describedby={faults.reason !== undefined ? `${id}why` : undefined}
            onChange={(event) => onChange({ reason: event.target.value })}
          />
        </span>
      </div>
      {timeFaults.length > 0 && (
        <p id={`${id}fault`} className="field-fault">
          {timeFaults.join(' ')}
        </p>
      )}
      {faults.reason !== undefined && (
        <p id={`${id}why`} className="field-fault">
          {faults.reason}
        </p>
      )}
    </>
  );
}

/** The time worked: the old one, if it changes, and the new one. */
function Worked({
  entry,
  meanings,
  isUntouched,
  calendar,
}: {
  readonly entry: Entry | undefined;
  readonly meanings: Meanings;
  readonly isUntouched: boolean;
  readonly calendar: CalendarFormats;
}): ReactNode {
  const words = useWords();
  const minutesBefore = entry?.worked_minutes;
  const minutes = isUntouched && minutesBefore !== undefined ? minutesBefore : minutesOf(meanings);
  if (minutes === undefined) return null;
  const changes = minutesBefore !== undefined && minutesBefore !== minutes;
  return (
    <>
      {words.worked}{' '}
      {changes && (
        <>
          <del>{calendar.duration(minutesBefore)}</del>{' '}
        </>
      )}
      <ins>{calendar.duration(minutes)}</ins>
      {changes && <span className="muted"> ({calendar.signed(minutes - minutesBefore)})</span>}
    </>
  );
}

/** The changes, old beside new. */
function Changes({ before, after }: { readonly before: Draft; readonly after: Draft }): ReactNode {
  const words = useWords();
  const textOf = ({ text }: DraftTime) => (readTime(text) ?? text) || '–';
  const breaksOf = (draft: Draft) =>
    draft.breaks.map((pause) => `${textOf(pause.start)}–${textOf(pause.end)}`).join(', ') || '–';
  const gapOf = ({ gap }: Draft) => (gap === undefined ? '–' : `${textOf(gap.start)}–${textOf(gap.end)}`);
  const lines = [
    [words.time_in, textOf(before.start), textOf(after.start)],
    [words.time_breaks, breaksOf(before), breaksOf(after)],
    [words.correction_gap, gapOf(before), gapOf(after)],
    [words.time_out, textOf(before.end), textOf(after.end)],
  ] as const;
  const changedLines = lines.filter(([, oldText, newText]) => oldText !== newText);
  if (changedLines.length === 0) return null;
  return (
    <span className="changed">
      {changedLines.map(([label, oldText, newText]) => (
        <span key={label}>
          {label} <del>{oldText}</del> <span aria-hidden="true">→</span> <ins>{newText}</ins>
        </span>
      ))}
    </span>
  );
}
