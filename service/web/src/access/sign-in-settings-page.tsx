/** The identity provider of the company: its address, the people it lets in, and the roles it gives. */
import { Button, Code, PasswordInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import { holds, type Schemas } from '../api/session.js';
import { useWithFactor, wasCancelled } from '../parts/fresh-factor.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';

type Shown = Schemas['CompanySignIn'];

export function SignInSettingsPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const { id } = session.company;
  const settings = useQuery({
    queryKey: ['company-sign-in', id],
    queryFn: () => ask(client.GET('/app/admin/companies/{id}/sign-in', { params: { path: { id } } })),
  });
  return (
    <Page title={words.company_sign_in_title} lead={words.company_sign_in_lead}>
      <QueryState of={settings}>
        {(settings) => <Form id={id} settings={settings} isSuperAdmin={holds(session, 'super_admin')} />}
      </QueryState>
    </Page>
  );
}

const splitList = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
const valuesOf = ({ role_values: values }: Shown, role: Schemas['CompanySignInRole']['role']) =>
  values
    .filter((rule) => rule.role === role)
    .map(({ value }) => value)
    .join(', ');

type Draft = ReturnType<typeof draftOf>;

function draftOf(settings: Shown) {
  return {
    enabled: settings.enabled,
    address: settings.address ?? '',
    issuer: settings.issuer ?? '',
    client: settings.client_id ?? '',
    secret: '',
    domains: settings.email_domains.join(', '),
    claim: settings.role_claim ?? '',
    admins: valuesOf(settings, 'company_admin'),
    approvers: valuesOf(settings, 'approver'),
    creates: settings.creates_people,
    trusts: settings.trusts_auth_time,
  };
}

function bodyOf(draft: Draft) {
  return {
    enabled: draft.enabled,
    address: draft.address.trim().toLowerCase(),
    issuer: draft.issuer.trim(),
    client_id: draft.client.trim(),
    ...(draft.secret === '' ? {} : { client_secret: draft.secret }),
    email_domains: splitList(draft.domains.toLowerCase()),
    ...(draft.claim.trim() === '' ? {} : { role_claim: draft.claim.trim() }),
    role_values: [
      ...splitList(draft.admins).map((value) => ({ value, role: 'company_admin' as const })),
      ...splitList(draft.approvers).map((value) => ({ value, role: 'approver' as const })),
    ],
    creates_people: draft.creates,
    trusts_auth_time: draft.trusts,
  };
}

function Form({
  id,
  settings,
  isSuperAdmin,
}: {
  readonly id: number;
  readonly settings: Shown;
  readonly isSuperAdmin: boolean;
}): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const withFactor = useWithFactor();
  const [draft, setDraft] = useState(() => draftOf(settings));
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const saving = useMutation({
    mutationFn: () =>
      withFactor(() =>
        ask(
          client.PUT('/app/admin/companies/{id}/sign-in', {
            params: { path: { id } },
            body: bodyOf(draft),
          }),
        ),
      ),
    onSuccess: (savedSettings) => {
      change({ secret: '', trusts: savedSettings.trusts_auth_time });
      queries.setQueryData(['company-sign-in', id], savedSettings);
    },
  });
  return (
    <form
      className="panel form-card"
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate();
      }}
    >
      {!wasCancelled(saving.error) && <ProblemNotice problem={saving.error} />}
      <ProviderFields settings={settings} value={draft} isSuperAdmin={isSuperAdmin} onChange={change} />
      <Done>{saving.isSuccess ? words.company_sign_in_saved : undefined}</Done>
      <div className="end">
        <Button type="submit" loading={saving.isPending}>
          {words.save}
        </Button>
      </div>
    </form>
  );
}

function ProviderFields({
  settings,
  value,
  isSuperAdmin,
  onChange,
}: {
  readonly settings: Shown;
  readonly value: Draft;
  readonly isSuperAdmin: boolean;
  readonly onChange: (part: Partial<Draft>) => void;
}): ReactNode {
  // The stored secret belongs to this client alone.
  const keepsSecret =
    settings.has_secret && value.issuer.trim() === settings.issuer && value.client.trim() === settings.client_id;
  const words = useWords();
  const text = (
    name: 'address' | 'issuer' | 'client' | 'domains' | 'claim' | 'admins' | 'approvers',
    label: string,
    more: { readonly description?: string; readonly required?: boolean; readonly disabled?: boolean } = {},
  ) => (
    <TextInput
      label={label}
      value={value[name]}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
      {...more}
    />
  );
  return (
    <Stack>
      <Switch
        label={words.company_sign_in_enabled}
        checked={value.enabled}
        onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
      />
      {text('address', words.company_sign_in_address, {
        description: words.company_sign_in_address_help,
        required: true,
      })}
      {text('issuer', words.company_sign_in_issuer, {
        description: words.company_sign_in_issuer_help,
        required: true,
      })}
      <div>
        <Text size="sm">{words.company_sign_in_redirect}</Text>
        <Code className="long">{settings.redirect_uri}</Code>
      </div>
      {text('client', words.company_sign_in_client, { required: true })}
      <PasswordInput
        label={words.company_sign_in_secret}
        {...(keepsSecret
          ? { description: words.company_sign_in_secret_kept }
          : settings.has_secret
            ? { description: words.company_sign_in_secret_again }
            : {})}
        value={value.secret}
        required={!keepsSecret}
        autoComplete="new-password"
        maxLength={500}
        visibilityToggleButtonProps={{ 'aria-label': words.show_password }}
        onChange={(event) => onChange({ secret: event.currentTarget.value })}
      />
      {text('domains', words.company_sign_in_domains, {
        description: isSuperAdmin
          ? words.company_sign_in_domains_help
          : `${words.company_sign_in_domains_help} ${words.company_sign_in_domains_by}`,
        disabled: !isSuperAdmin,
      })}
      {text('claim', words.company_sign_in_claim, { description: words.company_sign_in_claim_help })}
      {text('admins', words.company_sign_in_admins, { description: words.company_sign_in_values_help })}
      {text('approvers', words.company_sign_in_approvers, { description: words.company_sign_in_values_help })}
      <Switch
        label={words.company_sign_in_creates}
        description={words.company_sign_in_creates_help}
        checked={value.creates}
        onChange={(event) => onChange({ creates: event.currentTarget.checked })}
      />
      <Switch
        label={words.company_sign_in_trusts}
        description={
          isSuperAdmin
            ? words.company_sign_in_trusts_help
            : `${words.company_sign_in_trusts_help} ${words.company_sign_in_trusts_by}`
        }
        checked={value.trusts}
        disabled={!isSuperAdmin}
        onChange={(event) => onChange({ trusts: event.currentTarget.checked })}
      />
      <Text size="sm">{words.company_sign_in_people(settings.linked_people)}</Text>
    </Stack>
  );
}
