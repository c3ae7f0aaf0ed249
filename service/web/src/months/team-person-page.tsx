/** The time of one person, for the approver, who may correct it here. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import { NotFoundPage } from '../parts/not-found-page.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { PersonTime } from './person-time.js';

export function TeamPersonPage({ params }: SignedInPageProps): ReactNode {
  const words = useWords();
  const id = Number(params['id']);
  const isId = Number.isSafeInteger(id) && id > 0;
  const people = useQuery({
    queryKey: ['my-people', 'one', id],
    queryFn: async () => (await ask(client.GET('/app/team/people', { params: { query: { user_id: id } } }))).data,
    enabled: isId,
  });
  const person = people.data?.[0];
  if (!isId || (people.data !== undefined && person === undefined))
    return (
      <NotFoundPage
        title={words.person_gone_title}
        text={words.team_person_gone}
        href="/team/people"
        back={words.my_people_title}
      />
    );
  const name = person && `${person.first_name} ${person.last_name}`;
  return (
    <Page title={name ?? words.person_title} heading={name === undefined ? undefined : <bdi>{name}</bdi>}>
      <p className="crumb">
        <Link href="/team/people">{words.my_people_title}</Link>
      </p>
      <QueryState of={people}>{() => <PersonTime id={id} zone={zoneOf(person!)} own={false} />}</QueryState>
    </Page>
  );
}
