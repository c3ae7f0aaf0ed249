/** The requests that wait for a decision of the person who is signed in. */
import { useQuery } from '@tanstack/react-query';
import { ask, client } from './ask.js';
import { holds, type Session } from './session.js';

/** @returns their number, such as `3` or `100+`; undefined if there are none, or if the person decides about no one */
export function useWaitingApprovals(session: Session): string | undefined {
  const { data } = useQuery({
    queryKey: ['approvals', 'count'],
    queryFn: () => ask(client.GET('/app/approvals', { params: { query: { state: 'waiting', limit: 100 } } })),
    enabled: holds(session, 'approver') || session.substitute,
  });
  if (data === undefined || data.data.length === 0) return undefined;
  return `${data.data.length}${data.has_more ? '+' : ''}`;
}
