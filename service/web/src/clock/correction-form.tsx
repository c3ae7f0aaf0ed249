/**
 * Corrects an entry, or adds one that was never stamped: what it was stands beside what it is to be. A person asks for
 * it; somebody who decides for them makes it, and can split an entry as well.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { useCalendar } from '../parts/calendar.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import {
  type Draft,
  type DraftFaults,
  draftOf,
  faultsIn,
  haveSameTimes,
  minutesOf,
  withoutEmptyBreaks,
} from './correction-draft.js';
import { useSending } from './correction-sending.js';
import type { Entry } from './entries.js';
import { readTime } from './local-time.js';

export function CorrectionForm({
  entry,
  date,
  personId,
  onSent,
}: {
  readonly entry: Entry | undefined;
  readonly date: string;
  /** Whose time it is, if not the signed-in person's own. */
  readonly personId: number | undefined;
  readonly onSent: (ids: readonly string[]) => void;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const id = useId();
  const before = draftOf(entry, calendar);
  const [typed, setTyped] = useState(before);
  const [tried, setTried] = useState(false);
  const lacksEnd = entry !== undefined && entry.end === undefined;
  useEffect(() => {
    if (lacksEnd) document.getElementById(`${id}end`)?.focus();
  }, [id, lacksEnd]);
  const draft = withoutEmptyBreaks(typed);
  const faults = faultsIn(draft, words);
  const own = personId === undefined;
  const sending = useSending({ entry, date, personId, onSent });
  const send = (remove = false) => {
    setTried(true);
    if (sending.isPending || faults.reason !== undefined) return;
    if (!remove && Object.values(faults).some((fault) => fault !== undefined)) return;
    sending.mutate({ draft, remove });
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
          : `${words.correction_of(calendar.day(date))}, ${calendar.time(entry.start)}`}{' '}
        <small className="muted">{entry === undefined ? words.correction_add_hint : words.correction_hint}</small>
      </h2>
      <CorrectionFields
        id={id}
        value={typed}
        faults={tried ? faults : noFaults}
        reasonLabel={own ? words.correction_reason : words.correction_reason_others}
        onChange={(part) => setTyped((now) => ({ ...now, ...part }))}
      />
      <ProblemNotice
        problem={sending.error}
        labels={{
          start: words.time_in,
          end: words.time_out,
          breaks: words.time_breaks,
          reason: own ? words.correction_reason : words.correction_reason_others,
        }}
      />
      <div className="correction-foot">
        <span aria-live="polite">
          <Worked entry={entry} before={before} typed={typed} />
          {entry !== undefined && <Changes before={before} after={draft} />}
        </span>
        <span className="correction-buttons">
          {entry !== undefined && !own && (
            <button
              type="button"
              className="button quiet"
              onClick={() => setTyped((now) => ({ ...now, gap: now.gap === undefined ? emptyGap : undefined }))}
            >
              {typed.gap === undefined ? words.correction_split : words.correction_split_not}
            </button>
          )}
          {entry !== undefined && (
            <button type="button" className="button quiet" onClick={() => send(true)}>
              {words.correction_remove}
            </button>
          )}
          <button type="submit" className="button primary" aria-disabled={sending.isPending || undefined}>
            {own ? words.correction_send : entry === undefined ? words.correction_do_add : words.correct}
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
const emptyGap = { start: '', end: '' };

interface CorrectionFieldsProps {
  /** What the ids of the fields begin with. */
  readonly id: string;
  readonly value: Draft;
  readonly faults: DraftFaults;
  readonly reasonLabel: string;
  readonly onChange: (part: Partial<Draft>) => void;
}

