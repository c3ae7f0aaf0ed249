/** Offline stamps that could not become an entry: approvers take them, give them to a person, or reject them. */
import { Button, Checkbox, Group, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import type { Schemas } from '../api/session.js';
import { ownerOf, StampFacts, type UnresolvedStamp } from '../clock/unresolved-stamp.js';
import { findMyPeople, PersonField } from '../extensions/person-field.js';
import { Dialog } from '../parts/dialog.js';
import { GrowingList } from '../parts/growing-list.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { states } from './inbox-filter.js';
import { RejectDialog } from './reject-dialog.js';

const maxRejected = 100;

export function UnresolvedStampsPage(_: SignedInPageProps): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [state, setState] = useState<(typeof states)[number]>('waiting');
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<string>>(new Set());
  const [giving, setGiving] = useState<UnresolvedStamp>();
  const [isRejecting, setRejecting] = useState(false);
  const list = usePagesOf(['unresolved-stamps', state], (cursor) =>
    ask(
      client.GET('/app/unresolved-stamps', {
        params: { query: { state, cursor } },
      }),
    ),
  );
  const reset = () => {
    setSelectedIds(new Set());
    for (const key of ['unresolved-stamps', 'approvals', 'notices'])
      void queries.invalidateQueries({ queryKey: [key] });
  };
  const taking = useMutation({
    mutationFn: ({ id, person }: { readonly id: string; readonly person?: number }) =>
      ask(
        client.POST('/app/unresolved-stamps/{id}/take', {
          params: { path: { id } },
          body: person === undefined ? {} : { user_id: person },
        }),
      ),
    onSettled: reset,
  });
  const rejection = useMutation({
    mutationFn: (body: Schemas['RejectStamps']) => ask(client.POST('/app/unresolved-stamps/reject', { body })),
    onSettled: reset,
  });
  const rows = list.rows ?? [];
  const selectedStamps = rows.filter(({ id }) => selectedIds.has(id)).slice(0, maxRejected);
  const toggle = (id: string) =>
    setSelectedIds(
      (current) => new Set(current.has(id) ? [...current].filter((otherId) => otherId !== id) : [...current, id]),
    );
  return (
    <Page title={words.unresolved_title} lead={words.unresolved_text}>
      <Group role="group" aria-label={words.approvals_state}>
        {states.map((listedState) => (
          <Button
            key={listedState}
            variant={listedState === state ? 'filled' : 'default'}
            aria-pressed={listedState === state}
            onClick={() => {
              setSelectedIds(new Set());
              setState(listedState);
            }}
          >
            {words.approvals_states[listedState]}
          </Button>
        ))}
      </Group>
      <ProblemNotice problem={taking.error ?? rejection.error} />
      <GrowingList of={list} none={state === 'waiting' ? words.unresolved_none : words.approvals_none_decided}>
        {() => (
          <>
            {state === 'waiting' && (
              <Group>
                <Checkbox
                  label={words.approvals_select_all}
                  checked={selectedStamps.length > 0 && selectedStamps.length === Math.min(rows.length, maxRejected)}
                  indeterminate={
                    selectedStamps.length > 0 && selectedStamps.length < Math.min(rows.length, maxRejected)
                  }
                  onChange={() => setSelectedIds(new Set(selectedStamps.length > 0 ? [] : rows.map(({ id }) => id)))}
                />
                <Button
                  variant="default"
                  disabled={selectedStamps.length === 0}
                  loading={rejection.isPending}
                  onClick={() => setRejecting(true)}
                >
                  {selectedStamps.length === 0
                    ? words.approvals_reject
                    : words.unresolved_reject(selectedStamps.length)}
                </Button>
              </Group>
            )}
            <Stack component="ul" className="plain">
              {rows.map((stamp) => (
                <li key={stamp.id} className="sheet">
                  <Stack gap="xs">
                    <StampFacts of={stamp} />
                    {state === 'waiting' && (
                      <Group>
                        <Checkbox
                          label={words.unresolved_select}
                          aria-label={words.unresolved_select_one(ownerOf(stamp, words), stamp.number)}
                          checked={selectedIds.has(stamp.id)}
                          onChange={() => toggle(stamp.id)}
                        />
                        {stamp.action !== undefined && stamp.person !== undefined && (
                          <Button
                            size="xs"
                            loading={taking.isPending && taking.variables.id === stamp.id}
                            onClick={() => taking.mutate({ id: stamp.id })}
                          >
                            {words.unresolved_take}
                          </Button>
                        )}
                        {stamp.action !== undefined && (
                          <Button size="xs" variant="default" onClick={() => setGiving(stamp)}>
                            {words.unresolved_give}
                          </Button>
                        )}
                      </Group>
                    )}
                  </Stack>
                </li>
              ))}
            </Stack>
          </>
        )}
      </GrowingList>
      {giving !== undefined && (
        <GiveDialog
          stamp={giving}
          onClose={() => setGiving(undefined)}
          onGive={(person) => {
            setGiving(undefined);
            taking.mutate({ id: giving.id, person });
          }}
        />
      )}
      <RejectDialog
        open={isRejecting}
        title={words.unresolved_reject(selectedStamps.length)}
        onClose={() => setRejecting(false)}
        onReject={(comment) => {
          setRejecting(false);
          rejection.mutate({ ids: selectedStamps.map(({ id }) => id), comment });
        }}
      />
    </Page>
  );
}

function GiveDialog({
  stamp,
  onClose,
  onGive,
}: {
  readonly stamp: UnresolvedStamp;
  readonly onClose: () => void;
  readonly onGive: (person: number) => void;
}): ReactNode {
  const words = useWords();
  const [person, setPerson] = useState<{ readonly id: number; readonly name: string }>();
  return (
    <Dialog open title={words.unresolved_give_title} onClose={onClose}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (person !== undefined) onGive(person.id);
        }}
      >
        <StampFacts of={stamp} />
        <PersonField
          label={words.unresolved_person}
          selectedName={person?.name}
          find={findMyPeople}
          onChoose={(id, name) => setPerson(id === undefined || name === undefined ? undefined : { id, name })}
        />
        <div className="end">
          <Button variant="default" onClick={onClose}>
            {words.cancel}
          </Button>
          <Button type="submit" disabled={person === undefined}>
            {words.unresolved_give_confirm}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
