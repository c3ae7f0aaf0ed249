/** The fields for the settings of an extension, for creating and for changing one. */
import {
  Alert,
  Checkbox,
  Fieldset,
  NativeSelect,
  Radio,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { writeScopes } from '../../../src/generated/contract.js';
import { useFeatures } from '../api/features.js';
import type { Session } from '../api/session.js';
import type { ScopeName } from '../parts/scope-list.js';
import { useWords } from '../words/words.js';
import { useCompanies } from './companies.js';
import { type Faults, WritesAreOff } from './extension-faults.js';
import { type EventType, eventFamilies, type Settings, typesOfFamily } from './extension-settings.js';

export interface ExtensionFieldsProps {
  readonly session: Session;
  readonly value: Settings;
  readonly onChange: (value: Settings) => void;
  /** The faults of the last request. */
  readonly faults: Faults;
  readonly children?: ReactNode;
}

/** Some of the fields. */
interface PartProps {
  readonly value: Settings;
  readonly faults: Faults;
  readonly onChange: (part: Partial<Settings>) => void;
}

export function ExtensionFields({ session, value, onChange, faults, children }: ExtensionFieldsProps): ReactNode {
  const words = useWords();
  const change = (part: Partial<Settings>) => onChange({ ...value, ...part });
  const part = { value, faults, onChange: change };
  return (
    <Stack>
      <TextInput
        label={words.extension_name}
        description={words.extension_name_help}
        value={value.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
        required
        maxLength={200}
        error={faults.name}
      />
      <TextInput
        label={`${words.extension_description} (${words.optional})`}
        value={value.description}
        onChange={(event) => change({ description: event.currentTarget.value })}
        maxLength={500}
        error={faults.description}
      />
      <ScopeFields {...part} session={session} />
      <ModeFields {...part} />
      <Radio.Group
        label={words.extension_acting}
        value={value.acting}
        onChange={(acting) => change({ acting: acting as Settings['acting'] })}
        error={faults.acting}
      >
        <Stack gap="xs" mt="xs">
          {(['personal_link', 'everyone'] as const).map((acting) => (
            <Radio key={acting} value={acting} label={words.actings[acting]} description={words.acting_texts[acting]} />
          ))}
        </Stack>
      </Radio.Group>
      <CompanyField {...part} session={session} />
      <Switch
        label={words.extension_leading}
        description={words.extension_leading_help}
        checked={value.leading}
        onChange={(event) => change({ leading: event.currentTarget.checked })}
      />
      <LinkingFields {...part} />
      <KeyReadsField {...part} />
      {children}
    </Stack>
  );
}

function ScopeFields({ session, value, faults, onChange }: PartProps & { readonly session: Session }): ReactNode {
  const words = useWords();
  const features = useFeatures(session);
  return (
    <>
      <Checkbox.Group
        label={words.extension_scopes}
        value={[...value.scopes]}
        onChange={(scopes) => onChange({ scopes: scopes as ScopeName[] })}
        error={faults.scopes}
      >
        <Stack gap="xs" mt="xs">
          {(Object.keys(words.scopes) as ScopeName[]).map((scope) => {
            const isSwitchedOff = (writeScopes as readonly string[]).includes(scope) && !features.people_writes;
            // A permission that is granted already can still be taken away.
            return (
              <Checkbox
                key={scope}
                value={scope}
                label={words.scopes[scope]}
                description={isSwitchedOff ? `${scope} – ${words.extension_scope_off}` : scope}
                disabled={isSwitchedOff && !value.scopes.includes(scope)}
              />
            );
          })}
        </Stack>
      </Checkbox.Group>
      {!features.people_writes && (
        <Alert color="orange" variant="light" role="note">
          <Text size="sm">
            <WritesAreOff />
          </Text>
        </Alert>
      )}
    </>
  );
}

/** The connection mode. */
function ModeFields({ value, faults, onChange }: PartProps): ReactNode {
  const words = useWords();
  return (
    <>
      <Radio.Group
        label={words.extension_mode}
        value={value.mode}
        onChange={(mode) => onChange({ mode: mode as Settings['mode'] })}
        error={faults.mode}
      >
        <Stack gap="xs" mt="xs">
          {(['api', 'webhooks', 'websocket'] as const).map((mode) => (
            <Radio key={mode} value={mode} label={words.modes[mode]} description={words.mode_texts[mode]} />
          ))}
        </Stack>
      </Radio.Group>
      {value.mode === 'webhooks' && (
        <TextInput
          label={words.extension_webhook_url}
          description={words.extension_webhook_help}
          type="url"
          value={value.webhookUrl}
          onChange={(event) => onChange({ webhookUrl: event.currentTarget.value })}
          required
          maxLength={2000}
          error={faults.webhookUrl}
        />
      )}
      {value.mode !== 'api' && (
        <Checkbox.Group
          label={words.extension_event_types}
          description={words.extension_event_types_help}
          value={eventFamilies.filter((family) => isComplete(family, value.eventTypes))}
          error={faults.eventTypes}
        >
          <Stack gap="xs" mt="xs">
            {eventFamilies.map((family) => (
              <Checkbox
                key={family}
                value={family}
                label={words.event_families[family]}
                description={typesOfFamily(family).join(', ')}
                indeterminate={
                  !isComplete(family, value.eventTypes) &&
                  typesOfFamily(family).some((type) => value.eventTypes.includes(type))
                }
                onChange={() => onChange({ eventTypes: withFamily(family, value.eventTypes) })}
              />
            ))}
          </Stack>
        </Checkbox.Group>
      )}
    </>
  );
}

type Family = (typeof eventFamilies)[number];

function isComplete(family: Family, selection: readonly EventType[]): boolean {
  return typesOfFamily(family).every((type) => selection.includes(type));
}

/** A family is chosen as a whole, or not at all. */
function withFamily(family: Family, selection: readonly EventType[]): EventType[] {
  const types = typesOfFamily(family);
  const otherTypes = selection.filter((type) => !types.includes(type));
  return isComplete(family, selection) ? otherTypes : [...otherTypes, ...types];
}

function CompanyField({ session, value, faults, onChange }: PartProps & { readonly session: Session }): ReactNode {
  const words = useWords();
  const companies = useCompanies(session);
  const isListed = value.companyId === '' || companies.some((company) => String(company.id) === value.companyId);
  return (
    <NativeSelect
      label={words.extension_company}
      description={words.extension_company_help}
      value={value.companyId}
      onChange={(event) => onChange({ companyId: event.currentTarget.value })}
      required={value.acting === 'everyone'}
      error={faults.companyId}
      data={[
        { value: '', label: words.extension_company_none },
        ...companies.map(({ id, name }) => ({ value: String(id), label: name })),
        ...(isListed
          ? []
          : [{ value: value.companyId, label: words.extension_company_number(Number(value.companyId)) }]),
      ]}
    />
  );
}

/** Linking: whether people may link it to their accounts, and its settings. */
function LinkingFields({ value, faults, onChange }: PartProps): ReactNode {
  const words = useWords();
  return (
    <>
      <Switch
        label={words.extension_linking}
        description={words.extension_linking_help}
        checked={value.linking}
        onChange={(event) => {
          const linking = event.currentTarget.checked;
          // As in the service: once people link the extension, its key reads only them.
          onChange({
            linking,
            ...(linking && value.keyReads === 'everyone' ? { keyReads: 'linked_people' as const } : {}),
          });
        }}
      />
      {value.linking && (
        <Fieldset legend={words.linked_apps_title}>
          <Stack>
            <Textarea
              label={words.extension_redirects}
              description={words.extension_redirects_help}
              value={value.redirects}
              onChange={(event) => onChange({ redirects: event.currentTarget.value })}
              required
              rows={3}
              spellCheck={false}
              error={faults.redirects}
            />
            <TextInput
              label={words.extension_lifetime}
              description={words.extension_lifetime_help}
              type="number"
              min={30}
              max={365}
              step={1}
              value={value.lifetime}
              onChange={(event) => onChange({ lifetime: event.currentTarget.value })}
              required
              error={faults.lifetime}
            />
          </Stack>
        </Fieldset>
      )}
    </>
  );
}

/** The people whose records its key reads. */
function KeyReadsField({ value, faults, onChange }: PartProps): ReactNode {
  const words = useWords();
  return (
    <Radio.Group
      label={words.extension_key_reads}
      description={words.extension_key_reads_help}
      value={value.keyReads}
      onChange={(keyReads) => onChange({ keyReads: keyReads as Settings['keyReads'] })}
      error={faults.keyReads}
    >
      <Stack gap="xs" mt="xs">
        {(['everyone', 'linked_people', 'nothing'] as const).map((reads) => (
          <Radio
            key={reads}
            value={reads}
            label={words.key_reads[reads]}
            description={
              reads === 'everyone' && value.companyId === ''
                ? words.key_reads_every_company
                : words.key_reads_texts[reads]
            }
          />
        ))}
        {value.keyReads === 'nothing' && value.scopes.some((scope) => scope.startsWith('read:')) && (
          <Text size="sm" role="note">
            {words.key_reads_nobody}
          </Text>
        )}
      </Stack>
    </Radio.Group>
  );
}
