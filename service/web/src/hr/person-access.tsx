/** Sign-in and permissions of a person: invitation, second factor, PIN, roles. */
import { Button, Checkbox, Radio } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import { holds, type Role, type Schemas, type Session } from '../api/session.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { Facts } from '../parts/facts.js';
import { useFormats } from '../parts/formats.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { withNames } from '../parts/names.js';
import { Changing } from '../parts/own-record.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { zoneOf } from '../parts/zone.js';
import { ProofLink } from '../proofs/proof-link.js';
import { useWords } from '../words/words.js';
import { useDepartments } from './department-field.js';
import { InvitationButton, InvitationLink } from './invitation.js';

type Person = Schemas['Person'];

export function PersonAccess({ person, session }: { readonly person: Person; readonly session: Session }): ReactNode {
  const words = useWords();
  const formats = useFormats(zoneOf(person));
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const [topic, setTopic] = useState<'factor' | 'pin' | 'account'>();
  const refetch = () => void queries.invalidateQueries({ queryKey: ['person', person.id] });
  const params = { path: { id: person.id } };
  const resetting = useMutation({
    mutationFn: () => withFactor(() => ask(client.DELETE('/app/admin/people/{id}/second-factor', { params }))),
    onSuccess: refetch,
  });
  const unlinking = useMutation({
    mutationFn: () => withFactor(() => ask(client.DELETE('/app/admin/people/{id}/company-sign-in', { params }))),
    onSuccess: refetch,
  });
  const removing = useMutation({
    mutationFn: () => withFactor(() => ask(client.DELETE('/app/admin/people/{id}/pin', { params }))),
    onSuccess: refetch,
  });
  const questions = {
    factor: {
      title: words.person_factor_reset_title,
      action: words.person_factor_reset,
      text: words.person_factor_reset_text,
      doing: resetting,
    },
    account: {
      title: words.person_account_unlink_title,
      action: words.person_account_unlink,
      text: words.person_account_unlink_text,
      doing: unlinking,
    },
    pin: {
      title: words.person_pin_reset_title,
      action: words.person_pin_reset,
      text: words.person_pin_reset_text,
      doing: removing,
    },
  };
  const question = questions[topic ?? 'factor'];
  return (
    <>
      <section className="panel form-card" aria-label={words.person_access_title}>
        <h2>{words.person_access_title}</h2>
        <Facts
          of={[
            [words.people_sign_in, words.person_sign_ins[person.sign_in]],
            [
              words.person_last_sign_in,
              person.last_sign_in_at === undefined ? words.person_never : formats.instant(person.last_sign_in_at),
            ],
            [words.person_factor, person.second_factor ? words.person_yes : words.person_no],
            ...(person.company_sign_in ? [[words.person_account, words.person_account_bound] as const] : []),
            [words.person_pin, person.pin_set ? words.person_yes : words.person_no],
            ...(session.features.terminals
              ? [
                  [
                    words.person_badges,
                    <Link
                      key="badges"
                      className="link"
                      href={`/admin/badges?search=${encodeURIComponent(person.display_name)}`}
                    >
                      {person.badges}
                    </Link>,
                  ] as const,
                ]
              : []),
          ]}
        />
        {[resetting.error, unlinking.error, removing.error].map((problem, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: three places
          <ProblemNotice key={index} problem={wasCancelled(problem) ? null : problem} />
        ))}
        <Done>
          {resetting.isSuccess
            ? words.person_factor_reset_done
            : unlinking.isSuccess
              ? words.person_account_unlinked
              : removing.isSuccess
                ? words.person_pin_reset_done
                : undefined}
        </Done>
        {resetting.data !== undefined ? (
          <InvitationLink of={resetting.data} />
        ) : (
          person.active && person.sign_in === 'invited' && <InvitationButton person={person} />
        )}
        {!person.active && <ProofLink person={person.id} />}
        {person.sign_in === 'none' && <p className="hint">{words.person_no_address}</p>}
        <div className="toolbar">
          {person.second_factor && (
            <Button variant="default" onClick={() => setTopic('factor')}>
              {words.person_factor_reset}
            </Button>
          )}
          {person.company_sign_in && (
            <Button variant="default" onClick={() => setTopic('account')}>
              {words.person_account_unlink}
            </Button>
          )}
          {person.pin_set && (
            <Button variant="default" onClick={() => setTopic('pin')}>
              {words.person_pin_reset}
            </Button>
          )}
        </div>
      </section>
      <Changing visible>
        <Roles key={JSON.stringify(person.roles)} person={person} session={session} />
      </Changing>
      <ConfirmDialog
        open={topic !== undefined}
        title={withNames(question.title, person.display_name)}
        action={question.action}
        onClose={() => setTopic(undefined)}
        onConfirm={() => {
          setTopic(undefined);
          question.doing.mutate();
        }}
      >
        <p>{question.text}</p>
      </ConfirmDialog>
    </>
  );
}

function Roles({ person, session }: { readonly person: Person; readonly session: Session }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const [role, setRole] = useState<Role | 'none'>(
    (['super_admin', 'company_admin', 'approver'] as const).find((roleName) =>
      person.roles.some((grant) => grant.role === roleName),
    ) ?? 'none',
  );
  const [departmentIds, setDepartmentIds] = useState<readonly number[]>(
    person.roles.flatMap((heldRole) => (heldRole.role === 'approver' ? (heldRole.department_ids ?? []) : [])),
  );
  const departments = useDepartments(person.company_id);
  const saving = useMutation({
    mutationFn: () => {
      const roles: Schemas['RoleGrants']['roles'] =
        role === 'none'
          ? []
          : role === 'super_admin'
            ? [{ role }]
            : [
                {
                  role,
                  company_id: person.company_id,
                  ...(role === 'approver' && departmentIds.length > 0 ? { department_ids: [...departmentIds] } : {}),
                },
              ];
      return withFactor(() =>
        ask(client.PUT('/app/admin/people/{id}/roles', { params: { path: { id: person.id } }, body: { roles } })),
      );
    },
    onSuccess: (changedPerson) => {
      queries.setQueryData(['person', person.id], changedPerson);
      void queries.invalidateQueries({ queryKey: ['people'] });
    },
  });
  const offeredRoles: readonly (Role | 'none')[] = [
    'none',
    'approver',
    'company_admin',
    ...(holds(session, 'super_admin') ? (['super_admin'] as const) : []),
  ];
  return (
    <form
      className="panel form-card"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      <Radio.Group label={words.people_role} value={role} onChange={(value) => setRole(value as Role | 'none')}>
        <div className="stack choices">
          {offeredRoles.map((offeredRole) => (
            <Radio
              key={offeredRole}
              value={offeredRole}
              label={offeredRole === 'none' ? words.role_none : words.roles[offeredRole]}
              description={words.role_texts[offeredRole]}
            />
          ))}
        </div>
      </Radio.Group>
      {role === 'approver' && (
        <Checkbox.Group
          label={words.role_departments}
          description={words.role_departments_help}
          value={departmentIds.map(String)}
          onChange={(values) => setDepartmentIds(values.map(Number))}
        >
          <div className="stack choices">
            {departments.map(({ id, name }) => (
              <Checkbox key={id} value={String(id)} label={<bdi>{name}</bdi>} />
            ))}
          </div>
        </Checkbox.Group>
      )}
      <ProblemNotice problem={wasCancelled(saving.error) ? null : saving.error} />
      <Done>{saving.isSuccess ? words.saved : undefined}</Done>
      <div className="end">
        <Button type="submit" loading={saving.isPending}>
          {words.save}
        </Button>
      </div>
    </form>
  );
}
