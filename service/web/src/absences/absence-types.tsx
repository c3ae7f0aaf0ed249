/** The kinds of absence that people can choose, and the requirements of each. */
import { Button, Checkbox, NativeSelect, Switch, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { QueryState } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';

type Type = Schemas['AbsenceTypeSettings'];

const colors = ['usual', 'blue', 'green', 'amber', 'red', 'violet', 'pink', 'grey'] as const;

type Color = (typeof colors)[number];

export function AbsenceTypes({ id }: { readonly id: number }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const key = ['rules', 'types', id];
  const types = useQuery({
    queryKey: key,
    queryFn: () =>
      ask(client.GET('/app/admin/companies/{id}/absence-types', { params: { path: { id }, query: { limit: 500 } } })),
  });
  const refetch = () => void queries.invalidateQueries({ queryKey: key });
  const changing = useMutation({
    mutationFn: ({ type, change }: { type: Type; change: Schemas['AbsenceTypeChange'] }) =>
      ask(
        client.PATCH('/app/admin/companies/{id}/absence-types/{key}', {
          params: { path: { id, key: type.key } },
          body: change,
        }),
      ),
    onSuccess: refetch,
  });
  return (
    <>
      <ProblemNotice problem={changing.error} />
      <section className="panel" aria-label={words.rules_types}>
        <QueryState of={types}>
          {({ data }) => (
            <table className="grid">
              <thead>
                <tr>
                  <th scope="col">{words.approvals_kind}</th>
                  <th scope="col">{words.type_offered}</th>
                  <th scope="col">{words.type_approval}</th>
                  <th scope="col">{words.type_vacation}</th>
                  <th scope="col">{words.type_half}</th>
                  <th scope="col">{words.type_effect}</th>
                  <th scope="col">{words.type_visible}</th>
                  <th scope="col">{words.type_color}</th>
                </tr>
              </thead>
              <tbody>
                {data.map((type) => {
                  const box = (label: string, member: 'requires_approval' | 'counts_as_vacation' | 'half_day') => (
                    <td data-label={label}>
                      <Checkbox
                        aria-label={`${type.label}: ${label}`}
                        checked={type[member]}
                        onChange={(event) =>
                          changing.mutate({ type, change: { [member]: event.currentTarget.checked } })
                        }
                      />
                    </td>
                  );
                  return (
                    <tr key={type.key}>
                      <th scope="row">
                        <bdi>{type.label}</bdi>
                      </th>
                      <td data-label={words.type_offered}>
                        <Switch
                          aria-label={`${type.label}: ${words.type_offered}`}
                          checked={type.active}
                          onChange={(event) =>
                            changing.mutate({ type, change: { active: event.currentTarget.checked } })
                          }
                        />
                      </td>
                      {box(words.type_approval, 'requires_approval')}
                      {box(words.type_vacation, 'counts_as_vacation')}
                      {box(words.type_half, 'half_day')}
                      <td className="quiet" data-label={words.type_effect}>
                        {type.away ? words.calendar_away : words.calendar_elsewhere}
                      </td>
                      <td data-label={words.type_visible}>
                        <NativeSelect
                          size="xs"
                          aria-label={`${type.label}: ${words.type_visible}`}
                          value={type.visible_to}
                          onChange={(event) =>
                            changing.mutate({
                              type,
                              change: { visible_to: event.currentTarget.value as 'approvers' | 'everyone' },
                            })
                          }
                          data={(['approvers', 'everyone'] as const).map((value) => ({
                            value,
                            label: words.type_visible_to[value],
                          }))}
                        />
                      </td>
                      <td data-label={words.type_color}>
                        <NativeSelect
                          size="xs"
                          aria-label={`${type.label}: ${words.type_color}`}
                          leftSection={<i className="kind-color" data-color={type.color} />}
                          value={type.color}
                          onChange={(event) =>
                            changing.mutate({ type, change: { color: event.currentTarget.value as Color } })
                          }
                          data={colors.map((value) => ({ value, label: words.type_colors[value] }))}
                        />
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          )}
        </QueryState>
      </section>
      <NewType id={id} onAdded={refetch} />
    </>
  );
}

function NewType({ id, onAdded }: { readonly id: number; readonly onAdded: () => void }): ReactNode {
  const words = useWords();
  const emptyType = { label: '', half_day: true, requires_approval: true, counts_as_vacation: false, away: true };
  const [draft, setDraft] = useState(emptyType);
  const adding = useMutation({
    mutationFn: () =>
      ask(
        client.POST('/app/admin/companies/{id}/absence-types', {
          params: { path: { id } },
          body: { ...draft, key: keyOf(draft.label) },
        }),
      ),
    onSuccess: () => {
      setDraft(emptyType);
      onAdded();
    },
  });
  return (
    <form
      className="panel form-card"
      onSubmit={(event) => {
        event.preventDefault();
        adding.mutate();
      }}
    >
      <h2>{words.type_new}</h2>
      <ProblemNotice problem={adding.error} />
      <div className="fields">
        <TextInput
          label={words.type_label}
          value={draft.label}
          maxLength={100}
          required
          onChange={(event) => setDraft({ ...draft, label: event.currentTarget.value })}
        />
      </div>
      <div className="toolbar">
        {(
          [
            ['requires_approval', words.type_approval],
            ['counts_as_vacation', words.type_vacation],
            ['half_day', words.type_half],
            ['away', words.calendar_away],
          ] as const
        ).map(([member, label]) => (
          <Checkbox
            key={member}
            label={label}
            checked={draft[member]}
            onChange={(event) => setDraft({ ...draft, [member]: event.currentTarget.checked })}
          />
        ))}
      </div>
      <div className="end">
        <Button type="submit" loading={adding.isPending}>
          {words.type_add}
        </Button>
      </div>
    </form>
  );
}

/** The name that integrations see: lower-case letters, digits and underscores, made from the label. */
function keyOf(label: string): string {
  const name = label
    .toLowerCase()
    .replaceAll('ä', 'ae')
    .replaceAll('ö', 'oe')
    .replaceAll('ü', 'ue')
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|_+$/g, '')
    .slice(0, 40);
  return name === ''
    ? `kind_${[...label].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)!) % 1e6, 7)}`
    : name;
}
