/** Everyone the person decides for: their clock states, their accounts, and their waiting requests. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { memo, type ReactNode, useEffect } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { Glyph } from '../parts/glyph.js';
import { GrowingList } from '../parts/growing-list.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { type Sorting, useSorting, useWholeList } from '../parts/sorting.js';
import { Spacer, useVisibleRows } from '../parts/visible-rows.js';
import { zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { NobodyFits, PeopleToolbar, useTyped } from './people-toolbar.js';

type MyPerson = Schemas['MyPerson'];

const rowHeight = 37;
const signs = { in: 'in', on_break: 'break', out: 'out' } as const;

export function MyPeoplePage(_: SignedInPageProps): ReactNode {
  const words = useWords();
  const [, go] = useLocation();
  const address = new URLSearchParams(useSearch());
  const department = address.get('department') ?? '';
  const search = address.get('search') ?? '';
  const show = (name: string, value: string) => {
    if (value === '') address.delete(name);
    else address.set(name, value);
    go(`/team/people${address.size === 0 ? '' : `?${address}`}`, { replace: name === 'search' });
  };
  const [searchText, setSearchText] = useTyped(search, (newSearch) => show('search', newSearch));
  const filter = {
    ...(department === '' ? {} : { department_id: Number(department) }),
    ...(search === '' ? {} : { search }),
  };
  const fetchPeople = (query: { readonly limit: number; readonly cursor?: string }) =>
    ask(client.GET('/app/team/people', { params: { query: { ...filter, ...query } } }));
  const list = usePagesOf(['my-people', filter], (cursor) => fetchPeople({ limit: 100, cursor }));
  const sorting = useSorting('name');
  useWholeList(list, sorting);
  const departments = useDepartments();
  const isFiltered = department !== '' || search !== '';
  return (
    <Page title={words.my_people_title}>
      <PeopleToolbar
        label={words.my_people_search}
        text={searchText}
        onTyped={setSearchText}
        department={department}
        departments={departments}
        onDepartment={(departmentId) => show('department', departmentId)}
        count={list.rows !== undefined && words.people_count(list.rows.length, list.query.hasNextPage)}
      />
      {isFiltered && list.rows?.length === 0 ? (
        <NobodyFits
          onClear={() => {
            setSearchText('');
            go('/team/people');
          }}
        />
      ) : (
        <GrowingList
          of={{ ...list, query: { ...list.query, hasNextPage: false } as typeof list.query }}
          none={words.presence_none}
        >
          {(rows) => <Rows rows={sorting.sortRows(rows, valuesOf)} more={list.query} sorting={sorting} />}
        </GrowingList>
      )}
    </Page>
  );
}

/** Sums over everyone the person decides for, regardless of the filter. */
function useDepartments(): Schemas['MyPersonList']['departments'] {
  const { data } = useQuery({
    queryKey: ['my-people', 'departments'],
    queryFn: async () => (await ask(client.GET('/app/team/people', { params: { query: { limit: 1 } } }))).departments,
    placeholderData: keepPreviousData,
  });
  return data ?? [];
}

const valuesOf = {
  department: ({ department }: MyPerson) => department?.name,
  now: ({ clock_state }: MyPerson) => clock_state?.state,
  balance: ({ balance }: MyPerson) => balance?.balance_minutes,
  vacation: ({ vacation_left_days }: MyPerson) => vacation_left_days,
  waiting: ({ waiting_requests }: MyPerson) => waiting_requests,
  name: ({ last_name, first_name }: MyPerson) => `${last_name}, ${first_name}`,
};

