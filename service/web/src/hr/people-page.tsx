/** Everyone of the company: searched by the service, drawn as far as it is seen, with the chosen person beside it. */
import { Button } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import { type Growing, usePagesOf } from '../api/pages-of.js';
import { GrowingList } from '../parts/growing-list.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { type Sorting, useSorting, useWholeList } from '../parts/sorting.js';
import { zoneOf } from '../parts/zone.js';
import type { Person } from '../people/each-person.js';
import { NobodyFits, PeopleToolbar, useTyped } from '../people/people-toolbar.js';
import { useWords, type Words } from '../words/words.js';
import { useDepartments } from './department-field.js';
import { BulkBar } from './people-bulk.js';
import { PersonPanel } from './person-panel.js';

const rowHeight = 36;
const states = ['active', 'left', 'all'] as const;

export function PeoplePage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const [, go] = useLocation();
  const address = new URLSearchParams(useSearch());
  const department = address.get('department') ?? '';
  const state = states.find((knownState) => knownState === address.get('state')) ?? 'active';
  const search = address.get('search') ?? '';
  const open = Number(address.get('open') ?? 0);
  const show = (changes: Readonly<Record<string, string>>) => {
    for (const [name, value] of Object.entries(changes))
      if (value === '') address.delete(name);
      else address.set(name, value);
    // Typing adds no step to the history.
    go(`/company/people${address.size === 0 ? '' : `?${address}`}`, { replace: 'search' in changes });
  };
  const [searchText, setSearchText] = useTyped(search, (text) => show({ search: text, open: '' }));

  const company = session.company.id;
  const departments = useDepartments(company);
  const filter = {
    company_id: company,
    ...(department === '' ? {} : { department_id: Number(department) }),
    ...(state === 'all' ? {} : { active: state === 'active' }),
    ...(search === '' ? {} : { search }),
  };
  const list = usePagesOf(['people', filter], (cursor) =>
    ask(
      client.GET('/app/admin/people', {
        params: { query: { ...filter, limit: 200, cursor } },
      }),
    ),
  );
  const sorting = useSorting('name');
  useWholeList(list, sorting);
  const [selection, setSelection] = useState<ReadonlyMap<number, Person>>(new Map());
  // A person who is no longer shown is no longer selected.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the filter
  useEffect(() => setSelection(new Map()), [department, state, search]);
  const [isLoadingAll, setLoadingAll] = useState(false);
  const chooseAll = async () => {
    setLoadingAll(true);
    const people = await fetchEveryone(list);
    setSelection(new Map(people.map((person) => [person.id, person])));
    setLoadingAll(false);
  };
  const isFiltered = search !== '' || department !== '' || state !== 'active';
  return (
    <Page title={words.people_title} action={<WaysToAdd />}>
      <PeopleToolbar
        label={words.people_search}
        text={searchText}
        onTyped={setSearchText}
        department={department}
        departments={departments}
        onDepartment={(departmentId) => show({ department: departmentId, open: '' })}
        count={list.rows !== undefined && words.people_count(list.rows.length, list.query.hasNextPage)}
      >
        <StateChips
          value={state}
          onChange={(newState) => show({ state: newState === 'active' ? '' : newState, open: '' })}
        />
      </PeopleToolbar>
      {isFiltered && list.rows?.length === 0 ? (
        <NobodyFits
          onClear={() => {
            setSearchText('');
            go('/company/people');
          }}
        />
      ) : (
        <GrowingList
          of={{ ...list, query: { ...list.query, hasNextPage: false } as typeof list.query }}
          none={words.people_none}
        >
          {(unsortedRows) => {
            const rows = sorting.sortRows(unsortedRows, valuesIn(words));
            return (
              <div className="beside" data-open={open > 0 ? '' : undefined}>
                <Rows
                  rows={rows}
                  sorting={sorting}
                  open={open}
                  onOpen={(id) => show({ open: id === open ? '' : String(id) })}
                  more={list}
                  selection={selection}
                  onSelect={setSelection}
                />
                {open > 0 && (
                  <PersonPanel
                    key={open}
                    id={open}
                    position={rows.findIndex(({ id }) => id === open)}
                    count={rows.length}
                    onStep={(by) => {
                      const nextPerson = rows[rows.findIndex(({ id }) => id === open) + by];
                      if (nextPerson !== undefined) show({ open: String(nextPerson.id) });
                    }}
                    onClose={() => show({ open: '' })}
                  />
                )}
              </div>
            );
          }}
        </GrowingList>
      )}
      <BulkBar
        company={company}
        zone={zoneOf(session.company)}
        departments={departments}
        selection={[...selection.values()]}
        total={list.query.hasNextPage ? undefined : list.rows?.length}
        loading={isLoadingAll}
        onAll={() => void chooseAll()}
        onClear={() => setSelection(new Map())}
        onDone={(ids) => setSelection((current) => new Map([...current].filter(([id]) => !ids.has(id))))}
      />
    </Page>
  );
}

