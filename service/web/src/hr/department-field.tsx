/** The choice of a department of a company. */
import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useWords } from '../words/words.js';

/** Empty while the departments load. */
export function useDepartments(company: number): readonly Schemas['Department'][] {
  const departments = useQuery({
    queryKey: ['departments', company],
    queryFn: () => ask(client.GET('/app/admin/companies/{id}/departments', { params: { path: { id: company } } })),
  });
  return departments.data?.data ?? [];
}

export function DepartmentField({
  company,
  value,
  onChange,
}: {
  readonly company: number;
  /** The id of the department, or empty. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const words = useWords();
  const departments = useDepartments(company);
  return (
    <NativeSelect
      label={words.people_department}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: '', label: words.presence_department_none },
        ...departments.map(({ id, name }) => ({ value: String(id), label: name })),
      ]}
    />
  );
}
