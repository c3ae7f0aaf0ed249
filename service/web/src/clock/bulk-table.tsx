/** The rows of a correction of several people: the people to choose, the service's result for each, and the reason. */
import { Button, TextInput } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client, Problem } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import type { CalendarFormats } from '../parts/calendar.js';
import { Glyph } from '../parts/glyph.js';
import { ProblemNotice, sentenceOf } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { type BulkKind, type BulkRow, bulkDraftOf } from './bulk-draft.js';
import { isLong } from './correction-draft.js';
import { byTime } from './draft-time.js';

type Draft = Schemas['CorrectionDraft'];

export interface BulkTableProps {
  readonly kind: BulkKind;
  readonly rows: readonly BulkRow[];
  /** Days and times of the company. */
  readonly calendar: CalendarFormats;
  /** @param ids of the corrections that were made */
  readonly onMade: (ids: readonly string[]) => void;
}

export function BulkTable({ kind, rows, calendar, onMade }: BulkTableProps): ReactNode {
  const words = useWords();
  const [time, setTime] = useState('');
  const [until, setUntil] = useState('');
  const [reason, setReason] = useState('');
  /** Choices of the person; other rows follow {@link isLikely}. */
  const [ticks, setTicks] = useState<Readonly<Record<string, boolean>>>({});
  /** The number of unusually long entries that the person has confirmed. */
  const [confirmedCount, setConfirmedCount] = useState(0);
  /** Times of single rows, by their key. */
  const [rowTimes, setRowTimes] = useState<Readonly<Record<string, string>>>({});
  const drafts = new Map<string, Draft>();
  for (const row of rows) {
    const draft = bulkDraftOf(row, { kind, time: rowTimes[row.key] ?? time, until }, calendar);
    if (draft !== undefined) drafts.set(row.key, draft);
  }
  const effects = useEffects(drafts);
  const isTicked = (row: BulkRow) => ticks[row.key] ?? isLikely(kind, row.entry, drafts.get(row.key));
  const tickedRows = rows.filter((row) => {
    const effect = effects?.get(row.key);
    return isTicked(row) && effect !== undefined && effect.refusal === undefined;
  });
  const correcting = useMutation({
    mutationFn: () =>
      ask(
        client.POST('/app/corrections', {
          body: { reason: reason.trim(), corrections: tickedRows.map(({ key }) => drafts.get(key)!) },
        }),
      ),
    onSuccess: ({ data }) => {
      setReason('');
      onMade(data.map(({ id }) => id));
    },
  });
  const longRows = tickedRows.filter(({ key }) => isLong(drafts.get(key)!.start!, drafts.get(key)!.end!));
  const needsConfirmation = longRows.length > 0;
  const isReady =
    !(needsConfirmation && confirmedCount !== longRows.length) &&
    tickedRows.length > 0 &&
    reason.trim() !== '' &&
    effects !== undefined;
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !correcting.isPending) correcting.mutate();
      }}
    >
      <div className="toolbar">
        <TextInput
          label={words.several_times[kind]}
          placeholder={kind === 'in' || kind === 'add' ? '08:00' : '17:00'}
          value={time}
          onChange={(event) => setTime(event.currentTarget.value)}
          maxLength={5}
        />
        {kind === 'add' && (
          <TextInput
            label={words.several_until}
            placeholder="17:00"
            value={until}
            onChange={(event) => setUntil(event.currentTarget.value)}
            maxLength={5}
          />
        )}
        <TextInput
          className="several-reason"
          label={words.several_reason}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
          maxLength={1000}
        />
      </div>
      <div className="panel">
        <table className="grid several">
          <thead>
            <tr>
              <th scope="col">
                <input
                  type="checkbox"
                  aria-label={words.several_all}
                  checked={rows.every(isTicked)}
                  onChange={(event) => {
                    const { checked: isChecked } = event.currentTarget;
                    setTicks(Object.fromEntries(rows.map(({ key }) => [key, isChecked])));
                  }}
                />
              </th>
              <th scope="col">{words.presence_person}</th>
              <th scope="col">{words.report_day}</th>
              <th scope="col">{words.several_before}</th>
              <th scope="col">{words.several_own_time}</th>
              <th scope="col">{words.several_after}</th>
              <th scope="col" className="number">
                {words.report_worked}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <td>
                  <input
                    type="checkbox"
                    aria-label={words.several_choose(row.person.name, calendar.day(row.date))}
                    checked={isTicked(row)}
                    onChange={(event) => setTicks({ ...ticks, [row.key]: event.currentTarget.checked })}
                  />
                </td>
                <th scope="row">
                  <bdi>{row.person.name}</bdi> {row.department !== undefined && <small>{row.department}</small>}
                </th>
                <td className="unbroken" data-label={words.report_day}>
                  {calendar.day(row.date)}
                </td>
                <td data-label={words.several_before}>{timesOf(row.entry, calendar, words.several_open)}</td>
                <td data-label={words.several_own_time}>
                  <TextInput
                    size="xs"
                    className="several-time"
                    aria-label={words.several_own_time_of(row.person.name, calendar.day(row.date))}
                    placeholder={time}
                    value={rowTimes[row.key] ?? ''}
                    onChange={(event) => {
                      const { [row.key]: _, ...otherTimes } = rowTimes;
                      const { value } = event.currentTarget;
                      setRowTimes(value === '' ? otherTimes : { ...otherTimes, [row.key]: value });
                    }}
                    maxLength={5}
                  />
                </td>
                <After calendar={calendar} draft={drafts.get(row.key)} effect={effects?.get(row.key)} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {needsConfirmation && (
        <p className="notice warn">
          <label>
            <input
              type="checkbox"
              checked={confirmedCount === longRows.length}
              onChange={(event) => setConfirmedCount(event.currentTarget.checked ? longRows.length : 0)}
            />{' '}
            {words.several_long(longRows.length)}
          </label>
        </p>
      )}
      <ProblemNotice problem={correcting.error} />
      <div className="end">
        <span role="status" className="muted push">
          {words.several_chosen(tickedRows.length, rows.length)}
        </span>
        <Button type="submit" disabled={!isReady} loading={correcting.isPending}>
          {words.several_do(tickedRows.length)}
        </Button>
      </div>
    </form>
  );
}