type State = (typeof states)[number];

/** Reads the pages that are missing. */
async function fetchEveryone({ rows, query }: Growing<Person>): Promise<readonly Person[]> {
  let people = rows ?? [];
  let latestQuery = query;
  while (latestQuery.hasNextPage) {
    const nextPage = await latestQuery.fetchNextPage();
    if (nextPage.isError) break;
    latestQuery = nextPage as typeof query;
    people = (nextPage.data as { readonly pages: readonly { readonly data: readonly Person[] }[] }).pages.flatMap(
      ({ data }) => data,
    );
  }
  return people;
}

function WaysToAdd(): ReactNode {
  const words = useWords();
  return (
    <>
      <Button variant="default" component={Link} href="/company/people/import">
        {words.import_open}
      </Button>
      <Button variant="default" component={Link} href="/company/people/invite">
        {words.invite_open}
      </Button>
      <Button component={Link} href="/company/people/new">
        {words.person_add}
      </Button>
    </>
  );
}

function StateChips({
  value,
  onChange,
}: {
  readonly value: State;
  readonly onChange: (state: State) => void;
}): ReactNode {
  const words = useWords();
  return (
    <fieldset className="chips">
      <legend className="hidden">{words.people_state}</legend>
      {states.map((state) => (
        <button
          key={state}
          type="button"
          className="chip"
          aria-pressed={state === value}
          onClick={() => onChange(state)}
        >
          {words.people_states[state]}
        </button>
      ))}
    </fieldset>
  );
}

const valuesIn = (words: Words) => ({
  name: ({ last_name, first_name }: Person) => `${last_name}, ${first_name}`,
  department: ({ department }: Person) => department?.name,
  number: ({ personnel_number }: Person) => personnel_number,
  sign_in: ({ active, sign_in }: Person) => (active ? words.person_sign_ins[sign_in] : words.person_left),
  role: ({ roles }: Person) => (roles.length === 0 ? undefined : roles.map(({ role }) => words.roles[role]).join(', ')),
});

function Rows({
  rows,
  sorting,
  open,
  onOpen,
  more,
  selection,
  onSelect,
}: {
  readonly rows: readonly Person[];
  readonly sorting: Sorting;
  readonly open: number;
  readonly onOpen: (id: number) => void;
  readonly more: Growing<Person>;
  readonly selection: ReadonlyMap<number, Person>;
  readonly onSelect: (selection: ReadonlyMap<number, Person>) => void;
}): ReactNode {
  const words = useWords();
  const box = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 6,
    // A step of scrolling may wait for the next frame.
    useFlushSync: false,
  });
  const items = virtualizer.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = more.query;
  useEffect(() => {
    if (last >= rows.length - 40 && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [last, rows.length, hasNextPage, isFetchingNextPage, fetchNextPage]);
  // Shift extends the choice from the row that was chosen or left out last.
  const latestIndex = useRef(0);
  const choose = (index: number, through: boolean) => {
    const isSelecting = !selection.has(rows[index]!.id);
    const [from, to] = through ? [latestIndex.current, index].sort((a, b) => a - b) : [index, index];
    const newSelection = new Map(selection);
    for (const person of rows.slice(from, to! + 1))
      if (isSelecting) newSelection.set(person.id, person);
      else newSelection.delete(person.id);
    latestIndex.current = index;
    onSelect(newSelection);
  };
  const step = (event: KeyboardEvent, index: number) => {
    if (event.key === ' ') {
      event.preventDefault();
      choose(index, event.shiftKey);
    }
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined || rows[index + by] === undefined) return;
    event.preventDefault();
    virtualizer.scrollToIndex(index + by);
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>(`[data-index="${index + by}"] button`)?.focus(),
    );
  };
  // One constant object that calls the latest functions: rows are drawn again only when they change.
  const latestActs = useRef<Acts>({ onOpen, choose, step });
  useEffect(() => {
    latestActs.current = { onOpen, choose, step };
  });
  const [acts] = useState<Acts>(() => ({
    onOpen: (id) => latestActs.current.onOpen(id),
    choose: (index, through) => latestActs.current.choose(index, through),
    step: (event, index) => latestActs.current.step(event, index),
  }));
  return (
    <div className="panel people" ref={box} data-chosen={selection.size > 0 ? '' : undefined}>
      {/* biome-ignore-start lint/a11y/useSemanticElements: only the rows in sight are drawn, at their place */}
      {/* biome-ignore-start lint/a11y/useFocusableInteractive: a table is read, not operated */}
      <div role="table" aria-label={words.people_title} aria-rowcount={hasNextPage ? -1 : rows.length + 1}>
        <Head rows={rows} sorting={sorting} selection={selection} onSelect={onSelect} />
        <div role="rowgroup" className="people-body" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, start }) => (
            <Row
              key={rows[index]!.id}
              person={rows[index]!}
              index={index}
              start={start}
              open={rows[index]!.id === open}
              isSelected={selection.has(rows[index]!.id)}
              acts={acts}
            />
          ))}
        </div>
      </div>
      {/* biome-ignore-end lint/a11y/useFocusableInteractive: the table above */}
      {/* biome-ignore-end lint/a11y/useSemanticElements: the table above */}
    </div>
  );
}

