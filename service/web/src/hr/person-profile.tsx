/**
 * Name, address, department and employment; the end of an employment shows the matters that it resolves before it
 * happens.
 */
import { Button, Group, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { Dialog } from '../parts/dialog.js';
import { useEdits } from '../parts/edits.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { withNames } from '../parts/names.js';
import { Changing } from '../parts/own-record.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { DepartmentField } from './department-field.js';
import { ErasePerson } from './erase-person.js';
import { PersonFigures } from './person-figures.js';

type Person = Schemas['Person'];
/** A last day to come, or one that has come, which also deactivates. */
type Ending = 'plan' | 'deactivate';

export function PersonProfile({ person }: { readonly person: Person }): ReactNode {
  const queries = useQueryClient();
  const keepPerson = (changedPerson: Person) => {
    queries.setQueryData(['person', person.id], changedPerson);
    void queries.invalidateQueries({ queryKey: ['people'] });
  };
  const [ending, setEnding] = useState<Ending>();
  return (
    <>
      <ProfileForm person={person} onSaved={keepPerson} />
      <Changing>
        <Employment person={person} onEnd={setEnding} onReactivated={keepPerson} />
      </Changing>
      {!person.active && <ErasePerson person={person} />}
      {ending !== undefined && (
        <EndDialog person={person} ending={ending} onClose={() => setEnding(undefined)} onEnded={keepPerson} />
      )}
    </>
  );
}

/** The values of the form's fields. */
interface Profile {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly personnel_number: string;
  readonly department_id: string;
  readonly employment_start: string;
  readonly language: string;
}

function profileOf(person: Person): Profile {
  return {
    first_name: person.first_name,
    last_name: person.last_name,
    email: person.email ?? '',
    personnel_number: person.personnel_number ?? '',
    department_id: String(person.department?.id ?? ''),
    employment_start: person.employment_start ?? '',
    language: person.language,
  };
}

function changeOf({
  email,
  personnel_number: number,
  department_id: department,
  employment_start: start,
  ...rest
}: Partial<Profile>): Schemas['PersonChange'] {
  return {
    ...rest,
    ...(email === undefined ? {} : { email: email.trim() || null }),
    ...(number === undefined ? {} : { personnel_number: number.trim() || null }),
    ...(department === undefined ? {} : { department_id: department === '' ? null : Number(department) }),
    ...(start === undefined || start === '' ? {} : { employment_start: start }),
  };
}

function ProfileForm({
  person,
  onSaved,
}: {
  readonly person: Person;
  readonly onSaved: (person: Person) => void;
}): ReactNode {
  const words = useWords();
  const withFactor = useWithFactor();
  const { draft, edits, isEdited, change, saved } = useEdits(profileOf(person));
  const saving = useMutation({
    mutationFn: (sent: Partial<Profile>) => {
      const body = changeOf(sent);
      const params = { path: { id: person.id } };
      return Object.keys(body).length === 0
        ? Promise.resolve(person)
        : withFactor(() => ask(client.PATCH('/app/admin/people/{id}', { params, body })));
    },
    onSuccess: (changedPerson, sent) => {
      onSaved(changedPerson);
      saved(sent);
    },
  });
  return (
    <form
      className="panel form-card"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate(edits);
      }}
    >
      <ProblemNotice
        problem={wasCancelled(saving.error) ? null : saving.error}
        labels={{
          first_name: words.person_first,
          last_name: words.person_last,
          email: words.person_email,
          personnel_number: words.people_number,
          department_id: words.people_department,
          employment_start: words.person_start,
        }}
      />
      <div className="fields">
        <TextInput
          label={words.person_first}
          value={draft.first_name}
          onChange={(event) => change({ first_name: event.currentTarget.value })}
          required
          maxLength={100}
        />
        <TextInput
          label={words.person_last}
          value={draft.last_name}
          onChange={(event) => change({ last_name: event.currentTarget.value })}
          required
          maxLength={100}
        />
        <TextInput
          label={words.person_email}
          type="email"
          value={draft.email}
          onChange={(event) => change({ email: event.currentTarget.value })}
          maxLength={254}
        />
        <TextInput
          label={words.people_number}
          value={draft.personnel_number}
          onChange={(event) => change({ personnel_number: event.currentTarget.value })}
          maxLength={40}
        />
        <Changing visible>
          <DepartmentField
            company={person.company_id}
            value={draft.department_id}
            onChange={(department_id) => change({ department_id })}
          />
        </Changing>
        <NativeSelect
          label={words.person_language}
          value={draft.language}
          onChange={(event) => change({ language: event.currentTarget.value })}
          data={[
            { value: 'de', label: 'Deutsch' },
            { value: 'en', label: 'English' },
            ...(['de', 'en'].includes(person.language) ? [] : [person.language]),
          ]}
        />
        <Changing visible>
          <DayField
            label={words.person_start}
            value={draft.employment_start}
            onChange={(employment_start) => change({ employment_start })}
            // A first day can be changed, but not removed.
            required={person.employment_start !== undefined}
          />
        </Changing>
      </div>
      <Done>{saving.isSuccess && !isEdited ? words.saved : undefined}</Done>
      <div className="end">
        <Button type="submit" loading={saving.isPending}>
          {words.save}
        </Button>
      </div>
    </form>
  );
}

