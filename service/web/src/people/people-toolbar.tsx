/** Above lists of people: the search, the department, the number of people; and the text for an empty list. */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type ReactNode, useEffect, useState } from 'react';
import { useWords } from '../words/words.js';

export interface OfferedDepartment {
  readonly id: number | string;
  readonly name: string;
}

export interface PeopleToolbarProps {
  /** The label of the search field. */
  readonly label: string;
  readonly text: string;
  readonly onTyped: (text: string) => void;
  /** The department in the address; empty for all. */
  readonly department: string;
  readonly departments: readonly OfferedDepartment[];
  readonly onDepartment: (department: string) => void;
  /** The number of people shown, in words. */
  readonly count?: ReactNode;
  /** Further filters, between the two. */
  readonly children?: ReactNode;
}

export function PeopleToolbar({
  label,
  text,
  onTyped,
  department,
  departments,
  onDepartment,
  count,
  children,
}: PeopleToolbarProps): ReactNode {
  const words = useWords();
  return (
    <div className="toolbar no-print">
      <TextInput
        type="search"
        aria-label={label}
        placeholder={label}
        value={text}
        maxLength={100}
        onChange={(event) => onTyped(event.currentTarget.value)}
      />
      {children}
      <NativeSelect
        aria-label={words.presence_filter}
        value={department}
        onChange={(event) => onDepartment(event.currentTarget.value)}
        data={[
          { value: '', label: words.calendar_department_all },
          ...departments.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
      />
      {count !== undefined && <output className="muted push">{count}</output>}
    </div>
  );
}

export function NobodyFits({ onClear }: { readonly onClear: () => void }): ReactNode {
  const words = useWords();
  return (
    <p className="empty no-print">
      {words.presence_none_found}{' '}
      <Button variant="default" size="xs" onClick={onClear}>
        {words.presence_clear}
      </Button>
    </p>
  );
}

/**
 * The typed text, which becomes the search once the typing pauses.
 * @param search as in the address, which follows the typed text, not the other way round
 */
export function useTyped(
  search: string,
  onSearch: (search: string) => void,
): readonly [typed: string, onTyped: (typed: string) => void] {
  const [text, setText] = useState(search);
  const [settledText] = useDebouncedValue(text, 150);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only what was typed
  useEffect(() => {
    if (settledText.trim() !== search) onSearch(settledText.trim());
  }, [settledText]);
  return [text, setText];
}