function Head({
  rows,
  sorting,
  selection,
  onSelect,
}: {
  readonly rows: readonly Person[];
  readonly sorting: Sorting;
  readonly selection: ReadonlyMap<number, Person>;
  readonly onSelect: (selection: ReadonlyMap<number, Person>) => void;
}): ReactNode {
  const words = useWords();
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: only the rows in sight are drawn, at their place
    // biome-ignore-start lint/a11y/useFocusableInteractive: a table is read, not operated
    <div role="row" className="people-row people-head" aria-rowindex={1}>
      <span role="columnheader">
        <input
          type="checkbox"
          aria-label={words.bulk_all_shown}
          checked={selection.size > 0 && selection.size === rows.length}
          ref={(box) => {
            if (box !== null) box.indeterminate = selection.size > 0 && selection.size < rows.length;
          }}
          onChange={() =>
            onSelect(selection.size === rows.length ? new Map() : new Map(rows.map((person) => [person.id, person])))
          }
        />
      </span>
      <span role="columnheader" {...sorting.column('name', words.people_name)} />
      <span role="columnheader" {...sorting.column('department', words.people_department)} />
      <span role="columnheader" {...sorting.column('number', words.people_number)} />
      <span role="columnheader" {...sorting.column('sign_in', words.people_sign_in)} />
      <span role="columnheader" {...sorting.column('role', words.people_role)} />
    </div>
    // biome-ignore-end lint/a11y/useFocusableInteractive: the row above
    // biome-ignore-end lint/a11y/useSemanticElements: the row above
  );
}

interface Acts {
  onOpen(id: number): void;
  choose(index: number, through: boolean): void;
  step(event: KeyboardEvent, index: number): void;
}

const Row = memo(function Row({
  person,
  index,
  start,
  open,
  isSelected,
  acts,
}: {
  readonly person: Person;
  readonly index: number;
  /** Pixels from the top of the list. */
  readonly start: number;
  readonly open: boolean;
  readonly isSelected: boolean;
  readonly acts: Acts;
}): ReactNode {
  const words = useWords();
  return (
    // biome-ignore-start lint/a11y/useSemanticElements: only the rows in sight are drawn, at their place
    // biome-ignore-start lint/a11y/useFocusableInteractive: a table is read, not operated
    <div
      role="row"
      aria-rowindex={index + 2}
      data-index={index}
      data-open={open ? '' : undefined}
      data-chosen={isSelected ? '' : undefined}
      className="people-row"
      style={{ transform: `translateY(${start}px)` }}
    >
      <span role="cell">
        <input
          type="checkbox"
          aria-label={words.bulk_select(person.display_name)}
          checked={isSelected}
          onChange={(event) => acts.choose(index, (event.nativeEvent as MouseEvent).shiftKey)}
        />
      </span>
      <span role="rowheader">
        <button type="button" onClick={() => acts.onOpen(person.id)} onKeyDown={(event) => acts.step(event, index)}>
          <bdi>
            {person.last_name}, {person.first_name}
          </bdi>
        </button>
      </span>
      <span role="cell">
        <bdi>{person.department?.name}</bdi>
      </span>
      <span role="cell">
        <bdi>{person.personnel_number}</bdi>
      </span>
      <span role="cell">{person.active ? words.person_sign_ins[person.sign_in] : words.person_left}</span>
      <span role="cell">{person.roles.map(({ role }) => words.roles[role]).join(', ')}</span>
    </div>
    // biome-ignore-end lint/a11y/useFocusableInteractive: the row above
    // biome-ignore-end lint/a11y/useSemanticElements: the row above
  );
});
