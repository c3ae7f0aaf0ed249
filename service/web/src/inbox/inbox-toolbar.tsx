/** The filter of the inbox: by state, by kind, of one person. */
import { Button, NativeSelect } from '@mantine/core';
import type { ReactNode } from 'react';
import { useDays } from '../parts/calendar.js';
import { useWords } from '../words/words.js';
import { type InboxFilter, kinds, states } from './inbox-filter.js';

export interface InboxToolbarProps {
  readonly filter: InboxFilter;
  /** The number of requests; undefined while they load. */
  readonly count: string | undefined;
  /** The person whose requests alone are shown. */
  readonly personName: string | undefined;
  readonly onChange: InboxFilter['change'];
}

export function InboxToolbar({ filter, count, personName, onChange }: InboxToolbarProps): ReactNode {
  const words = useWords();
  const calendar = useDays();
  return (
    <div className="toolbar">
      <fieldset className="chips">
        <legend className="hidden">{words.approvals_state}</legend>
        {states.map((state) => (
          <button
            key={state}
            type="button"
            className="chip"
            aria-pressed={state === filter.state}
            onClick={() => onChange({ state: state === 'waiting' ? undefined : state })}
          >
            {words.approvals_states[state]}
            {state === filter.state && count !== undefined && <b> {count}</b>}
          </button>
        ))}
      </fieldset>
      <NativeSelect
        aria-label={words.approvals_kind}
        value={filter.kind ?? ''}
        onChange={(event) => onChange({ kind: event.currentTarget.value || undefined })}
        data={[
          { value: '', label: words.approvals_kind_all },
          ...kinds.map((value) => ({ value, label: words.approvals_kinds[value] })),
        ]}
      />
      {filter.personId !== undefined && (
        <span>
          <bdi>{personName ?? words.approvals_whose}</bdi>{' '}
          <Button variant="default" size="xs" onClick={() => onChange({ person: undefined })}>
            {words.approvals_everyone}
          </Button>
        </span>
      )}
      {filter.month !== undefined && (
        <span>
          {calendar.month(filter.month)}{' '}
          <Button variant="default" size="xs" onClick={() => onChange({ month: undefined })}>
            {words.approvals_every_month}
          </Button>
        </span>
      )}
    </div>
  );
}