function Rows({
  rows,
  sorting,
  more: { hasNextPage, isFetchingNextPage, fetchNextPage },
}: {
  readonly rows: readonly MyPerson[];
  readonly sorting: Sorting;
  readonly more: ReturnType<typeof usePagesOf<MyPerson>>['query'];
}): ReactNode {
  const words = useWords();
  const sight = useVisibleRows<HTMLTableSectionElement>(rows.length, rowHeight);
  // The next page is asked for before its rows come into sight.
  useEffect(() => {
    if (sight.to >= rows.length - 40 && hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [sight.to, rows.length, hasNextPage, isFetchingNextPage, fetchNextPage]);
  // A company that has switched an evaluation off has no column for it.
  const clocks = rows.some((person) => person.clock_state !== undefined);
  const balances = rows.some((person) => person.balance !== undefined);
  return (
    <div className="panel">
      <table className="grid my-people" aria-rowcount={hasNextPage ? -1 : rows.length + 1}>
        <thead>
          <tr>
            <th scope="col" data-is="name" {...sorting.column('name', words.presence_person)} />
            <th scope="col" {...sorting.column('department', words.presence_department)} />
            {clocks && <th scope="col" {...sorting.column('now', words.my_people_now)} />}
            {clocks && (
              <th scope="col" data-is="absence">
                {words.my_people_absence}
              </th>
            )}
            {balances && <th scope="col" className="number" {...sorting.column('balance', words.balance)} />}
            <th scope="col" className="number" {...sorting.column('vacation', words.my_people_vacation)} />
            <th scope="col" data-is="waiting" {...sorting.column('waiting', words.my_people_waiting)} />
          </tr>
        </thead>
        <tbody ref={sight.box}>
          <Spacer height={sight.above} />
          {rows.slice(sight.from, sight.to).map((person, index) => (
            <Row key={person.user_id} of={person} index={sight.from + index} clocks={clocks} balances={balances} />
          ))}
          <Spacer height={sight.below} />
        </tbody>
      </table>
    </div>
  );
}

const Row = memo(function Row({
  of: person,
  index,
  clocks,
  balances,
}: {
  readonly of: MyPerson;
  readonly index: number;
  readonly clocks: boolean;
  readonly balances: boolean;
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zoneOf(person));
  const { clock_state: clock, absence, balance } = person;
  const sheet = (month: string) => `/time/sheet?month=${month}&person=${String(person.user_id)}`;
  return (
    <tr data-row="" aria-rowindex={index + 2}>
      <th scope="row" data-is="name">
        <Link
          href={`/team/people/${String(person.user_id)}`}
          title={words.my_people_time(`${person.first_name} ${person.last_name}`)}
        >
          <bdi>
            {person.last_name}, {person.first_name}
          </bdi>
        </Link>
      </th>
      <td className="quiet" data-is="department">
        <bdi>{person.department?.name}</bdi>
      </td>
      {clocks && (
        <td data-is="now">
          {clock !== undefined && (
            <>
              <Glyph name={signs[clock.state]} /> {words.presence_states[clock.state]}{' '}
              {clock.since !== undefined && (
                <small>{words.presence_since_time(calendar.since(clock.break_since ?? clock.since))}</small>
              )}
            </>
          )}
        </td>
      )}
      {clocks && (
        <td data-is="absence">
          {absence !== undefined && (
            <>
              <bdi>{absence.type_label}</bdi> <small>{words.presence_until(calendar.day(absence.end_date))}</small>
            </>
          )}
        </td>
      )}
      {balances && (
        <td
          className={balance !== undefined && balance.balance_minutes < 0 ? 'number minus' : 'number'}
          data-is="balance"
          data-label={balance === undefined ? undefined : words.balance}
        >
          {balance !== undefined && calendar.signed(balance.balance_minutes)}
        </td>
      )}
      <td
        className={person.vacation_left_days < 0 ? 'number minus' : 'number'}
        data-is="vacation"
        data-label={words.my_people_vacation}
      >
        {calendar.days(person.vacation_left_days)}
      </td>
      <td data-is="waiting">
        {person.waiting_requests > 0 && (
          <Link href={`/team/approvals?person=${String(person.user_id)}`}>
            {words.my_people_requests(person.waiting_requests)}
          </Link>
        )}{' '}
        {person.months_to_sign_off.map((month) => (
          <Link key={month} href={sheet(month)}>
            {words.my_people_sign_off(calendar.monthShort(`${month}-01`))}
          </Link>
        ))}
      </td>
    </tr>
  );
});
