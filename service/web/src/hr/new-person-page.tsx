/** Adds a person, and makes the invitation in the same step. */
import { Anchor, Button, Checkbox, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ask, client, Problem } from '../api/ask.js';
import { useCalendar } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { withNames } from '../parts/names.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { InvitationLink } from './invitation.js';

export function NewPersonPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const queries = useQueryClient();
  const company = session.company.id;
  const empty = { first: '', last: '', email: '', department: '', number: '', start: calendar.today };
  const [draft, setDraft] = useState(empty);
  const [invite, setInvite] = useState(true);
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part });
  const departments = useQuery({
    queryKey: ['departments', company],
    queryFn: () => ask(client.GET('/app/admin/companies/{id}/departments', { params: { path: { id: company } } })),
  });
  const adding = useMutation({
    mutationFn: async () => {
      const person = await ask(
        client.POST('/app/admin/people', {
          body: {
            company_id: company,
            first_name: draft.first,
            last_name: draft.last,
            employment_start: draft.start,
            ...(draft.email.trim() === '' ? {} : { email: draft.email.trim() }),
            ...(draft.department === '' ? {} : { department_id: Number(draft.department) }),
            ...(draft.number.trim() === '' ? {} : { personnel_number: draft.number }),
          },
        }),
      );
      void queries.invalidateQueries({ queryKey: ['people'] });
      if (!invite || person.email === undefined) return { person };
      const params = { path: { id: person.id } };
      return { person, link: await ask(client.POST('/app/admin/people/{id}/invitation', { params })) };
    },
  });
  const fault = (field: string) => {
    const { error } = adding;
    const detail = error instanceof Problem ? error.details.find((one) => one.field === field) : undefined;
    return detail === undefined ? undefined : detail.code === 'taken' ? words.problems.value_taken : detail.error;
  };
  if (adding.data !== undefined)
    return (
      <Page title={words.person_added_title}>
        <Done>{withNames(words.person_added, adding.data.person.display_name)}</Done>
        {adding.data.link !== undefined && <InvitationLink of={adding.data.link} />}
        <div className="toolbar">
          <Button
            onClick={() => {
              adding.reset();
              setDraft({ ...empty, department: draft.department, start: draft.start });
            }}
          >
            {words.person_add_another}
          </Button>
          <Button variant="default" component={Link} href={`/company/people/${adding.data.person.id}`}>
            {words.person_open}
          </Button>
          <Anchor component={Link} href="/company/people">
            {words.people_title}
          </Anchor>
        </div>
      </Page>
    );
  return (
    <Page
      title={words.person_add}
      lead={
        <>
          {words.person_add_many}{' '}
          <Link className="link" href="/company/people/import">
            {words.import_open}
          </Link>
        </>
      }
    >
      <form
        className="panel form-card"
        onSubmit={(event) => {
          event.preventDefault();
          adding.mutate();
        }}
      >
        <ProblemNotice problem={adding.error} />
        <div className="fields">
          <TextInput
            label={words.person_first}
            value={draft.first}
            onChange={(event) => change({ first: event.currentTarget.value })}
            error={fault('first_name')}
            maxLength={100}
            required
            autoComplete="off"
          />
          <TextInput
            label={words.person_last}
            value={draft.last}
            onChange={(event) => change({ last: event.currentTarget.value })}
            error={fault('last_name')}
            maxLength={100}
            required
            autoComplete="off"
          />
          <TextInput
            label={words.person_email}
            description={words.person_email_help}
            type="email"
            value={draft.email}
            onChange={(event) => change({ email: event.currentTarget.value })}
            error={fault('email')}
            maxLength={254}
            autoComplete="off"
          />
          <TextInput
            label={words.people_number}
            description={words.person_number_help}
            value={draft.number}
            onChange={(event) => change({ number: event.currentTarget.value })}
            error={fault('personnel_number')}
            maxLength={40}
          />
          <NativeSelect
            label={words.people_department}
            value={draft.department}
            onChange={(event) => change({ department: event.currentTarget.value })}
            data={[
              { value: '', label: words.presence_department_none },
              ...(departments.data?.data ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
          />
          <DayField
            label={words.person_start}
            value={draft.start}
            onChange={(start) => change({ start })}
            error={fault('employment_start')}
            required
          />
        </div>
        <Checkbox
          label={words.person_invite}
          description={words.person_invite_help}
          checked={invite && draft.email.trim() !== ''}
          disabled={draft.email.trim() === ''}
          onChange={(event) => setInvite(event.currentTarget.checked)}
        />
        <div className="end">
          <Button variant="default" component={Link} href="/company/people">
            {words.cancel}
          </Button>
          <Button type="submit" loading={adding.isPending}>
            {words.person_add}
          </Button>
        </div>
      </form>
    </Page>
  );
}
