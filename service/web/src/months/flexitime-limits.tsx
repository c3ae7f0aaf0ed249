/**
 * The limits of time accounts, for the company or for one person, and the rule for the excess when a month is closed.
 */
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useDays } from '../parts/calendar.js';
import { QueryState } from '../parts/page.js';
import { Done, ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { signedMinutes } from '../working-time/signed-minutes.js';

type Limits = Schemas['FlexitimeLimits'];
type Whose =
  | { readonly company: number; readonly person?: never }
  | { readonly person: number; readonly company?: never };

export function FlexitimeLimits({ of }: { readonly of: Whose }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const key = ['limits', of.company, of.person];
  const limits = useQuery({
    queryKey: key,
    queryFn: (): Promise<Limits> =>
      of.person === undefined
        ? ask(client.GET('/app/admin/companies/{id}/flexitime-limits', { params: { path: { id: of.company } } }))
        : ask(client.GET('/app/admin/people/{id}/flexitime-limits', { params: { path: { id: of.person } } })),
  });
  const saving = useMutation({
    mutationFn: (body: Limits): Promise<Limits> =>
      of.person === undefined
        ? ask(client.PUT('/app/admin/companies/{id}/flexitime-limits', { params: { path: { id: of.company } }, body }))
        : ask(client.PUT('/app/admin/people/{id}/flexitime-limits', { params: { path: { id: of.person } }, body })),
    onSuccess: (savedLimits) => {
      queries.setQueryData(key, savedLimits);
      void queries.invalidateQueries({ queryKey: ['time-account'] });
    },
  });
  return (
    <QueryState of={limits}>
      {(limits) => (
        <LimitsForm
          key={JSON.stringify(limits)}
          text={of.person === undefined ? words.limits_text : words.limits_text_person}
          isOwn={of.person !== undefined}
          initialLimits={limits}
          saving={saving.isPending}
          onSave={(body) => saving.mutate(body)}
        >
          <ProblemNotice
            problem={saving.error}
            labels={{ lower_minutes: words.limits_lower, upper_minutes: words.limits_upper }}
          />
          <Done>{saving.isSuccess ? words.saved : undefined}</Done>
        </LimitsForm>
      )}
    </QueryState>
  );
}

function LimitsForm({
  text,
  isOwn,
  initialLimits,
  saving,
  onSave,
  children,
}: {
  readonly text: string;
  readonly isOwn: boolean;
  readonly initialLimits: Limits;
  readonly saving: boolean;
  readonly onSave: (limits: Limits) => void;
  readonly children: ReactNode;
}): ReactNode {
  const words = useWords();
  const calendar = useDays();
  const textOf = (minutes: number | undefined) => (minutes === undefined ? '' : calendar.signed(minutes));
  const [upper, setUpper] = useState(textOf(initialLimits.upper_minutes));
  const [lower, setLower] = useState(textOf(initialLimits.lower_minutes));
  const [atUpper, setAtUpper] = useState<'keep' | 'cut'>(initialLimits.at_upper === 'cut' ? 'cut' : 'keep');
  const fault = (text: string) =>
    text.trim() !== '' && signedMinutes(text) === undefined ? words.schedule_unreadable : undefined;
  const limit = (name: 'upper_minutes' | 'lower_minutes', text: string) =>
    text.trim() === '' ? {} : { [name]: signedMinutes(text) };
  const hasNoLimits = upper.trim() === '' && lower.trim() === '';
  return (
    <form
      className="panel form-card"
      aria-label={words.limits_title}
      onSubmit={(event) => {
        event.preventDefault();
        if (fault(upper) !== undefined || fault(lower) !== undefined) return;
        onSave(
          hasNoLimits && atUpper === 'keep'
            ? {}
            : { ...limit('upper_minutes', upper), ...limit('lower_minutes', lower), at_upper: atUpper },
        );
      }}
    >
      <h2>{words.limits_title}</h2>
      <p className="hint">{text}</p>
      <div className="fields">
        <TextInput
          label={words.limits_upper}
          description={words.limits_help}
          value={upper}
          error={fault(upper)}
          onChange={(event) => setUpper(event.currentTarget.value)}
        />
        <NativeSelect
          label={words.limits_at_upper}
          value={atUpper}
          onChange={(event) => setAtUpper(event.currentTarget.value as typeof atUpper)}
          data={(['keep', 'cut'] as const).map((value) => ({ value, label: words.limits_rules[value] }))}
        />
        <TextInput
          label={words.limits_lower}
          description={words.limits_help}
          value={lower}
          error={fault(lower)}
          onChange={(event) => setLower(event.currentTarget.value)}
        />
      </div>
      {children}
      <div className="end">
        {isOwn && (
          <Button variant="default" disabled={saving} onClick={() => onSave({ at_upper: 'keep' })}>
            {words.limits_none}
          </Button>
        )}
        <Button type="submit" loading={saving}>
          {words.save}
        </Button>
      </div>
    </form>
  );
}