/** Ends the employment, or starts it again. */
function Employment({
  person,
  onEnd,
  onReactivated,
}: {
  readonly person: Person;
  readonly onEnd: (ending: Ending) => void;
  readonly onReactivated: (person: Person) => void;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zoneOf(person));
  const reactivating = useMutation({
    mutationFn: () => ask(client.POST('/app/admin/people/{id}/reactivation', { params: { path: { id: person.id } } })),
    onSuccess: onReactivated,
  });
  return (
    <section className="panel form-card danger" aria-label={words.person_end_title}>
      <h2>{words.person_end_title}</h2>
      <ProblemNotice problem={reactivating.error} />
      {person.employment_end !== undefined && (
        <p>{words.person_last_day_is(calendar.dayWithYear(person.employment_end))}</p>
      )}
      {person.active ? (
        <>
          <p>{words.person_end_text}</p>
          <Group gap="xs">
            <Button variant="default" onClick={() => onEnd('plan')}>
              {words.person_plan_end}
            </Button>
            <Button variant="outline" color="red" onClick={() => onEnd('deactivate')}>
              {words.person_deactivate}
            </Button>
          </Group>
        </>
      ) : (
        <>
          <p>{words.person_left_text}</p>
          <div>
            <Button variant="default" loading={reactivating.isPending} onClick={() => reactivating.mutate()}>
              {words.person_reactivate}
            </Button>
          </div>
        </>
      )}
    </section>
  );
}

/**
 * Shows what a last day changes, before it is set. A planned one lies ahead, and an empty field takes it back; with one
 * that has come, the person is deactivated.
 */
function EndDialog({
  person,
  ending,
  onClose,
  onEnded,
}: {
  readonly person: Person;
  readonly ending: Ending;
  readonly onClose: () => void;
  readonly onEnded: (person: Person) => void;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zoneOf(person));
  const isPlan = ending === 'plan';
  const recordedEnd = person.employment_end ?? '';
  const hasPassed = recordedEnd !== '' && recordedEnd < calendar.today;
  const [last, setLast] = useState(isPlan || hasPassed ? recordedEnd : calendar.today);
  const preview = useQuery({
    queryKey: ['end-of', person.id, last, ending],
    queryFn: () =>
      ask(
        client.POST('/app/admin/people/{id}/employment-end-preview', {
          params: { path: { id: person.id } },
          body: { employment_end: last, deactivate: !isPlan },
        }),
      ),
    enabled: last !== '',
  });
  const changing = useMutation({
    mutationFn: () => {
      const params = { path: { id: person.id } };
      return isPlan
        ? ask(client.PATCH('/app/admin/people/{id}', { params, body: { employment_end: last === '' ? null : last } }))
        : ask(client.POST('/app/admin/people/{id}/deactivation', { params, body: { employment_end: last } }));
    },
    onSuccess: (changedPerson) => {
      onEnded(changedPerson);
      onClose();
    },
  });
  const consequences = last === '' ? undefined : preview.data;
  return (
    <Dialog
      open
      onClose={onClose}
      title={withNames(isPlan ? words.person_plan_end_title : words.person_deactivate_title, person.display_name)}
    >
      <div className="stack">
        <DayField
          label={words.person_last_day}
          value={last}
          onChange={setLast}
          required={!isPlan}
          min={isPlan ? calendar.today : undefined}
          max={isPlan ? undefined : calendar.today}
        />
        <PersonFigures person={person} />
        <ProblemNotice problem={preview.error ?? changing.error} labels={{ employment_end: words.person_last_day }} />
        <div aria-live="polite">
          {last !== '' && <p>{isPlan ? words.person_plan_end_text : words.person_end_sign_in}</p>}
          {consequences !== undefined && (
            <ul className="bullets">
              {consequences.open_entry !== undefined && (
                <li>
                  {consequences.open_entry.outcome === 'ended'
                    ? words.person_end_open(
                        calendar.day(consequences.open_entry.date),
                        calendar.clock(consequences.open_entry.end),
                      )
                    : words.person_end_struck(calendar.day(consequences.open_entry.date))}
                </li>
              )}
              {consequences.absences.map((absence) => (
                <li key={absence.id}>
                  <bdi>{absence.type_label}</bdi>, {calendar.span(absence.start_date, absence.end_date)}:{' '}
                  {words.person_end_outcomes[absence.outcome]}
                </li>
              ))}
              {consequences.entries_after > 0 && <li>{words.person_end_entries(consequences.entries_after)}</li>}
              {consequences.open_entry === undefined &&
                consequences.absences.length === 0 &&
                consequences.entries_after === 0 && <li>{words.person_end_nothing}</li>}
            </ul>
          )}
        </div>
        <div className="end">
          <Button variant="default" onClick={onClose} data-autofocus>
            {words.cancel}
          </Button>
          <Button
            color={isPlan ? undefined : 'red'}
            disabled={isPlan && last === '' ? recordedEnd === '' : consequences === undefined}
            loading={changing.isPending}
            onClick={() => changing.mutate()}
          >
            {isPlan ? words.save : words.person_deactivate}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
