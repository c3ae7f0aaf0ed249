/**
 * The session of the signed-in person. Every page reads this first. When any answer says that the session is over, the
 * person is asked to sign in again; the pages wait unseen with their input, unless another person signs in.
 */
import { MutationCache, QueryCache, QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { components } from '../../../src/generated/page-types.js';
import { ask, client, isSignedOut, type Problem } from './ask.js';

export type Schemas = components['schemas'];
export type Session = Schemas['Session'];
/** The reason why a session is over: its idle time or its full length has passed, or someone ended it. */
export type Ending = 'expired' | 'ended';
export type SessionState =
  | { readonly state: 'in'; readonly session: Session }
  /** `left` is the session that ended while its pages were open. */
  | { readonly state: 'out'; readonly ending?: Ending | undefined; readonly left?: Session | undefined };

const sessionKey = ['session'];

export function createQueryClient(): QueryClient {
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError: leaveIfOver }),
    mutationCache: new MutationCache({ onError: leaveIfOver }),
    // networkMode: a browser that believes it is offline asks all the same, and the page shows the result.
    defaultOptions: {
      queries: { retry: false, refetchOnWindowFocus: false, networkMode: 'always', staleTime: 0 },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  function leaveIfOver(problem: unknown): void {
    if (!isSignedOut(problem)) return;
    forgetReading(queries);
    queries.setQueryData<SessionState>(sessionKey, (knownState) =>
      knownState?.state === 'out' ? knownState : over(problem, knownState),
    );
  }
  return queries;
}

const otherQueries = {
  predicate: ({ queryKey }: { readonly queryKey: readonly unknown[] }) => queryKey[0] !== sessionKey[0],
};

function over(problem: Problem, knownState: SessionState | undefined): SessionState {
  const ending = problem.code === 'token_expired' ? 'expired' : problem.code === 'token_revoked' ? 'ended' : undefined;
  return { state: 'out', ending, left: sessionOf(knownState) };
}

/** The session whose pages are open, shown or not. */
export function sessionOf(state: SessionState | undefined): Session | undefined {
  return state?.state === 'in' ? state.session : state?.left;
}

export function useSessionState(): UseQueryResult<SessionState, Problem> {
  return useQuery<SessionState, Problem>(sessionQuery);
}

/** Asks for the session before anything shows it. */
export function readSession(queries: QueryClient): Promise<void> {
  return queries.prefetchQuery(sessionQuery);
}

const sessionQuery = {
  queryKey: sessionKey,
  staleTime: Infinity,
  queryFn: async ({ client: queries }: { readonly client: QueryClient }): Promise<SessionState> => {
    const knownState = queries.getQueryData<SessionState>(sessionKey);
    if (isVisitor()) return { state: 'out' };
    try {
      const session = await ask(client.GET('/app/session'));
      // Data that another person has read is forgotten before the first page of this one.
      if (sessionOf(knownState)?.person.id !== session.person.id) queries.removeQueries(otherQueries);
      return { state: 'in', session };
    } catch (problem) {
      if (isSignedOut(problem)) return over(problem, knownState);
      throw problem;
    }
  },
};

/** The page came without a cookie (`pages.ts` of the service). Counts once: signing in may follow. */
function isVisitor(): boolean {
  const { dataset } = document.documentElement;
  const isMarked = dataset['visitor'] === '';
  if (isMarked) dataset['visitor'] = 'asked';
  return isMarked;
}

/** Called after a step of signing in: reads the session again, and the data of the waiting pages. */
export async function enter(queries: QueryClient): Promise<void> {
  await queries.refetchQueries({ queryKey: sessionKey });
  void queries.invalidateQueries(otherQueries);
}

export function leave(queries: QueryClient): void {
  queries.removeQueries(otherQueries);
  forgetReading(queries);
  queries.setQueryData<SessionState>(sessionKey, { state: 'out' });
}

/** From now on, signing in or out in another tab takes effect here when the person returns to this tab. */
export function followOtherTabs(queries: QueryClient): void {
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') void queries.refetchQueries({ queryKey: sessionKey });
  });
}

/** A reading of the session that began before its end would bring it back. */
function forgetReading(queries: QueryClient): void {
  void queries.cancelQueries({ queryKey: sessionKey }, { revert: false });
}

/**
 * The session has changed. An answer that comes after its end, or for another person, changes nothing. A reading that
 * began before the change begins again: its answer could undo the change on the page.
 */
export function replaceSession(queries: QueryClient, session: Session): void {
  queries.setQueryData<SessionState>(sessionKey, (knownState) =>
    knownState?.state === 'in' && knownState.session.person.id === session.person.id
      ? { state: 'in', session }
      : knownState,
  );
  if (queries.isFetching({ queryKey: sessionKey }) > 0) void queries.refetchQueries({ queryKey: sessionKey });
}

export type Role = Schemas['SessionRole']['role'];
const order: readonly Role[] = ['approver', 'company_admin', 'super_admin'];

/** @returns true if the person holds the role or one above it, anywhere */
export function holds(session: Session, role: Role): boolean {
  return session.roles.some((grant) => order.indexOf(grant.role) >= order.indexOf(role));
}

/** The session's features have changed. */
export async function refreshSession(queries: QueryClient): Promise<void> {
  await queries.invalidateQueries({ queryKey: sessionKey });
}
