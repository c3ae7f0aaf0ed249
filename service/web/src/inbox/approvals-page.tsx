/** The inbox of an approver: the list of requests, the opened one beside it, and decisions by mouse or keys. */
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useState } from 'react';
import { usePendingSubjects } from '../api/outbox.js';
import { holds } from '../api/session.js';
import { GrowingList } from '../parts/growing-list.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { useWords } from '../words/words.js';
import { ApprovalDetail } from './approval-detail.js';
import type { Approval } from './approval-words.js';
import { ApprovalsList } from './approvals-list.js';
import { DecideForm, useDecisionComment } from './decide-form.js';
import { type Decision, subjectOf, useDecide } from './decisions.js';
import { useApprovals, useInboxFilter } from './inbox-filter.js';
import { KeysLegend, useKeys, useKeysChoice } from './inbox-keys.js';
import { InboxToolbar } from './inbox-toolbar.js';
import { RejectDialog } from './reject-dialog.js';

export function ApprovalsPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const filter = useInboxFilter();
  const isDecidable = filter.state === 'waiting';
  const list = useApprovals(filter);
  const send = useDecide();
  const pendingSubjects = usePendingSubjects();
  const rows = (list.rows ?? []).filter((row) => !pendingSubjects.has(subjectOf(row)));
  // Beside the list there is room for the first request; on a phone the list comes first.
  const isWide = useMediaQuery('(min-width: 68.76rem)', false, { getInitialValueInEffect: false });
  const openId = filter.openId ?? (isWide ? rows[0]?.id : undefined);
  const position = rows.findIndex(({ id }) => id === openId);
  const openedRequest = rows[position];
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set());
  const selectedRows = rows.filter(({ id }) => selectedIds.has(id));
  const comment = useDecisionComment();
  const [isRejecting, setRejecting] = useState(false);
  const [keys, setKeys] = useKeysChoice();

  const openRow = (row: Approval | undefined) => {
    comment.change('');
    filter.change({ open: row?.id });
  };
  const openAt = (index: number) => openRow(rows[Math.max(0, Math.min(index, rows.length - 1))]);
  const decide = (requests: readonly Approval[], outcome: Decision['outcome'], note: string) => {
    const remainingRows = rows.filter((row) => !requests.includes(row));
    // Open the next request, or the previous one after the last.
    const next = rows.slice(Math.max(position, 0)).find((row) => remainingRows.includes(row)) ?? remainingRows.at(-1);
    setSelectedIds(new Set());
    send({ requests, outcome, comment: note.trim() === '' ? undefined : note.trim() });
    if (filter.openId !== undefined) openRow(next);
  };
  const approveChosen = () => decide(selectedRows, 'approved', '');
  const approve = (request: Approval) => decide([request], 'approved', comment.text);
  const toggle = (id: string) =>
    setSelectedIds(
      (current) => new Set(current.has(id) ? [...current].filter((otherId) => otherId !== id) : [...current, id]),
    );
  useKeys(keys, {
    ...(isDecidable && {
      x: () => openedRequest !== undefined && toggle(openedRequest.id),
      a: () => (selectedRows.length > 0 ? approveChosen() : openedRequest !== undefined && approve(openedRequest)),
      r: () => (selectedRows.length > 0 ? setRejecting(true) : comment.field.current?.focus()),
    }),
    j: () => openAt(position + 1),
    k: () => openAt(position - 1),
    Escape: () => openRow(undefined),
  });

  const count = `${rows.length}${list.query.hasNextPage ? '+' : ''}`;
  return (
    <Page title={words.approvals_title}>
      <InboxToolbar
        filter={filter}
        count={list.rows === undefined ? undefined : count}
        personName={rows[0]?.person.name}
        onChange={(changes) => {
          setSelectedIds(new Set());
          filter.change({ ...changes, open: undefined });
        }}
      />
      <GrowingList
        of={{ ...list, rows: list.rows === undefined ? undefined : rows }}
        none={isDecidable ? words.approvals_none : words.approvals_none_decided}
      >
        {() => (
          <div className="inbox" data-open={openedRequest === undefined ? undefined : ''}>
            <section className="inbox-list" aria-label={words.approvals_list}>
              <ApprovalsList
                rows={rows}
                open={openId}
                decidable={isDecidable}
                selectedRows={selectedRows}
                onToggle={toggle}
                onToggleAll={() =>
                  setSelectedIds(new Set(selectedRows.length === rows.length ? [] : rows.map(({ id }) => id)))
                }
                onOpen={openRow}
                onApprove={approveChosen}
                onReject={() => setRejecting(true)}
              />
              <KeysLegend on={keys} decidable={isDecidable} onChange={setKeys} />
            </section>
            {openedRequest !== undefined && (
              <OpenedApproval
                of={openedRequest}
                seesPeople={holds(session, 'approver')}
                position={words.approvals_position(position + 1, count)}
                onClose={() => openRow(undefined)}
              >
                {isDecidable && (
                  <DecideForm
                    comment={comment}
                    keys={keys}
                    onApprove={() => approve(openedRequest)}
                    onReject={() => comment.demand() && decide([openedRequest], 'rejected', comment.text)}
                    onSkip={position < rows.length - 1 ? () => openAt(position + 1) : undefined}
                  />
                )}
              </OpenedApproval>
            )}
          </div>
        )}
      </GrowingList>
      <RejectDialog
        open={isRejecting}
        title={words.approvals_reject_title(selectedRows.length)}
        onClose={() => setRejecting(false)}
        onReject={(note) => {
          setRejecting(false);
          decide(selectedRows, 'rejected', note);
        }}
      />
    </Page>
  );
}

function OpenedApproval({
  of: request,
  seesPeople,
  position,
  onClose,
  children,
}: {
  readonly of: Approval;
  readonly seesPeople: boolean;
  /** The position of the request in the list, in words. */
  readonly position: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}): ReactNode {
  const words = useWords();
  return (
    <section className="inbox-detail" aria-label={request.person.name} data-subject={request.id}>
      <div className="inbox-top">
        <Button size="compact-md" variant="default" className="inbox-back" onClick={onClose}>
          ‹ {words.approvals_back}
        </Button>
        <span className="muted">{position}</span>
      </div>
      <ApprovalDetail key={request.id} of={request} seesPeople={seesPeople} />
      {children}
    </section>
  );
}
