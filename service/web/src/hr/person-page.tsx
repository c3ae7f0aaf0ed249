/** One person: profile and employment, target hours, vacation, time, access. */
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { PersonVacation } from '../absences/person-vacation.js';
import { ask, client, isGone } from '../api/ask.js';
import { PersonAccount } from '../months/person-account.js';
import { PersonTime } from '../months/person-time.js';
import { Glyph } from '../parts/glyph.js';
import { NotFoundPage } from '../parts/not-found-page.js';
import { OwnRecordPage } from '../parts/own-record.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { Tabs } from '../parts/tabs.js';
import { zoneOf } from '../parts/zone.js';
import { HandOutProof } from '../proofs/hand-out-proof.js';
import { useWords } from '../words/words.js';
import { PersonSchedules } from '../working-time/person-schedules.js';
import { PersonAccess } from './person-access.js';
import { PersonProfile } from './person-profile.js';

export function PersonPage({ session, params }: SignedInPageProps): ReactNode {
  const words = useWords();
  const id = Number(params['id']);
  const isId = Number.isSafeInteger(id) && id > 0;
  const person = useQuery({
    queryKey: ['person', id],
    queryFn: () => ask(client.GET('/app/admin/people/{id}', { params: { path: { id } } })),
    enabled: isId,
  });
  if (!isId || isGone(person.error))
    return (
      <NotFoundPage
        title={words.person_gone_title}
        text={words.person_gone_text}
        href="/company/people"
        back={words.person_gone_back}
      />
    );
  const name = person.data?.display_name;
  return (
    <Page title={name ?? words.person_title} heading={name === undefined ? undefined : <bdi>{name}</bdi>}>
      <p className="crumb">
        <Anchor component={Link} href="/company/people">
          {words.people_title}
        </Anchor>
        {person.data?.active === false && (
          <span className="badge" data-tone="plain">
            <Glyph name="out" /> {words.person_left}
          </span>
        )}
      </p>
      <QueryState of={person}>
        {(page) => (
          <OwnRecordPage of={page.own_record}>
            <Tabs
              label={words.person_title}
              tabs={[
                {
                  key: 'profile',
                  title: words.person_tab_profile,
                  content: () => <PersonProfile person={page} />,
                },
                {
                  key: 'hours',
                  title: words.person_tab_hours,
                  content: () => <PersonSchedules id={id} zone={zoneOf(page)} />,
                },
                {
                  key: 'vacation',
                  title: words.person_tab_vacation,
                  content: () => (
                    <PersonVacation
                      id={id}
                      company={page.company_id}
                      zone={zoneOf(page)}
                      own={session.person.id === id}
                    />
                  ),
                },
                {
                  key: 'time',
                  title: words.person_tab_time,
                  content: () => (
                    <PersonTime
                      id={id}
                      zone={zoneOf(page)}
                      own={session.person.id === id}
                      beside={(month) => (
                        <HandOutProof key={month} person={{ id, name: page.display_name }} month={month} />
                      )}
                    />
                  ),
                },
                {
                  key: 'account',
                  title: words.time_account_title,
                  content: () => <PersonAccount id={id} zone={zoneOf(page)} />,
                },
                {
                  key: 'access',
                  title: words.person_tab_access,
                  content: () => <PersonAccess person={page} session={session} />,
                },
              ]}
            />
          </OwnRecordPage>
        )}
      </QueryState>
    </Page>
  );
}
