/** Vacation days by year, the setting for approval of absences, and an absence entered for the person. */
import { Button, Checkbox, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar, useDays } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { Changing } from '../parts/own-record.js';
import { QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { type AbsenceDraft, AbsenceFields, absenceOf, useKindsOf } from './absence-fields.js';
import { PersonAbsences } from './person-absences.js';
import { VacationBookings } from './vacation-booking.js';

/** @param own true if it is the signed-in person: no one decides their own absences */
export function PersonVacation({
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
  const queries = useQueryClient();
  const thisYear = Number(calendar.today.slice(0, 4));
  const entitlements = useQuery({
    queryKey: ['vacation-of', id, 'entitlements'],
    queryFn: () => ask(client.GET('/app/admin/people/{id}/entitlements', { params: { path: { id } } })),
  });
  const account = useQuery({
    queryKey: ['vacation-of', id, thisYear],
    queryFn: () =>
      ask(client.GET('/app/people/{id}/vacation', { params: { path: { id }, query: { year: thisYear } } })),
  });
  const [year, setYear] = useState(thisYear);
  const [days, setDays] = useState<number | string>(30);
  const [carriedDays, setCarriedDays] = useState<number | string>(0);
  const [until, setUntil] = useState('');
  const setting = useMutation({
    mutationFn: () =>
      ask(
        client.PUT('/app/admin/people/{id}/entitlements/{year}', {
          params: { path: { id, year } },
          body: {
            days: Number(days),
            carried_over_days: Number(carriedDays),
            ...(until === '' ? {} : { carry_over_until: until }),
          },
        }),
      ),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['vacation-of', id] }),
  });
  const rule = useQuery({
    queryKey: ['approval-rule', id],
    queryFn: () => ask(client.GET('/app/admin/people/{id}/approval-rule', { params: { path: { id } } })),
  });
  const ruling = useMutation({
    mutationFn: (approval: Schemas['ApprovalRule']['approval']) =>
      ask(client.PUT('/app/admin/people/{id}/approval-rule', { params: { path: { id } }, body: { approval } })),
    onSuccess: (savedRule) => queries.setQueryData(['approval-rule', id], savedRule),
  });
  return (
    <>
      <section className="panel" aria-label={words.vacation_account(String(thisYear))}>
        <h2 className="panel-head">{words.vacation_account(String(thisYear))}</h2>
        <QueryState of={account}>
          {(vacation) => (
            <dl className="figures plain-figures">
              {(
                [
                  [words.vacation_entitled, vacation.entitled_days],
                  [words.vacation_carried, vacation.carried_over_days],
                  ...(vacation.booked_days === 0 ? [] : [[words.booked, vacation.booked_days] as const]),
                  ...(vacation.expired_days === 0 ? [] : [[words.expired, -vacation.expired_days] as const]),
                  [words.vacation_taken, vacation.taken_days],
                  [words.vacation_planned, vacation.planned_days],
                  [words.vacation_waiting, vacation.waiting_days],
                  [words.vacation_left, vacation.left_days],
                ] as const
              ).map(([label, count]) => (
                <div key={label} className="figure" data-strong={label === words.vacation_left ? '' : undefined}>
                  <dt>{label}</dt>
                  <dd>{calendar.days(count)}</dd>
                </div>
              ))}
            </dl>
          )}
        </QueryState>
        <QueryState of={entitlements}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="panel-empty">{words.entitlement_none}</p>
            ) : (
              <ul className="rows">
                {data.map((entitlement) => (
                  <li key={entitlement.year}>
                    <strong>{entitlement.year}</strong>
                    <span className="grow">{words.approvals_days(calendar.days(entitlement.days))}</span>
                    {entitlement.carried_over_days > 0 && (
                      <small>
                        {words.vacation_carried}: {calendar.days(entitlement.carried_over_days)}
                        {entitlement.carry_over_until !== undefined &&
                          `, ${words.presence_until(calendar.day(entitlement.carry_over_until))}`}
                      </small>
                    )}
                  </li>
                ))}
              </ul>
            )
          }
        </QueryState>
      </section>
      <Changing>
        <form
          className="panel form-card"
          onSubmit={(event) => {
            event.preventDefault();
            setting.mutate();
          }}
        >
          <h2>{words.entitlement_set}</h2>
          <ProblemNotice problem={setting.error} />
          <div className="fields">
            <NativeSelect
              label={words.entitlement_year}
              value={String(year)}
              onChange={(event) => setYear(Number(event.currentTarget.value))}
              data={[thisYear - 1, thisYear, thisYear + 1].map(String)}
            />
            <NumberInput
              label={words.entitlement_days}
              value={days}
              onChange={setDays}
              min={0}
              max={366}
              step={0.5}
              hideControls
            />
            <NumberInput
              label={words.vacation_carried}
              value={carriedDays}
              onChange={setCarriedDays}
              min={0}
              max={366}
              step={0.5}
              hideControls
            />
            <DayField label={words.entitlement_until} value={until} onChange={setUntil} />
          </div>
          <Done>{setting.isSuccess ? words.saved : undefined}</Done>
          <div className="end">
            <Button type="submit" loading={setting.isPending}>
              {words.save}
            </Button>
          </div>
        </form>
      </Changing>
      <VacationBookings id={id} zone={zone} year={thisYear} />
      <PersonAbsences id={id} company={company} zone={zone} own={own} />
      {!own && <RecordAbsence id={id} company={company} />}
      <Changing visible>
        <section className="panel form-card" aria-label={words.rule_title}>
          <h2>{words.rule_title}</h2>
          <ProblemNotice problem={ruling.error} />
          <QueryState of={rule}>
            {({ approval }) => (
              <NativeSelect
                label={words.rule_label}
                value={approval}
                onChange={(event) => ruling.mutate(event.currentTarget.value as typeof approval)}
                data={(['by_type', 'always', 'never'] as const).map((value) => ({
                  value,
                  label: words.rules_of[value],
                }))}
              />
            )}
          </QueryState>
          <Done>{ruling.isSuccess ? words.saved : undefined}</Done>
        </section>
      </Changing>
    </>
  );
}