/** A failed terminal lets people clock in too late and out too early. Without being chosen, no one gets an entry. */
function isLikely(kind: BulkKind, entry: BulkRow['entry'], draft: Draft | undefined): boolean {
  if (kind === 'end') return true;
  if (entry === undefined || draft === undefined) return false;
  return kind === 'in'
    ? byTime(draft.start!, entry.start) < 0
    : entry.end === undefined || byTime(draft.end!, entry.end) > 0;
}

function After({
  calendar,
  draft,
  effect,
}: {
  readonly calendar: CalendarFormats;
  readonly draft: Draft | undefined;
  readonly effect: Schemas['CorrectionPreview'] | undefined;
}): ReactNode {
  const words = useWords();
  if (draft === undefined || effect === undefined)
    return (
      <>
        <td />
        <td className="number" />
      </>
    );
  if (effect.refusal !== undefined)
    return (
      <td colSpan={2}>
        <span className="flag">
          <Glyph name="warning" />{' '}
          {effect.refusal === 'invalid_request'
            ? words.several_times_wrong
            : sentenceOf(new Problem(effect.refusal, undefined, [], undefined), words)}
        </span>
      </td>
    );
  return (
    <>
      <td data-label={words.several_after}>
        <ins>{calendar.times(draft.start!, draft.end, '')}</ins>
      </td>
      <td className="number" data-label={words.report_worked}>
        {calendar.duration(effect.worked_minutes!)}
      </td>
    </>
  );
}

function timesOf(entry: BulkRow['entry'], calendar: CalendarFormats, open: string): string {
  if (entry === undefined) return '';
  return calendar.times(entry.start, entry.end, open);
}

/** The service's preview of each draft. @returns undefined while other ones are asked about */
function useEffects(drafts: ReadonlyMap<string, Draft>): ReadonlyMap<string, Schemas['CorrectionPreview']> | undefined {
  const draftEntries = [...drafts.entries()];
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['bulk-preview', draftEntries],
    queryFn: async () => {
      const { data: effects } = await ask(
        client.POST('/app/corrections/preview', { body: { corrections: draftEntries.map(([, draft]) => draft) } }),
      );
      return new Map(draftEntries.map(([key], index) => [key, effects[index]!] as const));
    },
    enabled: draftEntries.length > 0,
    staleTime: 0,
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  return isPlaceholderData || draftEntries.length === 0 ? undefined : data;
}
