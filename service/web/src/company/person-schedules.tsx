/** Target hours, each from a day on, and the balance a person started with. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { Answered } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { signedMinutes } from './signed-minutes.js';
import { SpecialRules } from './special-rules.js';
import { standardWeek, type Week, WeekFields, weekdays, weekMinutes, weekOf } from './week-fields.js';

export function PersonSchedules({ id }: { readonly id: number }): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const queries = useQueryClient();
  const key = ['schedules', id];
  const schedules = useQuery({
    queryKey: key,
    queryFn: () => ask(client.GET('/app/admin/people/{id}/schedules', { params: { path: { id } } })),
  });
  const [from, setFrom] = useState(calendar.today);
  const [week, setWeek] = useState<Week>();
  const latest = schedules.data?.data.at(-1);
  const shown = week ?? (latest === undefined ? standardWeek : weekOf(latest.minutes));
  const minutes = weekMinutes(shown);
  const read = () => void queries.invalidateQueries({ queryKey: key });
  const adding = useMutation({
    mutationFn: (body: Schemas['ScheduleInput']) =>
      ask(client.POST('/app/admin/people/{id}/schedules', { params: { path: { id } }, body })),
    onSuccess: read,
  });
  const removing = useMutation({
    mutationFn: (schedule: string) =>
      ask(
        client.DELETE('/app/admin/people/{id}/schedules/{schedule_id}', {
          params: { path: { id, schedule_id: schedule } },
        }),
      ),
    onSuccess: read,
  });
  return (
    <>
      <section className="panel" aria-label={words.schedule_title}>
        <h2 className="panel-head">{words.schedule_title}</h2>
        <ProblemNotice problem={removing.error} />
        <Answered of={schedules}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="panel-empty">{words.schedule_none}</p>
            ) : (
              <ul className="rows">
                {data.map((schedule) => (
                  <li key={schedule.id}>
                    <strong>{words.schedule_hours(calendar.duration(schedule.week_minutes))}</strong>
                    <span className="grow">
                      {weekdays
                        .filter((day) => schedule.minutes[day] > 0)
                        .map((day) => `${words.weekdays[day]} ${calendar.duration(schedule.minutes[day])}`)
                        .join(' · ')}
                    </span>
                    <small>
                      {schedule.valid_to === undefined
                        ? words.schedule_from(calendar.fullDay(schedule.valid_from))
                        : calendar.span(schedule.valid_from, schedule.valid_to)}
                    </small>
                    <Button size="compact-sm" variant="subtle" color="red" onClick={() => removing.mutate(schedule.id)}>
                      {words.schedule_remove}
                    </Button>
                  </li>
                ))}
              </ul>
            )
          }
        </Answered>
      </section>
      <form
        className="panel form-card"
        onSubmit={(event) => {
          event.preventDefault();
          if (minutes !== undefined && from !== '') adding.mutate({ valid_from: from, minutes });
        }}
      >
        <h2>{words.schedule_new}</h2>
        <ProblemNotice problem={adding.error} />
        <div className="fields">
          <DayField label={words.schedule_valid_from} value={from} onChange={setFrom} required />
        </div>
        <WeekFields week={shown} onChange={setWeek} />
        <Done>{adding.isSuccess ? words.saved : undefined}</Done>
        <div className="end">
          <Button type="submit" loading={adding.isPending} disabled={minutes === undefined}>
            {words.schedule_add}
          </Button>
        </div>
      </form>
      <SpecialRules id={id} />
      <OpeningBalance id={id} />
    </>
  );
}

function OpeningBalance({ id }: { readonly id: number }): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const key = ['opening-balance', id];
  const queries = useQueryClient();
  const opening = useQuery({
    queryKey: key,
    queryFn: () => ask(client.GET('/app/admin/people/{id}/opening-balance', { params: { path: { id } } })),
  });
  const [date, setDate] = useState<string>();
  const [text, setText] = useState<string>();
  const shownDate = date ?? opening.data?.date ?? '';
  const shownText = text ?? (opening.data === undefined ? '' : calendar.signed(opening.data.balance_minutes));
  const minutes = signedMinutes(shownText);
  const saving = useMutation({
    mutationFn: (body: Schemas['OpeningBalance']) =>
      ask(client.PUT('/app/admin/people/{id}/opening-balance', { params: { path: { id } }, body })),
    onSuccess: (saved) => {
      queries.setQueryData(key, saved);
      setDate(undefined);
      setText(undefined);
    },
  });
  if (opening.data === undefined) return null;
  return (
    <form
      className="panel form-card"
      onSubmit={(event) => {
        event.preventDefault();
        if (minutes !== undefined && shownDate !== '') saving.mutate({ date: shownDate, balance_minutes: minutes });
      }}
    >
      <h2>{words.opening_title}</h2>
      <p className="hint">{words.opening_text}</p>
      <ProblemNotice problem={saving.error} />
      <div className="fields">
        <DayField label={words.opening_date} value={shownDate} onChange={setDate} required />
        <TextInput
          label={words.opening_balance}
          description={words.opening_balance_help}
          value={shownText}
          error={minutes === undefined ? words.schedule_unreadable : undefined}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <Done>{saving.isSuccess ? words.saved : undefined}</Done>
      <div className="end">
        <Button type="submit" variant="default" loading={saving.isPending} disabled={minutes === undefined}>
          {words.save}
        </Button>
      </div>
    </form>
  );
}
