/** The notices of the person who is signed in. */
import { useQuery } from '@tanstack/react-query';
import { ask, client } from './ask.js';

export const noticesKey = ['notices'] as const;

/**
 * The number of unread notices: asked for with every page, and not in between, as a question keeps the session alive.
 */
export function useUnreadNotices(path: string): number {
  const { data } = useQuery({
    queryKey: [...noticesKey, 'unread', path],
    queryFn: () => ask(client.GET('/app/notices', { params: { query: { limit: 1 } } })),
    placeholderData: (previousData) => previousData,
  });
  return data?.unread ?? 0;
}
