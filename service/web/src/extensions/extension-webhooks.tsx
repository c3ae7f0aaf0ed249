/** Whether events arrive, a ping, and a new secret to sign them with. */
import { Alert, Button, Group, Stack, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import { Facts } from '../parts/facts.js';
import { useFormats } from '../parts/formats.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { SecretOnce } from '../parts/secret-once.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import type { Extension } from './extension-settings.js';

export function ExtensionWebhooks({
  extension: { id, delivery, webhook_url: address },
}: {
  readonly extension: Extension;
}): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const instantOf = (text: string | undefined) => (text === undefined ? undefined : formats.instant(text));
  const withFactor = useWithFactor();
  const pinging = useMutation({
    mutationFn: () => ask(client.POST('/app/admin/extensions/{id}/ping', { params: { path: { id } } })),
  });
  const rotating = useMutation({
    mutationFn: () =>
      withFactor(() => ask(client.POST('/app/admin/extensions/{id}/webhook-secret', { params: { path: { id } } }))),
  });
  return (
    <section className="sheet" aria-labelledby="webhooks">
      <Stack gap="sm">
        <Title order={2} id="webhooks">
          {words.webhook_title}
        </Title>
        {delivery?.disabled_because !== undefined && (
          <Alert color="orange" variant="light" role="note">
            {words.webhook_disabled[delivery.disabled_because]}
          </Alert>
        )}
        <Facts
          of={[
            [words.extension_webhook_url, address],
            [words.webhook_state, delivery === undefined ? undefined : words.webhook_states[delivery.state]],
            [words.webhook_failing_since, instantOf(delivery?.failing_since)],
            [words.webhook_disabled_since, instantOf(delivery?.disabled_at)],
            [words.webhook_waiting, delivery?.waiting],
            [
              words.webhook_last,
              delivery?.last_delivered_at === undefined ? words.never : formats.instant(delivery.last_delivered_at),
            ],
          ]}
        />
        <ProblemNotice problem={pinging.error} />
        {!wasCancelled(rotating.error) && <ProblemNotice problem={rotating.error} />}
        <Done>
          {pinging.data === undefined || pinging.data.outcome === 'queued'
            ? undefined
            : [
                words.webhook_outcomes[pinging.data.outcome],
                ...(pinging.data.status === undefined ? [] : [words.webhook_status(pinging.data.status)]),
              ].join(' ')}
        </Done>
        {rotating.data !== undefined && (
          <SecretOnce
            secrets={[{ label: words.secret_webhook, value: rotating.data.webhook_secret }]}
            note={words.webhook_rotated(formats.instant(rotating.data.previous_ends_at))}
            onKept={rotating.reset}
          />
        )}
        <Group>
          <Button variant="default" loading={pinging.isPending} onClick={() => pinging.mutate()}>
            {words.webhook_ping}
          </Button>
          <Button variant="default" loading={rotating.isPending} onClick={() => rotating.mutate()}>
            {words.webhook_rotate}
          </Button>
        </Group>
      </Stack>
    </section>
  );
}
