/**
 * The apps that may act for the person: the permissions of each, its past actions, and its end with one click; the
 * ended links with their reasons; the entries that the company's own apps recorded.
 */
import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useContext, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import type { Schemas } from '../api/session.js';
import { Facts } from '../parts/facts.js';
import { useFormats } from '../parts/formats.js';
import { GrowingList } from '../parts/growing-list.js';
import { withNames } from '../parts/names.js';
import { Page } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { LanguageContext, useWords } from '../words/words.js';

type LinkedApp = Schemas['LinkedApp'];

export function LinkedAppsPage(): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const { language } = useContext(LanguageContext);
  const apps = usePagesOf(['linked-apps', 'active', language], (cursor) =>
    ask(client.GET('/app/linked-apps', { params: { query: { cursor } } })),
  );
  const ending = useMutation({
    mutationFn: ({ id }: LinkedApp) => ask(client.DELETE('/app/linked-apps/{id}', { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['linked-apps'] }),
  });
  return (
    <Page title={words.linked_apps_title} lead={words.linked_apps_text}>
      <ProblemNotice problem={ending.error} />
      <Done>{ending.isSuccess ? withNames(words.linked_ended, ending.variables.extension.name) : undefined}</Done>
      <GrowingList of={apps} none={words.linked_apps_none}>
        {(rows) => (
          <Stack component="ul" className="plain">
            {rows.map((app) => (
              <li key={app.id}>
                <Linked app={app} busy={ending.isPending} onEnd={() => ending.mutate(app)} />
              </li>
            ))}
          </Stack>
        )}
      </GrowingList>
      <Ended />
      <RecordedByApps />
    </Page>
  );
}

function Linked({
  app,
  busy,
  onEnd,
}: {
  readonly app: LinkedApp;
  readonly busy: boolean;
  readonly onEnd: () => void;
}): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const [open, setOpen] = useState(false);
  const { name } = app.extension;
  const may = <Permissions of={app} scopes={app.scopes} />;
  return (
    <section className="sheet" aria-label={name}>
      <Stack gap="sm">
        <Title order={2}>
          <bdi>{name}</bdi>
        </Title>
        <Facts
          of={[
            [
              words.linked_may,
              app.scopes.length === 0 ? (
                <>
                  {words.linked_may_nothing}
                  {may}
                </>
              ) : (
                may
              ),
            ],
            [words.linked_since, formats.instant(app.created_at)],
            [words.linked_until, formats.day(app.expires_at)],
            [words.linked_used, app.last_used_at === undefined ? words.never : formats.instant(app.last_used_at)],
            [words.linked_did, app.last_action],
          ]}
        />
        <Group>
          <Button
            color="red"
            variant="outline"
            aria-label={`${words.linked_end}: ${name}`}
            disabled={busy}
            onClick={onEnd}
          >
            {words.linked_end}
          </Button>
          <HistoryButton of={name} open={open} onToggle={() => setOpen(!open)} />
        </Group>
        {open && <Activity of={app} />}
      </Stack>
    </section>
  );
}

/** @param of the link's name for screen readers, which tells it from those beside it */
function HistoryButton({
  of: name,
  open,
  onToggle,
}: {
  readonly of: string;
  readonly open: boolean;
  readonly onToggle: () => void;
}): ReactNode {
  const words = useWords();
  return (
    <Button variant="default" aria-expanded={open} aria-label={`${words.linked_history}: ${name}`} onClick={onToggle}>
      {words.linked_history}
    </Button>
  );
}

/**
 * Uses the words of the consent page, which speak to the person.
 * @param scopes the remaining permissions of the app; by default all
 */
function Permissions({
  of: app,
  scopes = app.granted_scopes,
}: {
  readonly of: LinkedApp;
  readonly scopes?: LinkedApp['scopes'];
}): ReactNode {
  const words = useWords();
  return (
    <ul className="bullets">
      {app.permissions.map(({ scope, title, description }) => (
        <li key={scope}>
          {scopes.includes(scope) ? (
            <>
              {title}
              <br />
              <small>{description}</small>
            </>
          ) : (
            <Text span c="dimmed">
              {title} ({words.linked_lost})
            </Text>
          )}
        </li>
      ))}
    </ul>
  );
}

