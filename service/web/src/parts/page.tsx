/**
 * The frame of one page: its heading is the title of the window, and receives the focus when the page opens, so that a
 * screen reader announces it.
 */
import { Loader, Stack, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useContext, useEffect, useRef } from 'react';
import { Problem } from '../api/ask.js';
import type { Session } from '../api/session.js';
import { useWords } from '../words/words.js';
import { FrameContext } from './frame-context.js';
import { ProblemNotice } from './problem-notice.js';

/** What every page for people who are signed in receives. */
export interface SignedInPageProps {
  readonly session: Session;
  readonly params: Readonly<Record<string, string | undefined>>;
}

let arrived = false;

/** @param heading the title as it is shown, where a name in it has to be isolated */
export function Page({
  title,
  heading = title,
  lead,
  children,
}: {
  readonly title: string;
  readonly heading?: ReactNode;
  readonly lead?: ReactNode;
  readonly children?: ReactNode;
}): ReactNode {
  const element = useRef<HTMLHeadingElement>(null);
  const shown = useContext(FrameContext)?.shown ?? true;
  useEffect(() => {
    if (shown) document.title = `${title} – Clockproof`;
  }, [title, shown]);
  useEffect(() => {
    if (!shown) return;
    // Not on the first page: a browser that has just loaded starts at the top.
    if (arrived) element.current?.focus();
    arrived = true;
  }, [shown]);
  return (
    <Stack gap="md">
      <Title order={1} size="h2" ref={element} tabIndex={-1}>
        {heading}
      </Title>
      {lead !== undefined && <Text>{lead}</Text>}
      {children}
    </Stack>
  );
}

/** The state of a request to the service: waiting, a problem with another try, or the answer. */
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
