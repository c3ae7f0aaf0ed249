/** Target hours of a person, or of everyone in a company without their own, each from a day on. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar, useDays } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { Changing } from '../parts/own-record.js';
import { QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { standardWeek, type Week, WeekFields, weekdays, weekMinutes, weekOf } from './week-fields.js';

type Whose =
  | { readonly company: number; readonly person?: never }
  | { readonly person: number; readonly company?: never };

export function Schedules({ of, zone }: { readonly of: Whose; readonly zone: Zone }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const queries = useQueryClient();
  const key = of.person === undefined ? ['rules', 'schedules', of.company] : ['schedules', of.person];
  const schedules = useQuery({
    queryKey: key,
    queryFn: (): Promise<Schemas['ScheduleList']> =>
      of.person === undefined
        ? ask(client.GET('/app/admin/companies/{id}/schedules', { params: { path: { id: of.company } } }))
        : ask(client.GET('/app/admin/people/{id}/schedules', { params: { path: { id: of.person } } })),
  });
  const [from, setFrom] = useState(calendar.today);
  const [week, setWeek] = useState<Week>();
  const latestSchedule = schedules.data?.data.at(-1);
  const shownWeek = week ?? (latestSchedule === undefined ? standardWeek : weekOf(latestSchedule.minutes));
  const minutes = weekMinutes(shownWeek);
  const refetch = () => void queries.invalidateQueries({ queryKey: key });
  const adding = useMutation({
    mutationFn: (body: Schemas['ScheduleInput']): Promise<Schemas['Schedule']> =>
      of.person === undefined
        ? ask(client.POST('/app/admin/companies/{id}/schedules', { params: { path: { id: of.company } }, body }))
        : ask(client.POST('/app/admin/people/{id}/schedules', { params: { path: { id: of.person } }, body })),
    onSuccess: refetch,
  });
  const removing = useMutation({
    mutationFn: (schedule: string): Promise<unknown> =>
      of.person === undefined
        ? ask(
            client.DELETE('/app/admin/companies/{id}/schedules/{schedule_id}', {
              params: { path: { id: of.company, schedule_id: schedule } },
            }),
          )
        : ask(
            client.DELETE('/app/admin/people/{id}/schedules/{schedule_id}', {
              params: { path: { id: of.person, schedule_id: schedule } },
            }),
          ),
    onSuccess: refetch,
  });
  return (
    <>
      <section className="panel" aria-label={words.schedule_title}>
        <h2 className="panel-head">{words.schedule_title}</h2>
        <ProblemNotice problem={removing.error} />
        <QueryState of={schedules}>
          {({ data }) =>
            data.length === 0 ? (
              <p className="panel-empty">
                {of.person === undefined ? (
                  words.schedule_none
                ) : (
                  <>
                    {words.schedule_none_own}{' '}
                    <Link href="/company/rules?tab=hours" className="link">
                      {words.schedule_of_company}
                    </Link>
                  </>
                )}
              </p>
            ) : (
              <ul className="rows">
                {data.map((schedule) => (
                  <ScheduleRow key={schedule.id} of={schedule} onRemove={() => removing.mutate(schedule.id)} />
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
            if (minutes !== undefined && from !== '') adding.mutate({ valid_from: from, minutes });
          }}
        >
          <h2>{words.schedule_new}</h2>
          {of.person === undefined && <p className="hint">{words.schedule_company_text}</p>}
          <ProblemNotice problem={adding.error} />
          <div className="fields">
            <DayField label={words.schedule_valid_from} value={from} onChange={setFrom} required />
          </div>
          <WeekFields week={shownWeek} onChange={setWeek} />
          <Done>{adding.isSuccess ? words.saved : undefined}</Done>
          <div className="end">
            <Button type="submit" loading={adding.isPending} disabled={minutes === undefined}>
              {words.schedule_add}
            </Button>
          </div>
        </form>
      </Changing>
    </>
  );
}

function ScheduleRow({
  of: schedule,
  onRemove,
}: {
  readonly of: Schemas['Schedule'];
  readonly onRemove: () => void;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  return (
    <li>
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
      <Changing>
        <Button size="compact-sm" variant="subtle" color="red" onClick={onRemove}>
          {words.schedule_remove}
        </Button>
      </Changing>
    </li>
  );
}
