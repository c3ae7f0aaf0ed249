/** Asks for the chosen days, or changes a waiting request. Shows their cost, the rest and the absences of others. */
import { TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, type Ref, useEffect, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { sendAll } from '../api/outbox.js';
import type { Schemas } from '../api/session.js';
import { useDays } from '../parts/calendar.js';
import { Glyph } from '../parts/glyph.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useToast } from '../parts/toasts.js';
import { useWords } from '../words/words.js';
import { AbsenceFields, absenceOf, kindOf, kindsWith } from './absence-fields.js';
import type { Span } from './year-calendar.js';

export const changedByAbsence = ['overview', 'my-absences', 'my-vacation', 'my-days', 'absence-preview'] as const;

export function RequestForm({
  ref,
  span,
  editedRequest,
  onChange,
  onClear,
}: {
  readonly ref: Ref<HTMLFormElement>;
  readonly span: Span;
  /** The waiting request to change. */
  readonly editedRequest: Schemas['OwnAbsence'] | undefined;
  /** Called with the days in the fields. */
  readonly onChange: (span: Span) => void;
  readonly onClear: () => void;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const queries = useQueryClient();
  const toast = useToast();
  const [{ type, half }, setDraft] = useState({ type: editedRequest?.type ?? '', half: editedRequest?.half_day });
  const [comment, setComment] = useState(editedRequest?.comment ?? '');
  const types = useQuery({
    queryKey: ['absence-types', 'mine'],
    queryFn: () => ask(client.GET('/app/me/absence-types')),
  });
  const kinds = types.data === undefined ? [] : kindsWith(editedRequest, types.data.data);
  const draft = { type, half, ...span };
  const kind = kindOf(draft, kinds);
  const absence = absenceOf(draft, kinds);
  const trimmedComment = comment.trim();
  const returns = kind?.key === 'sickness' && absence.half_day === undefined;
  const request = { ...absence, ...(returns && editedRequest === undefined ? { returns_vacation: true } : {}) };
  // Asked 150 ms after the last change, so that dragging does not ask for every day.
  const settledBody = useSettled(JSON.stringify(request));
  const preview = useQuery({
    queryKey: ['absence-preview', settledBody, editedRequest?.id],
    // The value may have settled before the kinds of absence had loaded.
    enabled: kind !== undefined && (JSON.parse(settledBody) as typeof absence).type !== '',
    queryFn: () =>
      ask(
        client.POST('/app/me/absence-preview', {
          params: { query: editedRequest === undefined ? {} : { changes: editedRequest.id } },
          body: JSON.parse(settledBody) as Schemas['OwnAbsenceRequest'],
        }),
      ),
    placeholderData: (previousData) => previousData,
  });
  const requesting = useMutation({
    mutationFn: async () => {
      // An absence that was just taken back must not be in the way of this one.
      await sendAll();
      return editedRequest === undefined
        ? await ask(
            client.POST('/app/me/absences', {
              body: { ...request, ...(trimmedComment === '' ? {} : { comment: trimmedComment }) },
            }),
          )
        : await ask(
            client.PATCH('/app/me/absences/{id}', {
              params: { path: { id: editedRequest.id } },
              body: {
                ...absence,
                half_day: absence.half_day ?? null,
                comment: trimmedComment === '' ? null : trimmedComment,
              },
            }),
          );
    },
    onSuccess: (leave) => {
      for (const key of changedByAbsence) void queries.invalidateQueries({ queryKey: [key] });
      toast({
        text:
          editedRequest !== undefined
            ? words.absence_changed
            : leave.status === 'waiting'
              ? words.absence_sent
              : words.absence_recorded,
      });
      onClear();
    },
  });
  const count = preview.error === null ? preview.data : undefined;
  /** Vacation on days that are free anyway. */
  const isFree = count?.left_days !== undefined && count.days === 0;
  const [year, lastYear] = [absence.start_date.slice(0, 4), absence.end_date.slice(0, 4)];
  const clash = count?.clash;
  const colleagues = clash?.colleagues.slice(0, 5) ?? [];
  const labels = {
    type: words.absence_kind,
    start_date: words.record_from,
    end_date: words.record_to,
    half_day: words.absence_part,
    comment: words.absence_comment,
  };
  const days = (number: number) => words.number_of_days(number, calendar.days(number));
  return (
    <form
      ref={ref}
      className="absence-form"
      aria-label={editedRequest === undefined ? words.absence_request : words.absence_change_title}
      onSubmit={(event) => {
        event.preventDefault();
        if (!requesting.isPending && kind !== undefined && !isFree) requesting.mutate();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClear();
      }}
    >
      <div className="absence-what">
        {editedRequest !== undefined && <small>{words.absence_change_title}</small>}
        <strong>{calendar.span(span.from, span.to)}</strong>
        <AbsenceFields
          kinds={kinds}
          draft={draft}
          onChange={({ from, to, ...rest }) => {
            setDraft(rest);
            if (from !== span.from || to !== span.to) onChange({ from, to });
          }}
        />
      </div>
      <div aria-live="polite">
        <ProblemNotice problem={requesting.error === null ? (preview.error ?? types.error) : null} labels={labels} />
        {count !== undefined && (
          <>
            <small>{words.absence_counts}</small>
            <strong>{days(count.days)}</strong>
            {isFree && <small>{words.absence_free}</small>}
            {count.left_days !== undefined && !isFree && (
              <small>{words.absence_left(days(count.left_days), year === lastYear ? undefined : year)}</small>
            )}
            {count.warnings.map(({ code, message }) => (
              <small key={code} className={code === 'vacation_returned' ? undefined : 'warned'}>
                <Glyph name={code === 'vacation_returned' ? 'check' : 'warning'} /> {message}
                {code === 'vacation_returned' && ` ${words.absence_certificate}`}
              </small>
            ))}
          </>
        )}
      </div>
      {clash !== undefined && (
        <div>
          <small>{words.absence_others}</small>
          {clash.fewest_left !== undefined && (
            <strong>
              {words.absence_left_in_team(
                clash.fewest_left,
                clash.people,
                calendar.day(clash.fewest_left_on ?? span.from),
              )}
            </strong>
          )}
          {colleagues.length === 0 && <span>{words.absence_nobody}</span>}
          <ul className="plain-lines">
            {colleagues.map(({ person, start_date, end_date, waiting }) => (
              <li key={person.id}>
                <Glyph name={waiting ? 'out' : 'absent'} /> <bdi>{person.name}</bdi>,{' '}
                {calendar.span(start_date, end_date)}
                {waiting && ` (${words.waiting_word})`}
              </li>
            ))}
          </ul>
          {clash.colleagues_total > colleagues.length && words.away_more(clash.colleagues_total - colleagues.length)}
        </div>
      )}
      <TextInput
        label={words.absence_comment}
        maxLength={1000}
        value={comment}
        onChange={(event) => setComment(event.currentTarget.value)}
      />
      <div className="absence-send">
        <ProblemNotice problem={requesting.error} labels={labels} />
        <button type="button" className="button quiet" onClick={onClear}>
          {words.absence_clear}
        </button>
        <button type="submit" className="button primary" aria-disabled={requesting.isPending || isFree || undefined}>
          {editedRequest !== undefined
            ? words.save
            : count === undefined || isFree
              ? words.absence_request
              : count.requires_approval
                ? words.absence_request_days(days(count.days))
                : words.absence_record_days(days(count.days))}
        </button>
      </div>
    </form>
  );
}

/** The value once it has not changed for 150 ms. */
function useSettled(value: string): string {
  const [settledValue, setSettledValue] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettledValue(value), 150);
    return () => clearTimeout(timer);
  }, [value]);
  return settledValue;
}
