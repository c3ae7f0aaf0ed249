/**
 * Who is signed in. Every page asks this first; a refusal anywhere that says the session is over brings everybody back
 * here.
 */
import { MutationCache, QueryCache, QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { components } from '../../../src/generated/app-types.js';
import { ask, client, isSignedOut, type Problem } from './ask.js';

export type Schemas = components['schemas'];
export type Session = Schemas['Session'];
/** `expired` tells who comes back too late why they are asked again. */
export type SessionState =
  | { readonly state: 'in'; readonly session: Session }
  | { readonly state: 'out'; readonly expired: boolean };

const sessionKey = ['session'];

export function createQueryClient(): QueryClient {
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError: leaveIfOver }),
    mutationCache: new MutationCache({ onError: leaveIfOver }),
    // networkMode: a browser that believes to be offline still asks, and the page says what came of it.
    defaultOptions: {
      queries: { retry: false, refetchOnWindowFocus: false, networkMode: 'always', staleTime: 0 },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  function leaveIfOver(problem: unknown): void {
    if (!isSignedOut(problem)) return;
    queries.setQueryData<SessionState>(sessionKey, (known) =>
      known?.state === 'out' ? known : { state: 'out', expired: problem.code === 'token_expired' },
    );
  }
  return queries;
}

export function useSessionState(): UseQueryResult<SessionState, Problem> {
  return useQuery<SessionState, Problem>({
    queryKey: sessionKey,
    staleTime: Infinity,
    queryFn: async () => {
      try {
        return { state: 'in', session: await ask(client.GET('/app/session')) };
      } catch (problem) {
        if (isSignedOut(problem)) return { state: 'out', expired: problem.code === 'token_expired' };
        throw problem;
      }
    },
  });
}

/** After a step of signing in: reads the session anew, and forgets what somebody else may have read before. */
export async function enter(queries: QueryClient): Promise<void> {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  await queries.refetchQueries({ queryKey: sessionKey });
}

function become(queries: QueryClient, state: SessionState): void {
  queries.setQueryData(sessionKey, state);
}

export function leave(queries: QueryClient): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  become(queries, { state: 'out', expired: false });
}

export function replaceSession(queries: QueryClient, session: Session): void {
  become(queries, { state: 'in', session });
}

export type Role = Schemas['RoleGrant']['role'];
const order: readonly Role[] = ['approver', 'company_admin', 'super_admin'];

/** @returns true if the person holds the role or one above it, anywhere */
export function holds(session: Session, role: Role): boolean {
  return session.roles.some((grant) => order.indexOf(grant.role) >= order.indexOf(role));
}

/** The session's features have changed. */
export async function refreshSession(queries: QueryClient): Promise<void> {
  await queries.invalidateQueries({ queryKey: sessionKey });
}
