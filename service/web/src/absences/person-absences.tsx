/** A person's absences of a year, in the hands of HR: changed, shortened, cancelled. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar, useDays } from '../parts/calendar.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { QueryState } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { type AbsenceDraft, AbsenceFields, absenceOf, kindsWith, useKindsOf } from './absence-fields.js';
import { returnedOutside } from './returned.js';

type Leave = Schemas['AbsenceOfPerson'];

export function PersonAbsences({
  id,
  company,
  zone,
  own,
}: {
  readonly id: number;
  readonly company: number;
  readonly zone: Zone;
  readonly own: boolean;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const thisYear = Number(calendar.today.slice(0, 4));
  const [year, setYear] = useState(thisYear);
  const [open, setOpen] = useState<number | undefined>(undefined);
  const list = useQuery({
    queryKey: ['vacation-of', id, 'absences', year],
    queryFn: async () => {
      const query = { from: `${year}-01-01`, to: `${year}-12-31`, limit: 500 };
      return ask(client.GET('/app/people/{id}/absences', { params: { path: { id }, query } }));
    },
  });
  return (
    <section className="panel" aria-label={words.hr_absences}>
      <h2 className="panel-head">{words.hr_absences}</h2>
      <div className="panel-bar">
        <Button variant="default" size="xs" aria-label={words.hr_year_before} onClick={() => setYear(year - 1)}>
          ‹
        </Button>
        <strong>{year}</strong>
        <Button variant="default" size="xs" aria-label={words.hr_year_after} onClick={() => setYear(year + 1)}>
          ›
        </Button>
      </div>
      <QueryState of={list}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="panel-empty">{words.hr_absences_none}</p>
          ) : (
            <ul className="rows">
              {data.map((absence) => (
                <li key={absence.id} className="wraps">
                  <strong>{absence.type_label}</strong>
                  <span className="grow">
                    {calendar.span(absence.start_date, absence.end_date)}
                    {absence.half_day !== undefined &&
                      `, ${words.approvals_half[absence.half_day as 'morning' | 'afternoon']}`}
                    , {words.approvals_days(calendar.days(absence.days))}
                  </span>
                  <small>
                    {words.absence_states[absence.status as keyof typeof words.absence_states] ?? absence.status}
                  </small>
                  {!own && isLive(absence) && (
                    <Button
                      variant="default"
                      size="xs"
                      aria-expanded={open === absence.id}
                      aria-label={words.hr_change_of(
                        absence.type_label,
                        calendar.span(absence.start_date, absence.end_date),
                      )}
                      onClick={() => setOpen(open === absence.id ? undefined : absence.id)}
                    >
                      {words.hr_change}
                    </Button>
                  )}
                  {open === absence.id && (
                    <ChangeAbsence person={id} company={company} absence={absence} onDone={() => setOpen(undefined)} />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </QueryState>
    </section>
  );
}

const isLive = ({ status }: Leave) => ['waiting', 'approved', 'cancellation_requested'].includes(status);

function freedDays(choice: string): Pick<Schemas['AbsenceOfPersonChange'], 'freed_days' | 'freed_days_type'> {
  if (choice === 'work' || choice === 'vacation') return { freed_days: choice };
  return { freed_days: 'another_kind', freed_days_type: choice.replace('kind ', '') };
}

/** @returns the kind and the half only if they change */
function changeOf(
  absence: Leave,
  { type, start_date, end_date, half_day }: Schemas['OwnAbsenceRequest'],
): Schemas['AbsenceOfPersonChange'] {
  return {
    start_date,
    end_date,
    ...(type === absence.type ? {} : { type }),
    ...(half_day === absence.half_day ? {} : { half_day: half_day ?? null }),
  };
}

