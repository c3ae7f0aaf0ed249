/** Chooses a person by name; what is chosen stands in the field's place, with a button that removes it. */
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { useWords } from '../words/words.js';

/** @param chosen the name of the person that is chosen, if one is */
export function PersonField({
  label,
  chosen,
  onChoose,
}: {
  readonly label: string;
  readonly chosen: string | undefined;
  readonly onChoose: (id: number | undefined) => void;
}): ReactNode {
  const words = useWords();
  const [typed, setTyped] = useState('');
  const search = typed.trim();
  const people = useQuery({
    queryKey: ['people', 'audit', search],
    queryFn: () => ask(client.GET('/app/admin/people', { params: { query: { limit: 6, search } } })),
    enabled: search !== '',
    placeholderData: (before) => before,
  });
  if (chosen !== undefined)
    return (
      <div className="chosen-person">
        <span className="field-label">{label}</span>
        <button
          type="button"
          className="chip"
          aria-pressed="true"
          aria-label={`${label} ${chosen}: ${words.audit_person_clear}`}
          onClick={() => onChoose(undefined)}
        >
          <bdi>{chosen}</bdi> <span aria-hidden="true">×</span>
        </button>
      </div>
    );
  const found = search === '' ? [] : (people.data?.data ?? []);
  return (
    <div className="person-field">
      <TextInput
        label={label}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
      />
      {found.length > 0 && (
        <ul className="person-choices">
          {found.map(({ id, display_name: name, department }) => (
            <li key={id}>
              <button
                type="button"
                onClick={() => {
                  setTyped('');
                  onChoose(id);
                }}
              >
                <bdi>{name}</bdi>
                {department !== undefined && (
                  <small>
                    <bdi>{department.name}</bdi>
                  </small>
                )}
              </button>
            </li>
          ))}
        </ul>
      )}
      <p role="status" className="person-none">
        {search !== '' && people.data?.data.length === 0 && words.audit_person_none}
      </p>
    </div>
  );
}
