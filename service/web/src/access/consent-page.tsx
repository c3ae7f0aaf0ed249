/** An app asks for access: the app, each permission, the lifetime, allow or decline. */
import { Anchor, Button, Checkbox, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useContext, useState } from 'react';
import { useSearch } from 'wouter';
import { ask, client, Problem } from '../api/ask.js';
import { useFeatures } from '../api/features.js';
import type { Schemas } from '../api/session.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { withNames } from '../parts/names.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { ScopeList } from '../parts/scope-list.js';
import { LanguageContext, useWords } from '../words/words.js';

export function ConsentPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const { personal_links: linking } = useFeatures(session);
  const { language } = useContext(LanguageContext);
  const id = new URLSearchParams(useSearch()).get('request');
  const consent = useQuery({
    queryKey: ['consent', id, language],
    queryFn: () => ask(client.GET('/app/consent/{id}', { params: { path: { id: id! } } })),
    enabled: id !== null,
    placeholderData: (previousData) => previousData,
  });
  if (!linking) return <Page title={words.consent_off_title} lead={words.consent_off_text} />;
  if (id === null) return <Page title={words.consent_bad_title} lead={words.consent_bad_text} />;
  if (consent.error instanceof Problem) {
    if (consent.error.code === 'feature_disabled')
      return <Page title={words.consent_off_title} lead={words.consent_off_text} />;
    if (['not_found', 'invalid_request'].includes(consent.error.code))
      return <Page title={words.consent_gone_title} lead={words.consent_gone_text} />;
  }
  return consent.data === undefined ? (
    <Page title={words.consent_heading}>
      <QueryState of={consent}>{() => null}</QueryState>
    </Page>
  ) : (
    <Question request={consent.data} />
  );
}

type Scope = Schemas['ConsentScope']['scope'];

function Question({ request }: { readonly request: Schemas['ConsentRequest'] }): ReactNode {
  const words = useWords();
  const withFactor = useWithFactor();
  const [clearedScopes, setClearedScopes] = useState<ReadonlySet<Scope>>(new Set());
  const tickedScopes = request.scopes.map(({ scope }) => scope).filter((scope) => !clearedScopes.has(scope));
  const deciding = useMutation({
    mutationFn: (body: Schemas['ConsentDecision']) =>
      withFactor(() => ask(client.POST('/app/consent/{id}', { params: { path: { id: request.id } }, body }))),
    onSuccess: ({ redirect_to: address }) => location.replace(address),
  });
  if (deciding.data !== undefined)
    return (
      <Page title={words.consent_leaving_title} lead={words.consent_leaving_text}>
        <Anchor href={deciding.data.redirect_to}>{words.consent_leaving_link}</Anchor>
      </Page>
    );
  const turn = (scope: Scope) =>
    setClearedScopes(
      clearedScopes.has(scope)
        ? new Set([...clearedScopes].filter((clearedScope) => clearedScope !== scope))
        : new Set([...clearedScopes, scope]),
    );
  const { name } = request.extension;
  return (
    <Page
      title={words.consent_title(name)}
      heading={withNames(words.consent_title, name)}
      lead={withNames(words.consent_text, name, request.person.name)}
    >
      <form
        className="sheet form"
        onSubmit={(event) => {
          event.preventDefault();
          deciding.mutate({ decision: 'allow', scopes: tickedScopes });
        }}
      >
        <Stack>
          <Checkbox.Group label={words.consent_scopes} description={words.consent_untick} value={tickedScopes}>
            <Stack mt="sm">
              {request.scopes.map(({ scope, title, description }) => (
                <Checkbox
                  key={scope}
                  value={scope}
                  label={title}
                  description={description}
                  onChange={() => turn(scope)}
                />
              ))}
            </Stack>
          </Checkbox.Group>
          <Text size="sm">
            {words.consent_lifetime_days(request.lifetime_days)} {words.consent_host(request.redirect_host)}
          </Text>
          <KeyReads request={request} />
          {!wasCancelled(deciding.error) && <ProblemNotice problem={deciding.error} />}
          {tickedScopes.length === 0 && (
            <Text size="sm" c="red.9" role="status">
              {words.consent_nothing}
            </Text>
          )}
          <Group>
            <Button
              type="submit"
              disabled={tickedScopes.length === 0}
              loading={deciding.isPending && deciding.variables.decision === 'allow'}
            >
              {words.consent_allow}
            </Button>
            <Button
              variant="default"
              loading={deciding.isPending && deciding.variables.decision === 'deny'}
              onClick={() => deciding.mutate({ decision: 'deny', scopes: [] })}
            >
              {words.consent_decline}
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}

/** Data that the app can read without any permission. Consent would mislead without it. */
function KeyReads({ request }: { readonly request: Schemas['ConsentRequest'] }): ReactNode {
  const words = useWords();
  const keyReads = request.key_scopes.length === 0 ? 'nothing' : request.key_reads;
  return (
    <div>
      <Text size="sm">{withNames(words.consent_key_reads[keyReads], request.extension.name)}</Text>
      {keyReads === 'everyone' && <ScopeList scopes={request.key_scopes} />}
    </div>
  );
}
