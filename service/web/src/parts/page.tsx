/**
 * The frame of one page: its heading is the title of the window, and gets the focus when somebody comes here, so that a
 * screen reader says where they are.
 */
import { Loader, Stack, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { Problem } from '../api/ask.js';
import type { Session } from '../api/session.js';
import { useWords } from '../words/words.js';
import { ProblemNotice } from './problem-notice.js';

/** What every page for people who are signed in receives. */
export interface SignedInPageProps {
  readonly session: Session;
  readonly params: Readonly<Record<string, string | undefined>>;
}

let arrived = false;

export function Page({
  title,
  lead,
  children,
}: {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children?: ReactNode;
}): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – Clockproof`;
  }, [title]);
  useEffect(() => {
    // Not on the first page: a browser that has just loaded begins at the top by itself.
    if (arrived) heading.current?.focus();
    arrived = true;
  }, []);
  return (
    <Stack gap="md">
      <Title order={1} size="h2" ref={heading} tabIndex={-1}>
        {title}
      </Title>
      {lead !== undefined && <Text>{lead}</Text>}
      {children}
    </Stack>
  );
}

/** What a question to the service came to: waiting, a problem with another try, or the answer. */
export function Answered<Data>({
  of: query,
  children,
}: {
  readonly of: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}): ReactNode {
  const words = useWords();
  if (query.data !== undefined)
    return (
      <>
        {query.error !== null && <ProblemNotice problem={query.error} onRetry={() => void query.refetch()} />}
        {children(query.data)}
      </>
    );
  if (query.error !== null)
    return isForbidden(query.error) ? (
      <>
        <Title order={2} size="h4">
          {words.may_not_title}
        </Title>
        <Text>{words.may_not_text}</Text>
      </>
    ) : (
      <ProblemNotice problem={query.error} onRetry={() => void query.refetch()} />
    );
  return <Loader aria-label={words.loading} role="status" />;
}

function isForbidden(problem: unknown): boolean {
  return problem instanceof Problem && problem.code === 'forbidden';
}
