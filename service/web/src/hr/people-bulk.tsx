/** Actions for several people of the list at once: the bar that floats above its end, and its dialogs. */
import { Button, NativeSelect } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { Dialog } from '../parts/dialog.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { ProblemNotice, sentenceOf } from '../parts/problem-notice.js';
import type { Zone } from '../parts/zone.js';
import { changeEach, type Outcome, type Person } from '../people/each-person.js';
import { useWords } from '../words/words.js';
import { standardWeek, WeekFields, weekMinutes } from '../working-time/week-fields.js';
import { InvitationLinks } from './invite-people.js';

type Deed = 'invite' | 'department' | 'schedule' | 'deactivate';
const deeds: readonly Deed[] = ['invite', 'department', 'schedule', 'deactivate'];

export interface BulkBarProps {
  readonly company: number;
  readonly zone: Zone;
  readonly departments: readonly Schemas['Department'][];
  readonly selection: readonly Person[];
  /** The number of people in the list; undefined while more of them can be loaded. */
  readonly total: number | undefined;
  readonly loading: boolean;
  readonly onAll: () => void;
  readonly onClear: () => void;
  /** Takes people out of the choice, because they are done. */
  readonly onDone: (ids: ReadonlySet<number>) => void;
}

export function BulkBar({ selection, total, loading, onAll, onClear, ...rest }: BulkBarProps): ReactNode {
  const words = useWords();
  const [deed, setDeed] = useState<Deed>();
  // The dialog keeps the people it was opened with: finished ones leave the choice.
  const [selectedPeople, setSelectedPeople] = useState<readonly Person[]>([]);
  return (
    <>
      {selection.length > 0 && (
        <section className="bulk" aria-label={words.bulk_title}>
          <output>{words.bulk_selected(selection.length)}</output>
          {selection.length !== total && (
            <button type="button" disabled={loading} onClick={onAll}>
              {total === undefined ? words.bulk_all : words.bulk_all_number(total)}
            </button>
          )}
          <span className="bulk-line" />
          {deeds.map((offeredDeed) => (
            <button
              key={offeredDeed}
              type="button"
              onClick={() => {
                setSelectedPeople(selection);
                setDeed(offeredDeed);
              }}
            >
              {words.bulk_deeds[offeredDeed]}
            </button>
          ))}
          <button type="button" aria-label={words.bulk_clear} onClick={onClear}>
            <span aria-hidden="true">×</span>
          </button>
        </section>
      )}
      {deed === 'invite' && <InviteDialog people={selectedPeople} {...rest} onClose={() => setDeed(undefined)} />}
      {deed === 'department' && (
        <DepartmentDialog people={selectedPeople} {...rest} onClose={() => setDeed(undefined)} />
      )}
      {deed === 'schedule' && <ScheduleDialog people={selectedPeople} {...rest} onClose={() => setDeed(undefined)} />}
      {deed === 'deactivate' && (
        <DeactivateDialog people={selectedPeople} {...rest} onClose={() => setDeed(undefined)} />
      )}
    </>
  );
}

interface DeedProps {
  readonly company: number;
  readonly zone: Zone;
  readonly departments: readonly Schemas['Department'][];
  readonly people: readonly Person[];
  readonly onDone: (ids: ReadonlySet<number>) => void;
  readonly onClose: () => void;
}

