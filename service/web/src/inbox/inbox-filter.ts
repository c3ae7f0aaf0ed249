/** The filter and the open request of the inbox: all of it stands in the address. */
import { useLocation, useSearch } from 'wouter';
import { ask, client } from '../api/ask.js';
import { type Growing, usePagesOf } from '../api/pages-of.js';
import { monthIn } from '../parts/address-dates.js';
import type { Approval } from './approval-words.js';

export const kinds = ['absence', 'absence_cancellation', 'correction', 'offline_stamp'] as const;
export const states = ['waiting', 'decided'] as const;

type Changes = Readonly<Partial<Record<'state' | 'kind' | 'person' | 'month' | 'open', string | undefined>>>;

export interface InboxFilter {
  readonly state: (typeof states)[number];
  readonly kind: (typeof kinds)[number] | undefined;
  /** The person whose requests the inbox shows; everyone's if undefined. */
  readonly personId: number | undefined;
  /** The month whose days the requests are about; any if undefined. */
  readonly month: string | undefined;
  /** The request that the address names. */
  readonly openId: string | undefined;
  change(changes: Changes): void;
}

export function useInboxFilter(): InboxFilter {
  const [, go] = useLocation();
  const search = new URLSearchParams(useSearch());
  const openId = search.get('open') ?? undefined;
  return {
    state: search.get('state') === 'decided' ? 'decided' : 'waiting',
    kind: kinds.find((kind) => kind === search.get('kind')),
    personId: Number(search.get('person') ?? 0) || undefined,
    month: monthIn(search),
    openId,
    change(changes) {
      for (const [name, value] of Object.entries(changes))
        if (value === undefined) search.delete(name);
        else search.set(name, value);
      // Stepping through the list adds one entry to the history.
      go(`/team/approvals${search.size === 0 ? '' : `?${search}`}`, {
        replace: 'open' in changes && openId !== undefined,
      });
    },
  };
}

export function useApprovals({ state, kind, personId, month }: InboxFilter): Growing<Approval> {
  return usePagesOf(['approvals', state, kind, personId, month], (cursor) =>
    ask(
      client.GET('/app/approvals', {
        params: {
          query: {
            state,
            limit: 100,
            kind,
            month,
            user_id: personId,
            cursor,
          },
        },
      }),
    ),
  );
}
