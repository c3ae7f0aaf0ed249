/** The first super admin and the first company, by the one-time link of the service's start. */
import { Anchor, Button, Fieldset, NativeSelect, Stack, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useContext, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ask, client } from '../api/ask.js';
import { faultOf, NewPasswordFields, noPassword } from '../parts/new-password.js';
import { Page, QueryState } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { LanguageContext, usePlainFormats, useWords } from '../words/words.js';
import { NextStep } from './next-step.js';
import { regionsOf, zoneOf } from './regions.js';

const countries = ['DE', 'AT', 'CH'] as const;

const zones = [...new Set([...Object.values(zoneOf), ...Intl.supportedValuesOf('timeZone')])];

interface Company {
  readonly name: string;
  readonly country: string;
  readonly region: string;
  readonly time_zone: string;
}

export function SetUpPage(): ReactNode {
  const words = useWords();
  const { language } = useContext(LanguageContext);
  const [, go] = useLocation();
  const [token] = useState(() => location.hash.slice(1));
  const [person, setPerson] = useState({ first_name: '', last_name: '', email: '' });
  const [company, setCompany] = useState<Company>({ name: '', country: 'DE', region: '', time_zone: zoneOf['DE']! });
  const [password, setPassword] = useState(noPassword);
  const [isChecked, setChecked] = useState(false);
  // Ask once: the installation already counts as set up while the second factor is being set up.
  const installation = useQuery({
    queryKey: ['set-up'],
    queryFn: () => ask(client.GET('/app/installation')),
    enabled: token !== '',
    staleTime: Infinity,
    gcTime: 0,
  });
  const settingUp = useMutation({
    mutationFn: () => {
      const { region, ...rest } = company;
      return ask(
        client.POST('/app/set-up', {
          body: {
            token,
            ...person,
            email: person.email.trim(),
            password: password.first,
            language,
            company: { ...rest, ...(region === '' ? {} : { region }) },
          },
        }),
      );
    },
    onSuccess: () => setPassword(noPassword),
  });
  if (token === '') return <Page title={words.link_incomplete_title} lead={words.link_incomplete_text} />;
  if (settingUp.data !== undefined && settingUp.data.next !== 'done')
    return (
      <NextStep
        next={settingUp.data.next}
        onIn={() => go('/company/start', { replace: true })}
        onStartOver={() => go('/', { replace: true })}
      />
    );
  if (installation.data === undefined)
    return (
      <Page title={words.set_up_title}>
        <QueryState of={installation}>{() => null}</QueryState>
      </Page>
    );
  if (!installation.data.set_up_needed)
    return (
      <Page title={words.set_up_over_title} lead={words.set_up_over_text}>
        <Anchor component={Link} href="/">
          {words.set_up_over_link}
        </Anchor>
      </Page>
    );
  const submit = () => {
    setChecked(true);
    if (Object.keys(faultOf(password, words)).length === 0) settingUp.mutate();
  };
  const fieldOf = (member: keyof typeof person) => ({
    label: words[member],
    value: person[member],
    onChange: (event: { currentTarget: { value: string } }) =>
      setPerson({ ...person, [member]: event.currentTarget.value }),
    required: true,
  });
  return (
    <Page title={words.set_up_title} lead={words.set_up_text}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack>
          <ProblemNotice problem={settingUp.error} />
          <Fieldset legend={words.set_up_you}>
            <Stack>
              <TextInput {...fieldOf('first_name')} autoComplete="given-name" maxLength={200} />
              <TextInput {...fieldOf('last_name')} autoComplete="family-name" maxLength={200} />
              <TextInput {...fieldOf('email')} type="email" autoComplete="username" maxLength={254} />
              <NewPasswordFields
                value={password}
                onChange={setPassword}
                label={words.choose_password}
                isChecked={isChecked}
              />
            </Stack>
          </Fieldset>
          <Fieldset legend={words.set_up_company}>
            <CompanyFields value={company} onChange={setCompany} />
          </Fieldset>
          <Button type="submit" loading={settingUp.isPending}>
            {words.set_up}
          </Button>
        </Stack>
      </form>
    </Page>
  );
}

function CompanyFields({
  value,
  onChange,
}: {
  readonly value: Company;
  readonly onChange: (company: Company) => void;
}): ReactNode {
  const words = useWords();
  const formats = usePlainFormats();
  return (
    <Stack>
      <TextInput
        label={words.company_name}
        value={value.name}
        onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
        required
        autoComplete="organization"
        maxLength={400}
      />
      <NativeSelect
        label={words.country}
        value={value.country}
        onChange={({ currentTarget: { value: country } }) =>
          onChange({ ...value, country, region: '', time_zone: zoneOf[country] ?? value.time_zone })
        }
        data={countries.map((country) => ({ value: country, label: formats.country(country) }))}
      />
      <NativeSelect
        label={words.region}
        description={words.region_help}
        value={value.region}
        onChange={(event) => onChange({ ...value, region: event.currentTarget.value })}
        data={[{ value: '', label: words.region_none }, ...regionsOf(value.country)]}
      />
      <NativeSelect
        label={words.time_zone}
        value={value.time_zone}
        onChange={(event) => onChange({ ...value, time_zone: event.currentTarget.value })}
        data={zones}
      />
    </Stack>
  );
}
