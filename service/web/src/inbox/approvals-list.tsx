/** The requests of the inbox: person, subject, amount, age, and the points to check first. */
import { Button, Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import { useCalendars } from '../parts/calendar.js';
import { Glyph, Initials } from '../parts/glyph.js';
import { zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { type Approval, lineOf } from './approval-words.js';

export interface ApprovalsListProps {
  readonly rows: readonly Approval[];
  readonly open: string | undefined;
  readonly decidable: boolean;
  readonly selectedRows: readonly Approval[];
  readonly onToggle: (id: string) => void;
  readonly onToggleAll: () => void;
  readonly onOpen: (request: Approval) => void;
  readonly onApprove: () => void;
  readonly onReject: () => void;
}

export function ApprovalsList({
  rows,
  open,
  decidable,
  selectedRows,
  onToggle,
  onToggleAll,
  onOpen,
  onApprove,
  onReject,
}: ApprovalsListProps): ReactNode {
  const words = useWords();
  const calendarOf = useCalendars();
  return (
    <>
      {decidable && (
        <div className="inbox-bulk" data-on={selectedRows.length > 0 ? '' : undefined}>
          <Checkbox
            aria-label={words.approvals_select_all}
            checked={selectedRows.length === rows.length && rows.length > 0}
            indeterminate={selectedRows.length > 0 && selectedRows.length < rows.length}
            onChange={onToggleAll}
          />
          <output className="grow">
            {selectedRows.length === 0 ? words.approvals_select_all : words.approvals_selected(selectedRows.length)}
          </output>
          {selectedRows.length > 0 && (
            <>
              <Button size="xs" variant="default" onClick={onReject}>
                {words.approvals_reject}
              </Button>
              <Button size="xs" onClick={onApprove}>
                {words.approvals_approve_number(selectedRows.length)}
              </Button>
            </>
          )}
        </div>
      )}
      <ul>
        {rows.map((row) => {
          const calendar = calendarOf(zoneOf(row));
          const line = lineOf(row, words, calendar);
          return (
            <li key={row.id} data-open={row.id === open ? '' : undefined}>
              {decidable && (
                <Checkbox
                  aria-label={words.approvals_select(row.person.name)}
                  checked={selectedRows.includes(row)}
                  onChange={() => onToggle(row.id)}
                />
              )}
              <Initials name={row.person.name} />
              <button
                type="button"
                className="inbox-item"
                aria-current={row.id === open ? 'true' : undefined}
                onClick={() => onOpen(row)}
              >
                <strong>
                  <bdi>{row.person.name}</bdi>
                </strong>
                <small>{calendar.recent(row.decided_at ?? row.requested_at)}</small>
                <span>
                  <bdi>{line.what}</bdi>
                </span>
                <span className="amount">
                  <bdi>{line.amount}</bdi>
                </span>
                <small>{line.when}</small>
                <Flag of={row} />
              </button>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Flag({ of: request }: { readonly of: Approval }): ReactNode {
  const words = useWords();
  if (request.kind === 'offline_stamp')
    return (
      <span className="flag">
        <Glyph name="unproven" /> {words.approvals_unproven}
      </span>
    );
  if (request.status !== 'waiting') return <small>{words.approvals_statuses[request.status]}</small>;
  if (request.conflicts.length === 0) return null;
  return (
    <span className="flag">
      <Glyph name="warning" /> {words.approvals_conflict}
    </span>
  );
}
