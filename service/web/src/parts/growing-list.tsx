/** A list that grows by a button, with its problems and its emptiness. */
import { Button, Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Problem } from '../api/ask.js';
import type { Growing } from '../api/pages-of.js';
import { useWords } from '../words/words.js';
import { ProblemNotice } from './problem-notice.js';
import { Skeleton } from './skeleton.js';

export interface GrowingListProps<Row> {
  readonly of: Growing<Row>;
  readonly none: string;
  readonly children: (rows: readonly Row[]) => ReactNode;
}

export function GrowingList<Row>({ of: { rows, query }, none, children }: GrowingListProps<Row>): ReactNode {
  const words = useWords();
  if (rows === undefined) {
    if (query.error === null) return <Skeleton />;
    if (query.error instanceof Problem && query.error.code === 'forbidden')
      return (
        <>
          <Title order={2}>{words.may_not_title}</Title>
          <Text>{words.may_not_text}</Text>
        </>
      );
    return <ProblemNotice problem={query.error} onRetry={() => void query.refetch()} />;
  }
  return (
    <>
      {query.error !== null && <ProblemNotice problem={query.error} onRetry={() => void query.refetch()} />}
      {rows.length === 0 ? <p className="card empty">{none}</p> : children(rows)}
      {query.hasNextPage && (
        <Group>
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {words.more}
          </Button>
        </Group>
      )}
    </>
  );
}
