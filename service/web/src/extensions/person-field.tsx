/** Chooses a person by name; the chosen one stands in the field's place, with a button that removes it. */
import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useWords } from '../words/words.js';

interface Found {
  readonly id: number;
  readonly name: string;
  readonly department?: Schemas['DepartmentReference'] | undefined;
}

/** Everyone whom an admin sees. */
async function findPeople(search: string): Promise<readonly Found[]> {
  const { data } = await ask(client.GET('/app/admin/people', { params: { query: { limit: 6, search } } }));
  return data.map(({ id, display_name: name, department }) => ({ id, name, department }));
}

/** The people for whom an approver decides. */
export async function findMyPeople(search: string): Promise<readonly Found[]> {
  const { data } = await ask(client.GET('/app/team/people', { params: { query: { limit: 6, search } } }));
  return data.map(({ user_id: id, first_name, last_name, department }) => ({
    id,
    name: `${first_name} ${last_name}`,
    department,
  }));
}

/**
 * @param selectedName the name of the selected person, if any
 * @param find searches people by name
 */
export function PersonField({
  label,
  selectedName,
  find = findPeople,
  onChoose,
}: {
  readonly label: string;
  readonly selectedName: string | undefined;
  readonly find?: (search: string) => Promise<readonly Found[]>;
  readonly onChoose: (id: number | undefined, name?: string) => void;
}): ReactNode {
  const words = useWords();
  const [text, setText] = useState('');
  const search = text.trim();
  const people = useQuery({
    queryKey: ['people', find.name, search],
    queryFn: () => find(search),
    enabled: search !== '',
    placeholderData: (previousData) => previousData,
  });
  if (selectedName !== undefined)
    return (
      <div className="chosen-person">
        <span className="field-label">{label}</span>
        <button
          type="button"
          className="chip"
          aria-pressed="true"
          aria-label={`${label} ${selectedName}: ${words.audit_person_clear}`}
          onClick={() => onChoose(undefined)}
        >
          <bdi>{selectedName}</bdi> <span aria-hidden="true">×</span>
        </button>
      </div>
    );
  const matches = search === '' ? [] : (people.data ?? []);
  return (
    <div className="person-field">
      <TextInput
        label={label}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
      />
      {matches.length > 0 && (
        <ul className="person-choices">
          {matches.map(({ id, name, department }) => (
            <li key={id}>
              <button
                type="button"
                onClick={() => {
                  setText('');
                  onChoose(id, name);
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
        {search !== '' && people.data?.length === 0 && words.audit_person_none}
      </p>
    </div>
  );
}
