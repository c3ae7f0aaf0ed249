/** A list that grows page by page. */
import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';

export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}
export interface Growing<Row> {
  readonly rows: readonly Row[] | undefined;
  readonly query: UseInfiniteQueryResult<unknown, Error>;
}

/** @param fetchPage asks for the page behind a cursor; undefined is the first */
export function usePagesOf<Row>(
  key: readonly unknown[],
  fetchPage: (cursor: string | undefined) => Promise<ListPage<Row>>,
  { enabled = true }: { readonly enabled?: boolean } = {},
): Growing<Row> {
  const query = useInfiniteQuery({
    queryKey: key,
    enabled,
    queryFn: ({ pageParam }) => fetchPage(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page: ListPage<Row>) => page.next_cursor ?? undefined,
  });
  return { rows: query.data?.pages.flatMap((page) => page.data), query };
}
