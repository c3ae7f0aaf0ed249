/** Lists sorted by a column: the column and the direction stand in the address. */
import { type ReactNode, useEffect } from 'react';
import { useLocation, useSearch } from 'wouter';
import type { Growing } from '../api/pages-of.js';
import { Icon } from './icon.js';

type Value = string | number | undefined;

/** Compares by the rules of the page's language; a number in a text by its value. */
export function compareTexts(a: string, b: string): number {
  return a.localeCompare(b, document.documentElement.lang, { numeric: true });
}

export interface Sorting {
  /** Whether the list stands in the order of the service's answer. */
  readonly isServiceOrder: boolean;
  /** The parts of a column's header: its direction, and the button that sorts by it. */
  column(
    name: string,
    label: ReactNode,
  ): { readonly 'aria-sort': 'ascending' | 'descending' | 'none'; readonly children: ReactNode };
  /** The rows by the chosen column; rows of one value stay as they stood, those without a value come last. */
  sortRows<Row>(rows: readonly Row[], values: Readonly<Record<string, (row: Row) => Value>>): readonly Row[];
}

/** @param first the column by which the service sorts the list, in ascending order */
export function useSorting(first: string): Sorting {
  const [path, go] = useLocation();
  const address = new URLSearchParams(useSearch());
  const sortKey = address.get('sort') ?? first;
  const descending = sortKey.startsWith('-');
  const by = descending ? sortKey.slice(1) : sortKey;
  const sortBy = (name: string) => {
    const newSortKey = name === by && !descending ? `-${name}` : name;
    if (newSortKey === first) address.delete('sort');
    else address.set('sort', newSortKey);
    go(address.size === 0 ? path : `${path}?${address}`);
  };
  return {
    isServiceOrder: sortKey === first,
    column(name, label) {
      const sort = name !== by ? 'none' : descending ? 'descending' : 'ascending';
      return {
        'aria-sort': sort,
        children: (
          <button type="button" className="sort" onClick={() => sortBy(name)}>
            {label}
            {sort !== 'none' && <Icon name={descending ? 'down' : 'up'} />}
          </button>
        ),
      };
    },
    sortRows(rows, values) {
      const value = values[by];
      if (value === undefined || sortKey === first) return rows;
      return rows.toSorted((rowA, rowB) => {
        const [a, b] = [value(rowA), value(rowB)];
        if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
        const order = typeof a === 'number' ? a - Number(b) : compareTexts(a, String(b));
        return descending ? -order : order;
      });
    },
  };
}

/** Reads all pages of a list that is sorted in another order than the service's. */
export function useWholeList<Row>({ query }: Growing<Row>, { isServiceOrder }: Sorting): void {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = query;
  useEffect(() => {
    if (!isServiceOrder && hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [isServiceOrder, hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
}
