/** One extension: its settings, its keys, the target of its events, and the people who linked it. */
import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ask, client, isGone } from '../api/ask.js';
import type { Session } from '../api/session.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { Facts } from '../parts/facts.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { withNames } from '../parts/names.js';
import { NotFoundPage } from '../parts/not-found-page.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { Tabs } from '../parts/tabs.js';
import { useWords } from '../words/words.js';
import { ExtensionConnections } from './extension-connections.js';
import { ExtensionDeliveries } from './extension-deliveries.js';
import { ExtensionEvents } from './extension-events.js';
import { ExtensionProblem, faultsOf, useFocusOnFault } from './extension-faults.js';
import { ExtensionFields } from './extension-form.js';
import { ExtensionKeys } from './extension-keys.js';
import { ExtensionLinks } from './extension-links.js';
import { changeOf, type Extension, type Settings, settingsOf } from './extension-settings.js';
import { ExtensionWebhooks } from './extension-webhooks.js';

export function ExtensionPage({ session, params }: SignedInPageProps): ReactNode {
  const words = useWords();
  const id = params['id'] ?? '';
  const [savedAt, setSavedAt] = useState<string>();
  const extension = useQuery({
    queryKey: ['extensions', id],
    queryFn: () => ask(client.GET('/app/admin/extensions/{id}', { params: { path: { id } } })),
  });
  if (isGone(extension.error))
    return (
      <NotFoundPage
        title={words.extension_gone_title}
        text={words.extension_gone_text}
        href="/admin/extensions"
        back={words.extension_gone_back}
      />
    );
  return (
    <Page
      title={extension.data?.name ?? words.extensions_title}
      heading={extension.data === undefined ? words.extensions_title : <bdi>{extension.data.name}</bdi>}
    >
      <Anchor component={Link} href="/admin/extensions">
        {words.back}
      </Anchor>
      <QueryState of={extension}>
        {(data) => (
          <>
            <div className="sheet">
              <Facts
                of={[
                  [
                    words.extension_client_id,
                    <Fragment key="id">
                      <span className="key">{data.client_id}</span>
                      <Text size="sm" c="dimmed">
                        {words.extension_client_id_help}
                      </Text>
                    </Fragment>,
                  ],
                  [words.extension_column_links, data.links],
                ]}
              />
            </div>
            <Tabs
              label={data.name}
              tabs={[
                { key: 'events', title: words.extension_events, content: () => <EventsOf extension={data} /> },
                {
                  key: 'settings',
                  title: words.extension_settings,
                  content: () => (
                    <>
                      <SettingsForm
                        key={data.updated_at}
                        session={session}
                        extension={data}
                        justSaved={savedAt === data.updated_at}
                        onSaved={({ updated_at: time }) => setSavedAt(time)}
                      />
                      <Deletion extension={data} />
                    </>
                  ),
                },
                { key: 'keys', title: words.extension_keys, content: () => <ExtensionKeys extension={data} /> },
                { key: 'links', title: words.links_title, content: () => <ExtensionLinks extension={data} /> },
              ]}
            />
          </>
        )}
      </QueryState>
    </Page>
  );
}

/** Its events as they happen, beside its deliveries: a test event is seen in both. */
function EventsOf({ extension }: { readonly extension: Extension }): ReactNode {
  return (
    <>
      {extension.mode === 'webhooks' && (
        <>
          <ExtensionWebhooks extension={extension} />
          <ExtensionDeliveries extension={extension} />
        </>
      )}
      {extension.mode === 'websocket' && <ExtensionConnections extension={extension} />}
      <ExtensionEvents extension={extension} />
    </>
  );
}

interface SettingsFormProps {
  readonly session: Session;
  readonly extension: Extension;
  readonly justSaved: boolean;
  readonly onSaved: (extension: Extension) => void;
}

