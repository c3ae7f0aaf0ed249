/** The inbox of an approver: the list of requests, the opened one beside it, and decisions by mouse or keys. */
import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import { useCalendar } from '../parts/calendar.js';
import { Glyph } from '../parts/glyph.js';
import { GrowingList } from '../parts/growing-list.js';
import { withNames } from '../parts/names.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { ApprovalDetail } from './approval-detail.js';
import { lineOf } from './approval-words.js';
import { ApprovalsList } from './approvals-list.js';
import { type Approval, useDecisions } from './decisions.js';
import { RejectDialog } from './reject-dialog.js';

const kinds = ['absence', 'absence_cancellation', 'correction', 'offline_stamp'] as const;
const keysOff = 'clockproof.keys-off';

export function ApprovalsPage(_: SignedInPageProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const [, go] = useLocation();
  const search = new URLSearchParams(useSearch());
  const state = search.get('state') === 'decided' ? 'decided' : 'waiting';
  const kind = kinds.find((known) => known === search.get('kind'));
  const asked = search.get('open') ?? undefined;
  const whose = Number(search.get('person') ?? 0) || undefined;
  // Beside the list there is room for the first request; on a phone the list comes first.
  const wide = useMediaQuery('(min-width: 68.76rem)', false, { getInitialValueInEffect: false });
  const show = (changes: Readonly<Record<string, string | undefined>>) => {
    for (const [name, value] of Object.entries(changes))
      if (value === undefined) search.delete(name);
      else search.set(name, value);
    // Stepping through the list is one step back.
    go(`/team/approvals${search.size === 0 ? '' : `?${search}`}`, {
      replace: 'open' in changes && asked !== undefined,
    });
  };

  const list = usePagesOf(['approvals', state, kind, whose], (cursor) =>
    ask(
      client.GET('/app/approvals', {
        params: {
          query: {
            state,
            limit: 100,
            ...(kind === undefined ? {} : { kind }),
            ...(whose === undefined ? {} : { user_id: whose }),
            ...(cursor === undefined ? {} : { cursor }),
          },
        },
      }),
    ),
  );
  const decisions = useDecisions();
  const rows = (list.rows ?? []).filter(({ id }) => !decisions.gone.has(id));
  const open = asked ?? (wide ? rows[0]?.id : undefined);
  const position = rows.findIndex(({ id }) => id === open);
  const opened = rows[position];
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const chosen = rows.filter(({ id }) => selected.has(id));
  const [comment, setComment] = useState('');
  const [fault, setFault] = useState(false);
  const commentField = useRef<HTMLInputElement>(null);
  const [rejecting, setRejecting] = useState(false);
  const [keys, setKeys] = useState(() => localStorage.getItem(keysOff) === null);

  const openRow = (row: Approval | undefined) => {
    setComment('');
    setFault(false);
    show({ open: row?.id });
  };
  const openAt = (index: number) => openRow(rows[Math.max(0, Math.min(index, rows.length - 1))]);
  const decide = (requests: readonly Approval[], outcome: 'approved' | 'rejected', note: string) => {
    const rest = rows.filter((row) => !requests.includes(row));
    // The next one opens; after the last one, the one before it.
    const next = rows.slice(Math.max(position, 0)).find((row) => rest.includes(row)) ?? rest.at(-1);
    setSelected(new Set());
    decisions.decide({ requests, outcome, comment: note.trim() === '' ? undefined : note.trim() });
    if (asked !== undefined) openRow(next);
  };
  const reject = () => {
    if (opened === undefined) return;
    if (comment.trim() === '') {
      setFault(true);
      commentField.current?.focus();
    } else decide([opened], 'rejected', comment);
  };
  const toggle = (id: string) =>
    setSelected((before) => new Set(before.has(id) ? [...before].filter((other) => other !== id) : [...before, id]));

  useEffect(() => {
    if (!keys) return;
    const deciding: Readonly<Record<string, () => void>> = {
      x: () => opened !== undefined && toggle(opened.id),
      a: () => {
        if (chosen.length > 0) decide(chosen, 'approved', '');
        else if (opened !== undefined) decide([opened], 'approved', comment);
      },
      r: () => {
        if (chosen.length > 0) setRejecting(true);
        else commentField.current?.focus();
      },
    };
    const acts: Readonly<Record<string, () => void>> = {
      ...(state === 'waiting' ? deciding : {}),
      j: () => openAt(position + 1),
      k: () => openAt(position - 1),
      z: decisions.undo,
      Escape: () => openRow(undefined),
    };
    const press = (event: KeyboardEvent) => {
      const { target } = event;
      const typing =
        target instanceof HTMLElement &&
        target.closest('input:not([type="checkbox"]), textarea, select, [role="dialog"]') !== null;
      const act = acts[event.key];
      if (act === undefined || typing || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });

  const count = `${rows.length}${list.query.hasNextPage ? '+' : ''}`;
  return (
    <Page title={words.approvals_title}>
      <div className="toolbar">
        <fieldset className="chips">
          <legend className="hidden">{words.approvals_state}</legend>
          {(['waiting', 'decided'] as const).map((offered) => (
            <button
              key={offered}
              type="button"
              className="chip"
              aria-pressed={offered === state}
              onClick={() => {
                setSelected(new Set());
                show({ state: offered === 'waiting' ? undefined : offered, open: undefined });
              }}
            >
              {words.approvals_states[offered]}
              {offered === state && list.rows !== undefined && <b> {count}</b>}
            </button>
          ))}
        </fieldset>
        <NativeSelect
          aria-label={words.approvals_kind}
          value={kind ?? ''}
          onChange={(event) => {
            setSelected(new Set());
            show({ kind: event.currentTarget.value || undefined, open: undefined });
          }}
          data={[
            { value: '', label: words.approvals_kind_all },
            ...kinds.map((value) => ({ value, label: words.approvals_kinds[value] })),
          ]}
        />
        {whose !== undefined && (
          <span>
            <bdi>{rows[0]?.person.name ?? words.approvals_whose}</bdi>{' '}
            <Button
              variant="default"
              size="xs"
              onClick={() => {
                setSelected(new Set());
                show({ person: undefined, open: undefined });
              }}
            >
              {words.approvals_everyone}
            </Button>
          </span>
        )}
      </div>
      {decisions.refused.map(({ request, problem }) => (
        <div key={request.id} className="stack">
          <p className="note bad">
            <Glyph name="warning" /> <span>{withNames(words.approvals_refused, request.person.name)}</span>
          </p>
          <ProblemNotice problem={problem} />
        </div>
      ))}
      <GrowingList
        of={{ ...list, rows: list.rows === undefined ? undefined : rows }}
        none={state === 'waiting' ? words.approvals_none : words.approvals_none_decided}
      >
        {() => (
          <div className="inbox" data-open={opened === undefined ? undefined : ''}>
            <section className="inbox-list" aria-label={words.approvals_list}>
              <ApprovalsList
                rows={rows}
                open={open}
                decidable={state === 'waiting'}
                chosen={chosen}
                onToggle={toggle}
                onToggleAll={() =>
                  setSelected(chosen.length === rows.length ? new Set() : new Set(rows.map(({ id }) => id)))
                }
                onOpen={openRow}
                onApprove={() => decide(chosen, 'approved', '')}
                onReject={() => setRejecting(true)}
              />
              <div className="inbox-foot">
                {keys && (
                  <>
                    <span>
                      <kbd>j</kbd> <kbd>k</kbd> {words.approvals_keys_move}
                    </span>
                    {state === 'waiting' && (
                      <>
                        <span>
                          <kbd>x</kbd> {words.approvals_keys_select}
                        </span>
                        <span>
                          <kbd>a</kbd> {words.approvals_keys_approve}
                        </span>
                        <span>
                          <kbd>r</kbd> {words.approvals_keys_reject}
                        </span>
                      </>
                    )}
                  </>
                )}
                <Checkbox
                  size="xs"
                  label={words.approvals_keys}
                  checked={keys}
                  onChange={(event) => {
                    if (event.currentTarget.checked) localStorage.removeItem(keysOff);
                    else localStorage.setItem(keysOff, '1');
                    setKeys(event.currentTarget.checked);
                  }}
                />
              </div>
            </section>
            {opened !== undefined && (
              <section className="inbox-detail" aria-label={opened.person.name}>
                <div className="inbox-top">
                  <Button size="compact-md" variant="default" className="inbox-back" onClick={() => openRow(undefined)}>
                    ‹ {words.approvals_back}
                  </Button>
                  <span className="muted">{words.approvals_position(position + 1, count)}</span>
                </div>
                <ApprovalDetail key={opened.id} of={opened} />
                {state === 'waiting' && (
                  <form
                    className="inbox-decide"
                    onSubmit={(event) => {
                      event.preventDefault();
                      reject();
                    }}
                  >
                    <Button className="approve" onClick={() => decide([opened], 'approved', comment)}>
                      {words.approvals_approve}{' '}
                      {keys && (
                        <span className="cap" aria-hidden="true">
                          a
                        </span>
                      )}
                    </Button>
                    <Button type="submit" variant="default">
                      {words.approvals_reject}{' '}
                      {keys && (
                        <span className="cap" aria-hidden="true">
                          r
                        </span>
                      )}
                    </Button>
                    <div className="grow">
                      <input
                        ref={commentField}
                        className="field"
                        aria-label={words.approvals_comment}
                        aria-invalid={fault || undefined}
                        aria-describedby={fault ? 'comment-fault' : 'comment-hint'}
                        placeholder={words.approvals_comment}
                        maxLength={1000}
                        value={comment}
                        onChange={(event) => {
                          setComment(event.currentTarget.value);
                          setFault(false);
                        }}
                      />
                      {fault ? (
                        <span id="comment-fault" className="field-fault" role="alert">
                          {words.approvals_comment_needed}
                        </span>
                      ) : (
                        <span id="comment-hint" className="field-hint">
                          {words.approvals_comment_hint}
                        </span>
                      )}
                    </div>
                    <Button
                      variant="subtle"
                      className="skip-button"
                      disabled={position >= rows.length - 1}
                      onClick={() => openAt(position + 1)}
                    >
                      {words.approvals_skip}{' '}
                      {keys && (
                        <span className="cap" aria-hidden="true">
                          j
                        </span>
                      )}
                    </Button>
                  </form>
                )}
              </section>
            )}
          </div>
        )}
      </GrowingList>
      <RejectDialog
        open={rejecting}
        count={chosen.length}
        onClose={() => setRejecting(false)}
        onReject={(note) => {
          setRejecting(false);
          decide(chosen, 'rejected', note);
        }}
      />
      <output className="toast-place">
        {decisions.held !== undefined && (
          <span className="toast">
            <Glyph name={decisions.held.outcome === 'approved' ? 'check' : 'cross'} />
            <span>
              {decisions.held.requests.length === 1
                ? withNames(
                    words.approvals_pending[decisions.held.outcome],
                    `${decisions.held.requests[0]!.person.name}, ${lineOf(decisions.held.requests[0]!, words, calendar).what}`,
                  )
                : words.approvals_pending[decisions.held.outcome](
                    words.approvals_pending_many(decisions.held.requests.length),
                  )}
            </span>
            <button type="button" onClick={decisions.undo}>
              {words.approvals_undo}
            </button>
            {keys && (
              <span className="cap" aria-hidden="true">
                z
              </span>
            )}
          </span>
        )}
      </output>
    </Page>
  );
}
