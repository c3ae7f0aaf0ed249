/** Invitations for several people: the choice, and the links, which are shown once. */
import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useFormats } from '../parts/formats.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { saveFile } from '../parts/save-file.js';
import { useVisibleRows } from '../parts/visible-rows.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

export interface Invitable {
  readonly id: number;
  readonly name: string;
  readonly email: string;
}

export function InvitePeople({
  people,
  company,
}: {
  readonly people: readonly Invitable[];
  readonly company: number;
}): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [excludedIds, setExcludedIds] = useState<ReadonlySet<number>>(new Set());
  const selectedPeople = people.filter(({ id }) => !excludedIds.has(id));
  const withFactor = useWithFactor();
  const inviting = useMutation({
    mutationFn: () =>
      withFactor(() =>
        ask(
          client.POST('/app/admin/companies/{id}/invitations', {
            params: { path: { id: company } },
            body: { user_ids: selectedPeople.slice(0, 1_000).map(({ id }) => id) },
          }),
        ),
      ),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['people'] }),
  });
  const sight = useVisibleRows<HTMLUListElement>(people.length, 36);
  if (inviting.data !== undefined) return <InvitationLinks of={inviting.data.data} />;
  const toggle = (id: number) => {
    const next = new Set(excludedIds);
    if (!next.delete(id)) next.add(id);
    setExcludedIds(next);
  };
  return (
    <>
      <ProblemNotice problem={wasCancelled(inviting.error) ? null : inviting.error} />
      <div className="toolbar">
        <Checkbox
          label={words.invite_all}
          checked={selectedPeople.length === people.length}
          indeterminate={selectedPeople.length > 0 && selectedPeople.length < people.length}
          onChange={() =>
            setExcludedIds(selectedPeople.length === people.length ? new Set(people.map(({ id }) => id)) : new Set())
          }
        />
        <Button
          className="push"
          disabled={selectedPeople.length === 0}
          loading={inviting.isPending}
          onClick={() => inviting.mutate()}
        >
          {words.invite_do(selectedPeople.length)}
        </Button>
      </div>
      <ul
        className="panel choice-list"
        aria-label={words.invite_title}
        ref={sight.box}
        style={{ paddingTop: 4 + sight.above, paddingBottom: 4 + sight.below }}
      >
        {people.slice(sight.from, sight.to).map(({ id, name, email }) => (
          <li key={id} data-row="">
            <Checkbox
              checked={!excludedIds.has(id)}
              onChange={() => toggle(id)}
              label={
                <>
                  <bdi>{name}</bdi> <bdi className="muted">{email}</bdi>
                </>
              }
            />
          </li>
        ))}
      </ul>
    </>
  );
}

/** The links, which the service shows once. */
export function InvitationLinks({ of: links }: { readonly of: Schemas['Invitations']['data'] }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const quote = (value: string) => `"${value.replaceAll('"', '""')}"`;
  const file = () =>
    new Blob(
      [
        '\uFEFF',
        [
          [words.people_name, words.person_email, words.invite_link],
          ...links.map((link) => [link.person.name, link.email, link.url]),
        ]
          .map((line) => line.map(quote).join(';'))
          .join('\r\n'),
      ],
      { type: 'text/csv' },
    );
  return (
    <>
      <Done>{words.invite_done(links.length)}</Done>
      <div className="toolbar">
        <span className="hint">
          {links.some(({ mailed }) => mailed) && `${words.invite_mailed} `}
          {words.invite_text(formats.instant(links[0]!.expires_at))}
        </span>
        <Button variant="default" className="push" onClick={() => saveFile('invitations.csv', file())}>
          {words.invite_save}
        </Button>
      </div>
      <section className="panel wide-row" aria-label={words.invite_title}>
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">{words.people_name}</th>
              <th scope="col">{words.person_email}</th>
              <th scope="col">{words.invite_link}</th>
            </tr>
          </thead>
          <tbody>
            {links.map(({ person, email, url }) => (
              <tr key={person.id}>
                <th scope="row">
                  <bdi>{person.name}</bdi>
                </th>
                <td data-label={words.person_email}>
                  <bdi>{email}</bdi>
                </td>
                <td data-label={words.invite_link}>
                  <code className="breakable">{url}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
