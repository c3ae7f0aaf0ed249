import { Alert, Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ask, client } from '../api/ask.js';
import { DayField } from '../parts/day-field.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { withNames } from '../parts/names.js';
import { Page, type SignedInPageProps } from '../parts/page.js';
import { SecretOnce } from '../parts/secret-once.js';
import { useWords } from '../words/words.js';
import { ExtensionProblem, faultsOf, useFocusOnFault } from './extension-faults.js';
import { ExtensionFields } from './extension-form.js';
import { inputOf, newSettings, type Settings } from './extension-settings.js';

export function NewExtensionPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const [, go] = useLocation();
  const [settings, setSettings] = useState(() => newSettings(session.company.id));
  const [end, setEnd] = useState('');
  const creating = useMutation({
    // The last day counts in full, wherever the company is: the key ends with it in UTC.
    mutationFn: (sentSettings: Settings) =>
      withFactor(() =>
        ask(
          client.POST('/app/admin/extensions', {
            body: { ...inputOf(sentSettings), ...(end === '' ? {} : { expires_at: `${end}T23:59:59Z` }) },
          }),
        ),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['extensions'] }),
  });
  const faults = faultsOf(creating.error, creating.variables, words);
  const form = useFocusOnFault(faults, creating.error);
  if (creating.data !== undefined) {
    const { extension, key, webhook_secret: secret } = creating.data;
    return (
      <Page title={extension.name} heading={<bdi>{extension.name}</bdi>}>
        <Alert color="teal" variant="light" role="status">
          {withNames(words.extension_created, extension.name)}
        </Alert>
        <SecretOnce
          secrets={[
            { label: words.secret_key, value: key },
            ...(secret === undefined ? [] : [{ label: words.secret_webhook, value: secret }]),
          ]}
          onKept={() => go(`/admin/extensions/${extension.id}`, { replace: true })}
        />
      </Page>
    );
  }
  return (
    <Page title={words.extension_new_title}>
      <form
        ref={form}
        className="sheet form"
        onSubmit={(event) => {
          event.preventDefault();
          creating.mutate(settings);
        }}
      >
        <ExtensionFields session={session} value={settings} onChange={setSettings} faults={faults}>
          <DayField
            label={`${words.extension_key_expires} (${words.optional})`}
            description={words.extension_key_expires_help}
            value={end}
            onChange={setEnd}
            error={faults.keyEnd}
          />
          {!wasCancelled(creating.error) && <ExtensionProblem problem={creating.error} />}
          <Group>
            <Button type="submit" loading={creating.isPending}>
              {words.extension_create}
            </Button>
            <Button component={Link} href="/admin/extensions" variant="default">
              {words.cancel}
            </Button>
          </Group>
        </ExtensionFields>
      </form>
    </Page>
  );
}