function DepartmentDialog({ departments, ...deed }: DeedProps): ReactNode {
  const words = useWords();
  const [department, setDepartment] = useState('');
  return (
    <EachDialog
      {...deed}
      deed="department"
      ready
      change={({ id }) =>
        ask(
          client.PATCH('/app/admin/people/{id}', {
            params: { path: { id } },
            body: { department_id: department === '' ? null : Number(department) },
          }),
        )
      }
    >
      <NativeSelect
        label={words.people_department}
        value={department}
        onChange={(event) => setDepartment(event.currentTarget.value)}
        data={[
          { value: '', label: words.presence_department_none },
          ...departments.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        data-autofocus
      />
    </EachDialog>
  );
}

function ScheduleDialog(props: DeedProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar(props.zone);
  const [from, setFrom] = useState(calendar.today);
  const [week, setWeek] = useState(standardWeek);
  const minutes = weekMinutes(week);
  return (
    <EachDialog
      {...props}
      deed="schedule"
      ready={minutes !== undefined && from !== ''}
      change={({ id }) =>
        ask(
          client.POST('/app/admin/people/{id}/schedules', {
            params: { path: { id } },
            body: { valid_from: from, minutes: minutes! },
          }),
        )
      }
    >
      <DayField label={words.schedule_valid_from} value={from} onChange={setFrom} required />
      <WeekFields week={week} onChange={setWeek} />
    </EachDialog>
  );
}

function DeactivateDialog(props: DeedProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar(props.zone);
  const [last, setLast] = useState(calendar.today);
  return (
    <EachDialog
      {...props}
      deed="deactivate"
      ready={last !== ''}
      danger
      // A recorded last day before the chosen one stays.
      change={({ id, employment_end: recordedEnd = last }) =>
        ask(
          client.POST('/app/admin/people/{id}/deactivation', {
            params: { path: { id } },
            body: { employment_end: recordedEnd < last ? recordedEnd : last },
          }),
        )
      }
    >
      <DayField label={words.person_last_day} value={last} onChange={setLast} max={calendar.today} required />
      <p>{words.bulk_deactivate_text}</p>
    </EachDialog>
  );
}

/** A request for each person. A refused person is named with the reason, and stays selected. */
function EachDialog({
  deed,
  people,
  ready,
  danger = false,
  change,
  onDone,
  onClose,
  children,
}: Omit<DeedProps, 'company' | 'departments'> & {
  readonly deed: Exclude<Deed, 'invite'>;
  readonly ready: boolean;
  readonly danger?: boolean;
  readonly change: (person: Person) => Promise<unknown>;
  readonly children: ReactNode;
}): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [remainingPeople, setRemainingPeople] = useState(people);
  const [position, setPosition] = useState(0);
  const changing = useMutation({
    mutationFn: () =>
      changeEach(remainingPeople, change, {
        onStep: setPosition,
        wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      }),
    onSuccess: ({ changed: changedIds }) => {
      onDone(changedIds);
      setRemainingPeople((current) => current.filter(({ id }) => !changedIds.has(id)));
      void queries.invalidateQueries({ queryKey: ['people'] });
      for (const id of changedIds) {
        void queries.invalidateQueries({ queryKey: ['person', id] });
        void queries.invalidateQueries({ queryKey: ['schedules', id] });
      }
    },
  });
  const outcome = changing.data;
  const isOver = outcome !== undefined && remainingPeople.length === 0;
  return (
    <Dialog open onClose={() => !changing.isPending && onClose()} title={words.bulk_titles[deed](people.length)}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          setPosition(0);
          if (ready && !changing.isPending) changing.mutate();
        }}
      >
        {!isOver && children}
        {outcome !== undefined && !changing.isPending && <Result of={outcome} />}
        <div className="end">
          <span role="status" className="muted push">
            {changing.isPending && words.bulk_through(position, remainingPeople.length)}
          </span>
          <Button variant="default" disabled={changing.isPending} onClick={onClose}>
            {outcome === undefined ? words.cancel : words.close}
          </Button>
          {!isOver && (
            <Button type="submit" {...(danger ? { color: 'red' } : {})} disabled={!ready} loading={changing.isPending}>
              {words.bulk_do[deed](remainingPeople.length)}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

function Result({ of: { changed, refused, stopped } }: { readonly of: Outcome }): ReactNode {
  const words = useWords();
  return (
    <>
      {changed.size > 0 && (
        <div role="status" className="notice ok">
          {words.bulk_changed(changed.size)}
        </div>
      )}
      {stopped !== undefined && <ProblemNotice problem={stopped} />}
      {refused.length > 0 && (
        <div className="notice bad" role="alert">
          <strong>{words.bulk_refused(refused.length)}</strong>
          <ul className="bullets bulk-refused">
            {refused.map(({ person, problem }) => (
              <li key={person.id}>
                <bdi>{person.display_name}</bdi>: {sentenceOf(problem, words)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

/** One request for all: the links come together, and those who cannot be invited are named before it is sent. */
function InviteDialog({ company, zone, people, onDone, onClose }: DeedProps): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const calendar = useCalendar(zone);
  const reasonAgainst = ({ sign_in: state, active, employment_end: end }: Person) =>
    !active || (end !== undefined && end < calendar.today)
      ? words.person_left
      : state === 'invited'
        ? undefined
        : words.person_sign_ins[state];
  const invitees = people.filter((person) => reasonAgainst(person) === undefined);
  const excludedPeople = people.filter((person) => reasonAgainst(person) !== undefined);
  const withFactor = useWithFactor();
  const inviting = useMutation({
    mutationFn: () =>
      withFactor(() =>
        ask(
          client.POST('/app/admin/companies/{id}/invitations', {
            params: { path: { id: company } },
            body: { user_ids: invitees.slice(0, 1_000).map(({ id }) => id) },
          }),
        ),
      ),
    onSuccess: ({ data }) => {
      onDone(new Set(data.map(({ person }) => person.id)));
      void queries.invalidateQueries({ queryKey: ['people'] });
    },
  });
  return (
    <Dialog open onClose={onClose} title={words.bulk_titles.invite(people.length)}>
      <div className="stack">
        {inviting.data !== undefined ? (
          <InvitationLinks of={inviting.data.data} />
        ) : (
          <>
            <p>{words.bulk_invite_text(invitees.length)}</p>
            <ProblemNotice problem={wasCancelled(inviting.error) ? null : inviting.error} />
            {excludedPeople.length > 0 && (
              <div className="notice warn">
                <strong>{words.bulk_left_out(excludedPeople.length)}</strong>
                <ul className="bullets bulk-refused">
                  {excludedPeople.map((person) => (
                    <li key={person.id}>
                      <bdi>{person.display_name}</bdi>: {reasonAgainst(person)}
                    </li>
                  ))}
                </ul>
              </div>
            )}
          </>
        )}
        <div className="end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {inviting.data === undefined ? words.cancel : words.close}
          </Button>
          {inviting.data === undefined && (
            <Button disabled={invitees.length === 0} loading={inviting.isPending} onClick={() => inviting.mutate()}>
              {words.invite_do(Math.min(invitees.length, 1_000))}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}
