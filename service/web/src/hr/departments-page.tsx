/** Departments: their people and approvers. */
import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';

export function DepartmentsPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const id = session.company.id;
  const departments = useQuery({
    queryKey: ['departments', id],
    queryFn: () => ask(client.GET('/app/admin/companies/{id}/departments', { params: { path: { id } } })),
  });
  const refetch = () => void queries.invalidateQueries({ queryKey: ['departments'] });
  const [name, setName] = useState('');
  const adding = useMutation({
    mutationFn: () =>
      ask(client.POST('/app/admin/companies/{id}/departments', { params: { path: { id } }, body: { name } })),
    onSuccess: () => {
      setName('');
      refetch();
    },
  });
  return (
    <Page title={words.departments_title} lead={words.departments_text}>
      <form
        className="toolbar"
        onSubmit={(event) => {
          event.preventDefault();
          adding.mutate();
        }}
      >
        <TextInput
          aria-label={words.department_name}
          placeholder={words.department_name}
          value={name}
          maxLength={100}
          required
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" loading={adding.isPending}>
          {words.department_add}
        </Button>
      </form>
      <ProblemNotice problem={adding.error} />
      <QueryState of={departments}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="empty">{words.departments_none}</p>
          ) : (
            <ul className="panel rows">
              {data.map((department) => (
                <DepartmentRow key={department.id} company={id} department={department} onChanged={refetch} />
              ))}
            </ul>
          )
        }
      </QueryState>
    </Page>
  );
}

function DepartmentRow({
  company,
  department,
  onChanged,
}: {
  readonly company: number;
  readonly department: Schemas['Department'];
  readonly onChanged: () => void;
}): ReactNode {
  const words = useWords();
  const [name, setName] = useState<string>();
  const params = { path: { id: company, department_id: department.id } };
  const renaming = useMutation({
    mutationFn: () =>
      ask(
        client.PATCH('/app/admin/companies/{id}/departments/{department_id}', {
          params,
          body: { name: name! },
        }),
      ),
    onSuccess: () => {
      setName(undefined);
      onChanged();
    },
  });
  const removing = useMutation({
    mutationFn: () => ask(client.DELETE('/app/admin/companies/{id}/departments/{department_id}', { params })),
    onSuccess: onChanged,
  });
  return (
    <li>
      {name === undefined ? (
        <>
          <strong className="grow">
            <bdi>{department.name}</bdi>
          </strong>
          <small>
            {words.department_approvers}:{' '}
            <bdi>
              {department.approvers.map((approver) => approver.name).join(', ') || words.department_no_approver}
            </bdi>
          </small>
          <Link href={`/company/people?department=${department.id}`} className="link">
            {words.people_count(department.people_count, false)}
          </Link>
          <Button size="compact-sm" variant="default" onClick={() => setName(department.name)}>
            {words.department_rename}
          </Button>
          <Button
            size="compact-sm"
            variant="subtle"
            color="red"
            loading={removing.isPending}
            onClick={() => removing.mutate()}
          >
            {words.department_remove}
          </Button>
        </>
      ) : (
        <form
          className="toolbar grow"
          onSubmit={(event) => {
            event.preventDefault();
            renaming.mutate();
          }}
        >
          <TextInput
            aria-label={words.department_name}
            value={name}
            maxLength={100}
            required
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Button type="submit" size="compact-md" loading={renaming.isPending}>
            {words.save}
          </Button>
          <Button size="compact-md" variant="default" onClick={() => setName(undefined)}>
            {words.cancel}
          </Button>
        </form>
      )}
      <ProblemNotice problem={renaming.error ?? removing.error} />
    </li>
  );
}
