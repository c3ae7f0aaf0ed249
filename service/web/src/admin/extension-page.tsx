/** One extension: its settings, its key, its webhooks, the people who linked it, and its end. */
import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { ask, client } from '../api/ask.js';
import type { Schemas, Session } from '../api/session.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { Facts } from '../parts/facts.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { Answered, Page } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import type { SignedInPageProps } from '../shell/app.js';
import { useWords } from '../words/words.js';
import { ExtensionFields, changeOf, settingsOf } from './extension-form.js';
import { ExtensionKeys } from './extension-keys.js';
import { ExtensionLinks } from './extension-links.js';
import { ExtensionWebhooks } from './extension-webhooks.js';

export type Extension = Schemas['Extension'];

export function ExtensionPage({ session, params }: SignedInPageProps): ReactNode {
  const words = useWords();
  const id = params['id'] ?? '';
  const [saved, setSaved] = useState<string>();
  const extension = useQuery({ queryKey: ['extensions', id], queryFn: () => ask(client.GET('/app/admin/extensions/{id}', { params: { path: { id } } })) });
  return (
    <Page title={extension.data?.name ?? words.extensions_title}>
      <Anchor component={Link} href="/admin/extensions">{words.back}</Anchor>
      <Answered of={extension}>
        {(data) => (
          <>
            <div className="sheet">
              <Stack gap={4}><Facts of={[[words.extension_client_id, <span className="key" key="id">{data.client_id}</span>], [words.extension_column_links, data.links]]} /><Text size="sm" c="dimmed">{words.extension_client_id_help}</Text></Stack>
            </div>
            <SettingsForm key={data.updated_at} session={session} extension={data} justSaved={saved === data.updated_at} onSaved={({ updated_at: time }) => setSaved(time)} />
            <ExtensionKeys extension={data} />
            {data.mode === 'webhooks' && <ExtensionWebhooks extension={data} />}
            <ExtensionLinks extension={data} />
            <Deletion extension={data} />
          </>
        )}
      </Answered>
    </Page>
  );
}

interface SettingsFormProps { readonly session: Session; readonly extension: Extension; readonly justSaved: boolean; readonly onSaved: (changed: Extension) => void }

/** Begins anew with every version of the extension. */
function SettingsForm({ session, extension, justSaved, onSaved }: SettingsFormProps): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const before = settingsOf(extension);
  const [settings, setSettings] = useState(before);
  const change = changeOf(before, settings);
  const unchanged = Object.keys(change).length === 0;
  const saving = useMutation({
    mutationFn: () => withFactor(() => ask(client.PATCH('/app/admin/extensions/{id}', { params: { path: { id: extension.id } }, body: change }))),
    onSuccess: (changed) => {
      onSaved(changed);
      queries.setQueryData(['extensions', extension.id], changed);
      void queries.invalidateQueries({ queryKey: ['extensions'], exact: true });
    },
  });
  return (
    <section className="sheet" aria-labelledby="settings">
      <form className="form" onSubmit={(event) => { event.preventDefault(); if (!unchanged) saving.mutate(); }}>
        <Title order={2} size="h4" id="settings" mb="sm">{words.extension_settings}</Title>
        <ExtensionFields session={session} value={settings} onChange={setSettings}>
          {!wasCancelled(saving.error) && <ProblemNotice problem={saving.error} />}
          <Done>{justSaved && unchanged ? words.saved : undefined}</Done>
          <Group><Button type="submit" disabled={unchanged} loading={saving.isPending}>{words.save}</Button></Group>
        </ExtensionFields>
      </form>
    </section>
  );
}

function Deletion({ extension }: { readonly extension: Extension }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const [, go] = useLocation();
  const [asking, setAsking] = useState(false);
  const deleting = useMutation({
    mutationFn: () => withFactor(() => ask(client.DELETE('/app/admin/extensions/{id}', { params: { path: { id: extension.id } } }))),
    onSuccess: () => {
      go(`/admin/extensions?deleted=${encodeURIComponent(extension.name)}`, { replace: true });
      queries.removeQueries({ queryKey: ['extensions', extension.id] });
    },
  });
  return (
    <section className="sheet" aria-label={words.extension_delete}>
      <Stack gap="sm">
        <Title order={2} size="h4">{words.extension_delete}</Title>
        <Text>{words.extension_delete_text}</Text>
        {!wasCancelled(deleting.error) && <ProblemNotice problem={deleting.error} />}
        <Group><Button color="red" variant="outline" loading={deleting.isPending} onClick={() => setAsking(true)}>{words.extension_delete}</Button></Group>
      </Stack>
      <ConfirmDialog open={asking} title={words.extension_delete_title(extension.name)} action={words.extension_delete} onClose={() => setAsking(false)} onConfirm={() => { setAsking(false); deleting.mutate(); }}>
        <Text>{words.extension_delete_text}</Text>
      </ConfirmDialog>
    </section>
  );
}
