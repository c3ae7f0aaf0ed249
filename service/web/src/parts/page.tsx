/**
 * The frame of one page: its heading is the title of the window, and receives the focus when the page opens, so that a
 * screen reader announces it.
 */
import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useContext, useEffect, useRef } from 'react';
import { Problem } from '../api/ask.js';
import type { Session } from '../api/session.js';
import { useWords } from '../words/words.js';
import { FrameContext } from './frame-context.js';
import { ProblemNotice } from './problem-notice.js';
import { Skeleton } from './skeleton.js';

/** The props of every page for signed-in people. */
export interface SignedInPageProps {
  readonly session: Session;
  readonly params: Readonly<Record<string, string | undefined>>;
}

let hasArrived = false;

/**
 * @param heading the title as it is shown, if a name in it has to be isolated
 * @param beside additions to the title: a state, the arrows of a period
 * @param action buttons on the right, the primary one last
 */
export function Page({
  title,
  heading = title,
  beside,
  action,
  lead,
  children,
}: {
  readonly title: string;
  readonly heading?: ReactNode;
  readonly beside?: ReactNode;
  readonly action?: ReactNode;
  readonly lead?: ReactNode;
  readonly children?: ReactNode;
}): ReactNode {
  const element = useRef<HTMLHeadingElement>(null);
  const isShown = useContext(FrameContext)?.shown ?? true;
  useEffect(() => {
    if (isShown) document.title = `${title} – Clockproof`;
  }, [title, isShown]);
  useEffect(() => {
    if (!isShown) return;
    // Skip the first page: a browser that has just loaded starts at the top.
    if (hasArrived) element.current?.focus();
    hasArrived = true;
  }, [isShown]);
  return (
    <div className="page">
      <div className="page-head">
        <h1 ref={element} tabIndex={-1}>
          {heading}
        </h1>
        {beside}
        {action !== undefined && <div className="page-action">{action}</div>}
      </div>
      {lead !== undefined && <p className="lead">{lead}</p>}
      {children}
    </div>
  );
}

/** The state of a request to the service: waiting, a problem with another try, or the answer. */
export function QueryState<Data>({
  of: query,
  rows = 4,
  children,
}: {
  readonly of: UseQueryResult<Data>;
  /** The approximate number of 36 px lines that the answer takes. */
  readonly rows?: number;
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
        <h2>{words.may_not_title}</h2>
        <p>{words.may_not_text}</p>
      </>
    ) : (
      <ProblemNotice problem={query.error} onRetry={() => void query.refetch()} />
    );
  return <Skeleton rows={rows} />;
}

function isForbidden(problem: unknown): boolean {
  return problem instanceof Problem && problem.code === 'forbidden';
}
