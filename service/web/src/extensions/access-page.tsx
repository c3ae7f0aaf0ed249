/**
 * Access for people: three switches with their meanings. Before one is switched off, the page shows the consequences.
 */
import { Alert, Stack, Switch, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { refreshSession } from '../api/session.js';
import { ConfirmDialog } from '../parts/confirm-dialog.js';
import { useFormats } from '../parts/formats.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { withNames } from '../parts/names.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';

const switches = [
  {
    member: 'extensions_write',
    name: 'access_writes',
    help: 'access_writes_help',
    off: 'access_off_writes',
    needsExtensions: true,
  },
  {
    member: 'personal_links',
    name: 'access_links',
    help: 'access_links_help',
    off: 'access_off_links',
    needsExtensions: true,
  },
  {
    member: 'terminals',
    name: 'access_terminals',
    help: 'access_terminals_help',
    off: 'access_off_terminals',
    needsExtensions: false,
  },
] as const;
type Turn = (typeof switches)[number];

const key = ['access'];

export function AccessPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const formats = useFormats(useOwnZone());
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const [pendingSwitch, setPendingSwitch] = useState<Turn>();
  const access = useQuery({ queryKey: key, queryFn: () => ask(client.GET('/app/admin/access')) });
  const turning = useMutation({
    mutationFn: ({ member, on }: { readonly member: Turn['member']; readonly on: boolean }) =>
      withFactor(() => ask(client.PATCH('/app/admin/access', { body: { [member]: on } }))),
    onSuccess: ({ access: newAccess }) => {
      queries.setQueryData(key, newAccess);
      void refreshSession(queries);
    },
  });
  const turn = (row: Turn, on: boolean) => {
    if (on) turning.mutate({ member: row.member, on });
    else setPendingSwitch(row);
  };
  return (
    <Page title={words.access_title} lead={words.access_text}>
      {!session.features.extensions && (
        <Alert color="orange" variant="light" role="note">
          {words.access_no_extensions}
        </Alert>
      )}
      {!wasCancelled(turning.error) && <ProblemNotice problem={turning.error} />}
      <Done>
        {turning.data === undefined
          ? undefined
          : turning.data.ended_links + turning.data.stripped_keys === 0
            ? words.access_turned
            : words.access_result(turning.data.ended_links, turning.data.stripped_keys)}
      </Done>
      <QueryState of={access}>
        {(settings) => (
          <>
            {switches.map((row) => (
              <div className="sheet" key={row.member}>
                <Switch
                  label={words[row.name]}
                  description={words[row.help]}
                  checked={settings[row.member]}
                  disabled={turning.isPending || (row.needsExtensions && !session.features.extensions)}
                  onChange={(event) => turn(row, event.currentTarget.checked)}
                />
                {settings[row.member] && (
                  <div className="consequences">
                    <span>{words.access_off_means}</span>
                    <ul className="bullets">
                      {words[row.off].map((sentence) => (
                        <li key={sentence}>{sentence}</li>
                      ))}
                    </ul>
                  </div>
                )}
                {row.member === 'terminals' && !settings.data_key && (
                  <Alert mt="sm" color="orange" variant="light" role="note">
                    {words.access_no_data_key}
                  </Alert>
                )}
              </div>
            ))}
            {settings.changed_at !== undefined && settings.changed_by !== undefined && (
              <Text size="sm" c="dimmed">
                {withNames(words.access_changed, formats.instant(settings.changed_at), settings.changed_by.name)}
              </Text>
            )}
          </>
        )}
      </QueryState>
      <ConfirmDialog
        open={pendingSwitch !== undefined}
        title={pendingSwitch === undefined ? '' : words.access_off_title(words[pendingSwitch.name])}
        action={words.access_off}
        onClose={() => setPendingSwitch(undefined)}
        onConfirm={() => {
          if (pendingSwitch !== undefined) turning.mutate({ member: pendingSwitch.member, on: false });
          setPendingSwitch(undefined);
        }}
      >
        <Stack>
          {pendingSwitch !== undefined && (
            <ul className="bullets">
              {words[pendingSwitch.off].map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          )}
        </Stack>
      </ConfirmDialog>
    </Page>
  );
}
