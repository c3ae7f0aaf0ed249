/** Everyone who could sign in and has not yet: invited at once. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import { useCalendar } from '../parts/calendar.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { type Invitable, InvitePeople } from './invite-people.js';

export function InvitePage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zoneOf(session.company));
  const company = session.company.id;
  const people = useQuery({
    queryKey: ['people', 'invitable', company],
    queryFn: async () => {
      const invitable: Invitable[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await ask(
          client.GET('/app/admin/people', {
            params: {
              query: {
                company_id: company,
                active: true,
                sign_in: 'invited',
                limit: 500,
                cursor,
              },
            },
          }),
        );
        // A person whose last day is over cannot be invited, deactivated or not.
        const employees = page.data.filter(({ employment_end: end }) => end === undefined || end >= calendar.today);
        invitable.push(...employees.map(({ id, display_name: name, email }) => ({ id, name, email: email ?? '' })));
        if (page.next_cursor === null) return invitable;
        cursor = page.next_cursor;
      }
    },
    // The links on this page stay when the list changes behind them.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnMount: 'always',
  });
  return (
    <Page title={words.invite_title} lead={words.invite_lead}>
      <QueryState of={people}>
        {(invitablePeople) =>
          invitablePeople.length === 0 ? (
            <p className="empty">{words.invite_none}</p>
          ) : (
            <InvitePeople people={invitablePeople} company={company} />
          )
        }
      </QueryState>
    </Page>
  );
}