function CorrectionFields({ id, value, faults, reasonLabel, onChange }: CorrectionFieldsProps): ReactNode {
  const words = useWords();
  const changeBreak = (index: number, part: Partial<Draft['breaks'][number]>) =>
    onChange({ breaks: value.breaks.map((pause, place) => (place === index ? { ...pause, ...part } : pause)) });
  const ofTime = (key: string, fault: string | undefined) => ({
    id: `${id}${key}`,
    faultId: fault === undefined ? undefined : `${id}fault`,
  });
  const timeFaults = [...new Set([faults.start, faults.end, faults.breaks, faults.gap])].filter(
    (fault) => fault !== undefined,
  );
  return (
    <>
      <div className="correction-fields">
        <TimeField
          {...ofTime('start', faults.start)}
          label={words.time_in}
          value={value.start}
          onChange={(start) => onChange({ start })}
        />
        {value.breaks.map((pause, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: breaks are told apart by their place
          <span key={index} className="break-fields">
            <TimeField
              {...ofTime(`b${index}`, undefined)}
              label={words.time_break_from(index + 1)}
              value={pause.start}
              onChange={(start) => changeBreak(index, { start })}
            />
            <TimeField
              {...ofTime(`e${index}`, faults.breaks)}
              label={words.time_break_to(index + 1)}
              value={pause.end}
              onChange={(end) => changeBreak(index, { end })}
            />
          </span>
        ))}
        <TimeField
          {...ofTime('end', faults.end)}
          label={words.time_out}
          value={value.end}
          onChange={(end) => onChange({ end })}
        />
        {value.gap !== undefined && (
          <span className="break-fields">
            <TimeField
              {...ofTime('gs', faults.gap)}
              label={words.correction_gap_from}
              value={value.gap.start}
              onChange={(start) => onChange({ gap: { ...value.gap!, start } })}
            />
            <TimeField
              {...ofTime('ge', faults.gap)}
              label={words.correction_gap_to}
              value={value.gap.end}
              onChange={(end) => onChange({ gap: { ...value.gap!, end } })}
            />
          </span>
        )}
        {value.breaks.length < 20 && (
          <button
            type="button"
            className="link-button add-break"
            onClick={() => onChange({ breaks: [...value.breaks, { start: '', end: '' }] })}
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

function TimeField({
  id,
  label,
  value,
  faultId,
  onChange,
}: {
  readonly id: string;
  readonly label: string;
  readonly value: string;
  /** Of the text that says what is wrong with it. */
  readonly faultId: string | undefined;
  readonly onChange: (value: string) => void;
}): ReactNode {
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
        value={value}
        aria-invalid={faultId !== undefined || undefined}
        aria-describedby={faultId}
        onChange={(event) => onChange(event.target.value)}
        onBlur={() => onChange(readTime(value) ?? value)}
      />
    </span>
  );
}

/** The time worked: what it was, if it changes, and what it will be. */
function Worked({
  entry,
  before,
  typed,
}: {
  readonly entry: Entry | undefined;
  readonly before: Draft;
  readonly typed: Draft;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const was = entry?.worked_minutes;
  // The fields have no seconds: as long as they say what they said, nothing differs.
  const isUntouched = was !== undefined && haveSameTimes(typed, before);
  const minutes = isUntouched ? was : minutesOf(withoutEmptyBreaks(typed));
  if (minutes === undefined) return null;
  const changes = was !== undefined && was !== minutes;
  return (
    <>
      {words.worked}{' '}
      {changes && (
        <>
          <del>{calendar.duration(was)}</del>{' '}
        </>
      )}
      <ins>{calendar.duration(minutes)}</ins>
      {changes && <span className="muted"> ({calendar.signed(minutes - was)})</span>}
    </>
  );
}

/** What is to change, old beside new. */
function Changes({ before, after }: { readonly before: Draft; readonly after: Draft }): ReactNode {
  const words = useWords();
  const breaksOf = (some: Draft) => some.breaks.map((pause) => `${pause.start}–${pause.end}`).join(', ') || '–';
  const lines = [
    [words.time_in, before.start, readTime(after.start) ?? after.start],
    [words.time_breaks, breaksOf(before), breaksOf(after)],
    [words.correction_gap, '–', after.gap === undefined ? '–' : `${after.gap.start}–${after.gap.end}`],
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