function Ended(): ReactNode {
  const words = useWords();
  const { language } = useContext(LanguageContext);
  const endedLinks = usePagesOf(['linked-apps', 'ended', language], (cursor) =>
    ask(
      client.GET('/app/linked-apps', {
        params: { query: { state: 'ended', limit: 20, cursor } },
      }),
    ),
  );
  return (
    <section aria-labelledby="ended-links">
      <Stack gap="sm">
        <Title order={2} id="ended-links">
          {words.linked_over_title}
        </Title>
        <Text>{words.linked_over_text}</Text>
        <GrowingList of={endedLinks} none={words.linked_over_none}>
          {(rows) => (
            <Stack component="ul" className="plain">
              {rows.map((app) => (
                <li key={app.id}>
                  <EndedLink app={app} />
                </li>
              ))}
            </Stack>
          )}
        </GrowingList>
      </Stack>
    </section>
  );
}

function EndedLink({ app }: { readonly app: LinkedApp }): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const [open, setOpen] = useState(false);
  const at = app.ended_at === undefined ? '' : formats.instant(app.ended_at);
  const label = `${app.extension.name}, ${words.linked_over_at} ${at}`;
  return (
    <section className="sheet" aria-label={label}>
      <Stack gap="sm">
        <Title order={3}>
          <bdi>{app.extension.name}</bdi>
        </Title>
        <Facts
          of={[
            [words.linked_over_at, at],
            [
              words.linked_over_why,
              app.end_reason === undefined ? undefined : words.linked_over_reasons[app.end_reason],
            ],
            [words.linked_over_might, <Permissions key="might" of={app} />],
            [words.linked_since, formats.instant(app.created_at)],
            [words.linked_used, app.last_used_at === undefined ? words.never : formats.instant(app.last_used_at)],
          ]}
        />
        <Group>
          <HistoryButton of={label} open={open} onToggle={() => setOpen(!open)} />
        </Group>
        {open && <Activity of={app} />}
      </Stack>
    </section>
  );
}

function RecordedByApps(): ReactNode {
  const words = useWords();
  const { language } = useContext(LanguageContext);
  const activities = usePagesOf(['linked-apps', 'of-company', language], (cursor) =>
    ask(
      client.GET('/app/app-activity', {
        params: { query: { limit: 20, cursor } },
      }),
    ),
  );
  return (
    <section aria-labelledby="recorded-by-apps">
      <Stack gap="sm">
        <Title order={2} id="recorded-by-apps">
          {words.recorded_by_apps_title}
        </Title>
        <Text>{words.recorded_by_apps_text}</Text>
        <GrowingList of={activities} none={words.recorded_by_apps_none}>
          {(rows) => (
            <ActivityList of={rows}>
              {({ description, extension }) => (
                <>
                  {description} (<bdi>{extension.name}</bdi>)
                </>
              )}
            </ActivityList>
          )}
        </GrowingList>
      </Stack>
    </section>
  );
}

function Activity({ of: { id } }: { readonly of: LinkedApp }): ReactNode {
  const words = useWords();
  const { language } = useContext(LanguageContext);
  const activity = usePagesOf(['linked-apps', id, 'activity', language], (cursor) =>
    ask(
      client.GET('/app/linked-apps/{id}/activity', {
        params: { path: { id }, query: { limit: 20, cursor } },
      }),
    ),
  );
  return (
    <GrowingList of={activity} none={words.linked_history_none}>
      {(rows) => <ActivityList of={rows}>{({ description }) => description}</ActivityList>}
    </GrowingList>
  );
}

function ActivityList<Row extends { readonly at: string }>({
  of: rows,
  children,
}: {
  readonly of: readonly Row[];
  readonly children: (row: Row) => ReactNode;
}): ReactNode {
  const formats = useFormats(useOwnZone());
  return (
    <ul className="bullets">
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry has no id, and the list only grows at its end
        <li key={index}>
          {formats.instant(row.at)}: {children(row)}
        </li>
      ))}
    </ul>
  );
}