const emptyDraft: AbsenceDraft = { type: '', from: '', to: '', half: undefined };

function RecordAbsence({ id, company }: { readonly id: number; readonly company: number }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const queries = useQueryClient();
  const kinds = useKindsOf(company);
  const [draft, setDraft] = useState(emptyDraft);
  const [comment, setComment] = useState('');
  const [returns, setReturns] = useState(true);
  const absence = absenceOf(draft, kinds);
  const canReturn = absence.type === 'sickness' && absence.half_day === undefined;
  const recording = useMutation({
    mutationFn: () =>
      ask(
        client.POST('/app/people/{id}/absences', {
          params: { path: { id } },
          body: {
            ...absence,
            ...(comment.trim() === '' ? {} : { comment }),
            ...(canReturn && returns ? { returns_vacation: true } : {}),
          },
        }),
      ),
    onSuccess: () => {
      setDraft({ ...emptyDraft, type: draft.type });
      setComment('');
      void queries.invalidateQueries({ queryKey: ['vacation-of', id] });
    },
  });
  return (
    <form
      className="panel form-card"
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.from !== '') recording.mutate();
      }}
    >
      <h2>{words.record_absence}</h2>
      <p className="hint">{words.record_absence_text}</p>
      <ProblemNotice problem={recording.error} />
      <div className="fields">
        <AbsenceFields kinds={kinds} draft={draft} onChange={setDraft} />
        <TextInput
          label={words.record_comment}
          value={comment}
          maxLength={1000}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
      </div>
      {canReturn && (
        <Checkbox
          label={words.record_returns}
          description={words.record_returns_help}
          checked={returns}
          onChange={(event) => setReturns(event.currentTarget.checked)}
        />
      )}
      <Done>
        {recording.data === undefined
          ? undefined
          : words.record_done(calendar.span(recording.data.start_date, recording.data.end_date))}
      </Done>
      <div className="end">
        <Button type="submit" loading={recording.isPending}>
          {words.record_absence}
        </Button>
      </div>
    </form>
  );
}
