/** Erases a person who has left: shows the records and the time they must be kept; the name has to be typed. */
import { Button, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useDays } from '../parts/calendar.js';
import { Dialog } from '../parts/dialog.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { withNames } from '../parts/names.js';
import { QueryState } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';

type Person = Schemas['Person'];
type Preview = Schemas['ErasurePreview'];

export function ErasePerson({ person }: { readonly person: Person }): ReactNode {
  const words = useWords();
  const { dayWithYear: formatDate } = useDays();
  const [isConfirming, setConfirming] = useState(false);
  const preview = useQuery({
    queryKey: ['erasure', person.id],
    queryFn: () => ask(client.GET('/app/admin/people/{id}/erasure', { params: { path: { id: person.id } } })),
  });
  return (
    <section className="panel form-card danger" aria-label={words.erase_title}>
      <h2>{words.erase_title}</h2>
      <p>{words.erase_text}</p>
      <QueryState of={preview} rows={3}>
        {(erasure) => (
          <>
            <Records preview={erasure} />
            {erasure.possible_from !== undefined && (
              <p>
                <strong>{words.erase_from(formatDate(erasure.possible_from))}</strong> {words.erase_before}
              </p>
            )}
            <div>
              <Button variant="outline" color="red" onClick={() => setConfirming(true)}>
                {words.erase_open}
              </Button>
            </div>
            {isConfirming && (
              <EraseDialog
                person={person}
                hasRetained={erasure.possible_from !== undefined}
                onClose={() => setConfirming(false)}
              />
            )}
          </>
        )}
      </QueryState>
    </section>
  );
}

function Records({ preview }: { readonly preview: Preview }): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const { dayWithYear: formatDate } = useDays();
  if (preview.records.length === 0) return <p className="hint">{words.erase_none}</p>;
  return (
    <table className="grid">
      <thead>
        <tr>
          <th scope="col">{words.erase_records}</th>
          <th scope="col" className="number">
            {words.erase_count}
          </th>
          <th scope="col">{words.erase_period}</th>
          <th scope="col">{words.erase_kept}</th>
        </tr>
      </thead>
      <tbody>
        {preview.records.map(({ kind, count, first, last, keep_until: until, rules }) => (
          <tr key={kind}>
            <th scope="row">{(words.erase_kinds as Readonly<Record<string, string>>)[kind] ?? kind}</th>
            <td className="number" data-label={words.erase_count}>
              {calendar.count(count)}
            </td>
            <td data-label={words.erase_period}>
              {formatDate(first)} – {formatDate(last)}
            </td>
            <td data-label={words.erase_kept}>
              {until === undefined ? words.erase_not_kept : `${formatDate(until)} (${rules.join(', ')})`}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function EraseDialog({
  person,
  hasRetained,
  onClose,
}: {
  readonly person: Person;
  readonly hasRetained: boolean;
  readonly onClose: () => void;
}): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const [, go] = useLocation();
  const [name, setName] = useState('');
  const [reason, setReason] = useState('');
  const erasing = useMutation({
    mutationFn: () =>
      withFactor(() =>
        ask(
          client.POST('/app/admin/people/{id}/erasure', {
            params: { path: { id: person.id } },
            body: { confirm_name: name, ...(hasRetained ? { reason } : {}) },
          }),
        ),
      ),
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: ['people'] });
      go('/company/people');
    },
  });
  return (
    <Dialog open onClose={onClose} title={withNames(words.erase_dialog, person.display_name)}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          erasing.mutate();
        }}
      >
        <p>{words.erase_forever}</p>
        {!wasCancelled(erasing.error) && <ProblemNotice problem={erasing.error} />}
        {hasRetained && (
          <Textarea
            label={words.erase_reason}
            description={words.erase_reason_help}
            value={reason}
            maxLength={1000}
            required
            data-autofocus
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        )}
        <TextInput
          label={words.erase_name(person.display_name)}
          value={name}
          maxLength={201}
          required
          autoComplete="off"
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <div className="end">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit" color="red" loading={erasing.isPending}>
            {words.erase_do}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
