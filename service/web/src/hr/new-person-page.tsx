/** Adds a person, and makes the invitation in the same step. */
import { Anchor, Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ask, client, Problem } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { withNames } from '../parts/names.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { Done, detailSentenceOf, ProblemNotice } from '../parts/problem-notice.js';
import { zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { DepartmentField } from './department-field.js';
import { InvitationLink } from './invitation.js';

interface Draft {
  readonly first: string;
  readonly last: string;
  readonly email: string;
  readonly department: string;
  readonly number: string;
  readonly start: string;
}

export function NewPersonPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zoneOf(session.company));
  const queries = useQueryClient();
  const company = session.company.id;
  const emptyDraft: Draft = { first: '', last: '', email: '', department: '', number: '', start: calendar.today };
  const [draft, setDraft] = useState(emptyDraft);
  const [invite, setInvite] = useState(true);
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
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
  if (adding.data !== undefined)
    return (
      <PersonAdded
        {...adding.data}
        issuesBadges={session.features.terminals}
        onAnother={() => {
          adding.reset();
          setDraft({ ...emptyDraft, department: draft.department, start: draft.start });
        }}
      />
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
        <ProblemNotice
          problem={adding.error}
          labels={{ email: words.person_email, personnel_number: words.people_number }}
        />
        <NewPersonFields company={company} value={draft} problem={adding.error} onChange={change} />
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

function PersonAdded({
  person,
  link,
  issuesBadges,
  onAnother,
}: {
  readonly person: Schemas['Person'];
  /** Whether the company has terminals. */
  readonly issuesBadges: boolean;
  readonly link?: Schemas['InvitationLink'];
  readonly onAnother: () => void;
}): ReactNode {
  const words = useWords();
  return (
    <Page title={words.person_added_title}>
      <Done>{withNames(words.person_added, person.display_name)}</Done>
      {link !== undefined && <InvitationLink of={link} />}
      <section className="panel" aria-label={words.person_steps_title}>
        <h2 className="panel-head">{words.person_steps_title}</h2>
        <ul className="rows">
          {(
            [
              ['hours', `/company/people/${person.id}?tab=hours`],
              ['vacation', `/company/people/${person.id}?tab=vacation`],
              ...(issuesBadges
                ? [['badge', `/admin/badges?search=${encodeURIComponent(person.display_name)}`] as const]
                : []),
              ['access', `/company/people/${person.id}?tab=access`],
            ] as const
          ).map(([step, path]) => (
            <li key={step}>
              <Link className="link" href={path}>
                {words.person_steps[step]} ›
              </Link>
            </li>
          ))}
        </ul>
      </section>
      <div className="toolbar">
        <Button onClick={onAnother}>{words.person_add_another}</Button>
        <Button variant="default" component={Link} href={`/company/people/${person.id}`}>
          {words.person_open}
        </Button>
        <Anchor component={Link} href="/company/people">
          {words.people_title}
        </Anchor>
      </div>
    </Page>
  );
}

function NewPersonFields({
  company,
  value,
  problem,
  onChange,
}: {
  readonly company: number;
  readonly value: Draft;
  readonly problem: unknown;
  readonly onChange: (part: Partial<Draft>) => void;
}): ReactNode {
  const words = useWords();
  const fault = (field: string) => {
    const detail =
      problem instanceof Problem ? problem.details.find((fieldDetail) => fieldDetail.field === field) : undefined;
    if (detail?.code !== 'taken') return detail && detailSentenceOf(detail, words);
    const holder =
      problem instanceof Problem ? problem.heldBy.find((fieldHolder) => fieldHolder.field === field) : undefined;
    return holder === undefined ? words.problems.value_taken : `${words.value_held} ${holder.person.name}`;
  };
  return (
    <div className="fields">
      <TextInput
        label={words.person_first}
        value={value.first}
        onChange={(event) => onChange({ first: event.currentTarget.value })}
        error={fault('first_name')}
        maxLength={100}
        required
        autoComplete="off"
      />
      <TextInput
        label={words.person_last}
        value={value.last}
        onChange={(event) => onChange({ last: event.currentTarget.value })}
        error={fault('last_name')}
        maxLength={100}
        required
        autoComplete="off"
      />
      <TextInput
        label={words.person_email}
        description={words.person_email_help}
        type="email"
        value={value.email}
        onChange={(event) => onChange({ email: event.currentTarget.value })}
        error={fault('email')}
        maxLength={254}
        autoComplete="off"
      />
      <TextInput
        label={words.people_number}
        description={words.person_number_help}
        value={value.number}
        onChange={(event) => onChange({ number: event.currentTarget.value })}
        error={fault('personnel_number')}
        maxLength={40}
      />
      <DepartmentField company={company} value={value.department} onChange={(department) => onChange({ department })} />
      <DayField
        label={words.person_start}
        value={value.start}
        onChange={(start) => onChange({ start })}
        error={fault('employment_start')}
        required
      />
    </div>
  );
}