function ChangeAbsence({
  person,
  company,
  absence,
  onDone,
}: {
  readonly person: number;
  readonly company: number;
  readonly absence: Leave;
  readonly onDone: () => void;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const queries = useQueryClient();
  const [draft, setDraft] = useState<AbsenceDraft>({
    type: absence.type,
    from: absence.start_date,
    to: absence.end_date,
    half: absence.half_day,
  });
  const { from, to } = draft;
  const [comment, setComment] = useState(absence.comment ?? '');
  const [isConfirming, setConfirming] = useState(false);
  /** `work`, `vacation`, or `kind ` and its key; empty until HR has chosen. */
  const [freedChoice, setFreedChoice] = useState('');
  const [cancelChoice, setCancelChoice] = useState<'work' | 'vacation'>('vacation');
  const freesDays =
    absence.status !== 'waiting' && from !== '' && to !== '' && (from > absence.start_date || to < absence.end_date);
  const vacation = returnedOutside(absence, from, to);
  const returnedSpans = absence.returned_vacation ?? [];
  const offeredKinds = useKindsOf(company);
  const kinds = kindsWith(absence, offeredKinds);
  const spans = (of: readonly Schemas['ReturnedDays'][]) =>
    of.map((days) => calendar.span(days.start_date, days.end_date)).join(', ');
  const params = { path: { id: absence.id } };
  const onSuccess = () => {
    void queries.invalidateQueries({ queryKey: ['vacation-of', person] });
    onDone();
  };
  const changing = useMutation({
    mutationFn: () =>
      ask(
        client.PATCH('/app/absences/{id}', {
          params,
          body: {
            ...changeOf(absence, absenceOf(draft, kinds)),
            ...(freesDays ? freedDays(freedChoice) : {}),
            ...(comment.trim() === (absence.comment ?? '') ? {} : { comment: comment.trim() === '' ? null : comment }),
          },
        }),
      ),
    onSuccess,
  });
  const cancelling = useMutation({
    mutationFn: () =>
      ask(
        client.DELETE('/app/absences/{id}', {
          params: { ...params, query: returnedSpans.length === 0 ? {} : { freed_days: cancelChoice } },
        }),
      ),
    onSuccess,
    onSettled: () => setConfirming(false),
  });
  const spanText = calendar.span(absence.start_date, absence.end_date);
  return (
    <form
      className="full stack"
      onSubmit={(event) => {
        event.preventDefault();
        changing.mutate();
      }}
    >
      <ProblemNotice problem={changing.error ?? cancelling.error} />
      <div className="fields">
        <AbsenceFields kinds={kinds} draft={draft} onChange={setDraft} />
        <TextInput
          label={words.record_comment}
          value={comment}
          maxLength={1000}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
      </div>
      {freesDays && (
        <NativeSelect
          label={words.hr_freed}
          value={freedChoice}
          required
          onChange={(event) => setFreedChoice(event.currentTarget.value)}
          data={[
            { value: '', label: words.hr_freed_choose, disabled: true },
            { value: 'work', label: words.hr_freed_work },
            ...(vacation.length === 0 ? [] : [{ value: 'vacation', label: words.hr_freed_vacation(spans(vacation)) }]),
            ...offeredKinds.map(({ key, label }) => ({
              value: `kind ${key}`,
              label: words.hr_freed_kind(label),
            })),
          ]}
        />
      )}
      <p className="hint">{words.hr_change_text}</p>
      <div className="toolbar">
        <Button variant="default" color="red" onClick={() => setConfirming(true)}>
          {words.hr_cancel}
        </Button>
        <Button type="submit" className="push" loading={changing.isPending}>
          {words.save}
        </Button>
      </div>
      <ConfirmDialog
        open={isConfirming}
        title={words.hr_cancel_title(absence.type_label, spanText)}
        action={words.hr_cancel}
        onConfirm={() => cancelling.mutate()}
        onClose={() => setConfirming(false)}
      >
        {returnedSpans.length === 0 ? (
          <p>{words.hr_cancel_text}</p>
        ) : (
          <NativeSelect
            label={words.hr_freed}
            value={cancelChoice}
            onChange={(event) => setCancelChoice(event.currentTarget.value as typeof cancelChoice)}
            data={[
              { value: 'vacation', label: words.hr_freed_vacation(spans(returnedSpans)) },
              { value: 'work', label: words.hr_freed_work },
            ]}
          />
        )}
      </ConfirmDialog>
    </form>
  );
}