/** Starts from the stored settings again with every version of the extension. */
function SettingsForm({ session, extension, justSaved, onSaved }: SettingsFormProps): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const storedSettings = settingsOf(extension);
  const [settings, setSettings] = useState(storedSettings);
  const change = changeOf(storedSettings, settings);
  const isUnchanged = Object.keys(change).length === 0;
  const saving = useMutation({
    mutationFn: (sentSettings: Settings) =>
      withFactor(() =>
        ask(
          client.PATCH('/app/admin/extensions/{id}', {
            params: { path: { id: extension.id } },
            body: changeOf(storedSettings, sentSettings),
          }),
        ),
      ),
    onSuccess: (savedExtension) => {
      onSaved(savedExtension);
      queries.setQueryData(['extensions', extension.id], savedExtension);
      void queries.invalidateQueries({ queryKey: ['extensions'], exact: true });
      void queries.invalidateQueries({ queryKey: ['extension-links', extension.id] });
    },
  });
  const faults = faultsOf(saving.error, saving.variables, words);
  const form = useFocusOnFault(faults, saving.error);
  const [isConfirming, setConfirming] = useState(false);
  // Each of these changes ends links for good.
  const linkEndings =
    extension.links === 0
      ? []
      : [
          ...(change.linking === false ? [words.links_end_linking(extension.links)] : []),
          ...(typeof change.company_id === 'number' ? [words.links_end_company(extension.links)] : []),
        ];
  return (
    <section className="sheet" aria-labelledby="settings">
      <form
        ref={form}
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (linkEndings.length > 0) setConfirming(true);
          else if (!isUnchanged) saving.mutate(settings);
        }}
      >
        <Title order={2} id="settings" mb="sm">
          {words.extension_settings}
        </Title>
        <ExtensionFields session={session} value={settings} onChange={setSettings} faults={faults}>
          {!wasCancelled(saving.error) && <ExtensionProblem problem={saving.error} />}
          <Done>{justSaved && isUnchanged ? words.saved : undefined}</Done>
          <Group>
            <Button type="submit" disabled={isUnchanged} loading={saving.isPending}>
              {words.save}
            </Button>
          </Group>
        </ExtensionFields>
      </form>
      <ConfirmDialog
        open={isConfirming}
        title={words.links_end_title}
        action={words.links_end_action}
        onClose={() => setConfirming(false)}
        onConfirm={() => {
          setConfirming(false);
          saving.mutate(settings);
        }}
      >
        <ul className="bullets">
          {[...linkEndings, words.links_end_for_good].map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </ConfirmDialog>
    </section>
  );
}

function Deletion({ extension }: { readonly extension: Extension }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const [, go] = useLocation();
  const [isConfirming, setConfirming] = useState(false);
  const deleting = useMutation({
    mutationFn: () =>
      withFactor(() => ask(client.DELETE('/app/admin/extensions/{id}', { params: { path: { id: extension.id } } }))),
    onSuccess: () => {
      go(`/admin/extensions?deleted=${encodeURIComponent(extension.name)}`, { replace: true });
      queries.removeQueries({ queryKey: ['extensions', extension.id] });
    },
  });
  return (
    <section className="sheet" aria-label={words.extension_delete}>
      <Stack gap="sm">
        <Title order={2}>{words.extension_delete}</Title>
        <Text>{words.extension_delete_text}</Text>
        {!wasCancelled(deleting.error) && <ProblemNotice problem={deleting.error} />}
        <Group>
          <Button color="red" variant="outline" loading={deleting.isPending} onClick={() => setConfirming(true)}>
            {words.extension_delete}
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        open={isConfirming}
        title={withNames(words.extension_delete_title, extension.name)}
        action={words.extension_delete}
        onClose={() => setConfirming(false)}
        onConfirm={() => {
          setConfirming(false);
          deleting.mutate();
        }}
      >
        <Text>
          {words.extension_delete_text}
          {extension.links === 0 ? '' : ` ${words.extension_delete_links(extension.links)}`}
        </Text>
      </ConfirmDialog>
    </section>
  );
}
