/** The apps that may act for the person: what each may do, what it did, and the end of it with one click. */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import type { Schemas } from '../api/session.js';
import { Facts } from '../parts/facts.js';
import { GrowingList } from '../parts/growing-list.js';
import { Page } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useFormats, useWords } from '../words/words.js';

type LinkedApp = Schemas['LinkedApp'];

export function LinkedAppsPage(): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const apps = usePagesOf(['linked-apps'], (cursor) => ask(client.GET('/app/linked-apps', { params: { query: cursor === undefined ? {} : { cursor } } })));
  const ending = useMutation({ mutationFn: ({ id }: LinkedApp) => ask(client.DELETE('/app/linked-apps/{id}', { params: { path: { id } } })), onSettled: () => queries.invalidateQueries({ queryKey: ['linked-apps'] }) });
  return (
    <Page title={words.linked_apps_title} lead={words.linked_apps_text}>
      <ProblemNotice problem={ending.error} />
      <Done>{ending.isSuccess ? words.linked_ended(ending.variables.extension.name) : undefined}</Done>
      <GrowingList of={apps} none={words.linked_apps_none}>
        {(rows) => <Stack component="ul" className="plain">{rows.map((app) => <li key={app.id}><Linked app={app} busy={ending.isPending} onEnd={() => ending.mutate(app)} /></li>)}</Stack>}
      </GrowingList>
    </Page>
  );
}

function Linked({ app, busy, onEnd }: { readonly app: LinkedApp; readonly busy: boolean; readonly onEnd: () => void }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const [open, setOpen] = useState(false);
  const { name } = app.extension;
  const may = (
    <ul className="bullets">
      {app.granted_scopes.map((scope) => <li key={scope}>{app.scopes.includes(scope) ? words.scopes[scope] : <Text span c="dimmed">{words.scopes[scope]} ({words.linked_lost})</Text>}</li>)}
    </ul>
  );
  return (
    <section className="sheet" aria-label={name}>
      <Stack gap="sm">
        <Title order={2} size="h4">{name}</Title>
        <Facts of={[
          [words.linked_may, app.scopes.length === 0 ? <>{words.linked_may_nothing}{may}</> : may],
          [words.linked_since, formats.instant(app.created_at)], [words.linked_until, formats.day(app.expires_at)],
          [words.linked_used, app.last_used_at === undefined ? words.never : formats.instant(app.last_used_at)], [words.linked_did, app.last_action],
        ]} />
        <Group>
          <Button color="red" variant="outline" aria-label={`${words.linked_end}: ${name}`} disabled={busy} onClick={onEnd}>{words.linked_end}</Button>
          <Button variant="default" aria-expanded={open} aria-label={`${words.linked_history}: ${name}`} onClick={() => setOpen(!open)}>{words.linked_history}</Button>
        </Group>
        {open && <Activity of={app} />}
      </Stack>
    </section>
  );
}

function Activity({ of: { id } }: { readonly of: LinkedApp }): ReactNode {
  const words = useWords();
  const formats = useFormats();
  const activity = usePagesOf(['linked-apps', id, 'activity'], (cursor) => ask(client.GET('/app/linked-apps/{id}/activity', { params: { path: { id }, query: { limit: 20, ...(cursor === undefined ? {} : { cursor }) } } })));
  return (
    <GrowingList of={activity} none={words.linked_history_none}>
      {(rows) => <ul className="bullets">{rows.map((one, index) => <li key={`${one.at} ${index}`}>{formats.instant(one.at)}: {one.description}</li>)}</ul>}
    </GrowingList>
  );
}
