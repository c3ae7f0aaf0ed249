/** The closed months of the person, what is known of them on the ledger, and the file of each. */
import { lastDayOf } from '@clockproof/platform/time/local-date';
import { Button, Checkbox, Group, Radio, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas, Session } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { Facts } from '../parts/facts.js';
import { useFormats } from '../parts/formats.js';
import { Glyph, type GlyphName } from '../parts/glyph.js';
import { Page, QueryState, type SignedInPageProps } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { saveFile } from '../parts/save-file.js';
import { zoneOf } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { hiddenParts, type ShownParts } from './hidden-parts.js';
import { nameOfProof } from './proof-name.js';

type Proof = Schemas['ProofOfMonth'];

const glyphs: Readonly<Record<string, GlyphName>> = {
  made: 'out',
  reported: 'out',
  anchored: 'check',
  contradicted: 'warning',
};

export function MyProofsPage({ session }: SignedInPageProps): ReactNode {
  const words = useWords();
  const proofs = useQuery({ queryKey: ['own-proofs'], queryFn: () => ask(client.GET('/app/me/proofs')) });
  return (
    <Page title={words.proofs_title} lead={words.proofs_text}>
      <QueryState of={proofs}>
        {({ data, company_token, person_token, senders }) => (
          <Stack>
            <section className="sheet" aria-labelledby="keep">
              <Stack gap="sm">
                <Title order={2} id="keep">
                  {words.proofs_keep}
                </Title>
                <Text size="sm">{words.proofs_keep_text}</Text>
                <Facts
                  of={[
                    [words.proofs_company_token, <code key="company">{company_token}</code>],
                    [words.proofs_person_token, <code key="person">{person_token}</code>],
                    [
                      words.proofs_senders,
                      senders.length === 0
                        ? words.proofs_no_sender
                        : senders.map((sender) => (
                            <code className="wrap" key={sender}>
                              {sender}
                            </code>
                          )),
                    ],
                  ]}
                />
              </Stack>
            </section>
            {data.length === 0 ? (
              <p className="empty">{words.proofs_none}</p>
            ) : (
              <>
                <DownloadAll session={session} proofs={data} />
                <Stack component="ul" className="plain">
                  {data.map((proof) => (
                    <li key={`${proof.period} ${proof.revision}`}>
                      <ProofCard session={session} of={proof} />
                    </li>
                  ))}
                </Stack>
              </>
            )}
          </Stack>
        )}
      </QueryState>
    </Page>
  );
}

function useDownload(session: Session) {
  return useMutation({
    async mutationFn({ proofs, hide = [] }: { readonly proofs: readonly Proof[]; readonly hide?: string[] }) {
      for (const { period, revision } of proofs) {
        const content = await ask<Blob>(
          client.GET('/app/me/proofs/{period}', {
            params: { path: { period }, query: { revision, ...(hide.length === 0 ? {} : { hide }) } },
            parseAs: 'blob',
          }),
        );
        saveFile(nameOfProof(period, session.person.name, revision), content);
      }
    },
  });
}

function DownloadAll({ session, proofs }: { readonly session: Session; readonly proofs: readonly Proof[] }): ReactNode {
  const words = useWords();
  const downloading = useDownload(session);
  return (
    <Stack gap="xs">
      <ProblemNotice problem={downloading.error} />
      <Group>
        <Button variant="default" loading={downloading.isPending} onClick={() => downloading.mutate({ proofs })}>
          {words.proofs_all}
        </Button>
      </Group>
    </Stack>
  );
}

function ProofCard({ session, of: proof }: { readonly session: Session; readonly of: Proof }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zoneOf(session.company));
  const formats = useFormats(zoneOf(session.company));
  const downloading = useDownload(session);
  const [isOpen, setOpen] = useState(false);
  const { period, revision, state } = proof;
  const month = calendar.month(period);
  const name = revision === 1 && proof.current ? month : words.proofs_revision(month, String(revision));
  return (
    <section className="sheet" aria-label={name}>
      <Stack gap="sm">
        <Group>
          <Title order={2}>{name}</Title>
          <span
            className="badge"
            data-tone={
              state === 'anchored' ? 'ok' : state === 'contradicted' ? 'bad' : proof.overdue ? 'warn' : 'plain'
            }
          >
            <Glyph name={glyphs[state] ?? 'out'} /> {words.proofs_states[state] ?? state}
          </span>
        </Group>
        <Text size="sm">
          {words.proofs_closed(formats.day(proof.made_at))}{' '}
          {proof.anchored_at !== undefined && words.proofs_since(formats.day(proof.anchored_at), proof.confirmed_by)}{' '}
          {state === 'contradicted' && words.proofs_contradicted}{' '}
          {proof.overdue && state !== 'contradicted' && words.proofs_overdue}
        </Text>
        {!proof.current && (
          <Text size="sm">
            {proof.reopened === undefined
              ? words.proofs_reopened
              : words.proofs_reopened_on(formats.day(proof.reopened.at))}{' '}
            <bdi>{proof.reopened?.reason}</bdi>
          </Text>
        )}
        {proof.changes !== undefined && <Changes session={session} of={proof.changes} />}
        <ProblemNotice problem={downloading.error} />
        <Group>
          <Button
            loading={downloading.isPending}
            aria-label={`${words.proofs_download}: ${name}`}
            onClick={() => downloading.mutate({ proofs: [proof] })}
          >
            {words.proofs_download}
          </Button>
          <Button
            variant="default"
            aria-expanded={isOpen}
            aria-label={`${words.proofs_hide}: ${name}`}
            onClick={() => setOpen(!isOpen)}
          >
            {words.proofs_hide}
          </Button>
        </Group>
        {isOpen && (
          <HideForm
            month={period}
            label={`${words.proofs_hide}: ${name}`}
            loading={downloading.isPending}
            onDownload={(hide) => downloading.mutate({ proofs: [proof], hide })}
          />
        )}
      </Stack>
    </section>
  );
}

/** What differs from the revision before. */
function Changes({
  session,
  of: { days, parts },
}: {
  readonly session: Session;
  readonly of: Schemas['RevisionChanges'];
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zoneOf(session.company));
  if (days.length + parts.length === 0) return <Text size="sm">{words.proofs_unchanged}</Text>;
  return (
    <div>
      <Text size="sm">{words.proofs_changes}</Text>
      <ul className="bullets">
        {days.map(({ date, worked_before, worked_now }) => (
          <li key={date}>
            {calendar.day(date)}:{' '}
            {worked_before === worked_now
              ? words.proofs_day_differs
              : words.proofs_worked(calendar.duration(worked_before), calendar.duration(worked_now))}
          </li>
        ))}
        {parts.map((part) => (
          <li key={part}>{words.proofs_parts[part] ?? part}</li>
        ))}
      </ul>
    </div>
  );
}

function HideForm({
  month,
  label,
  loading,
  onDownload,
}: {
  readonly month: string;
  readonly label: string;
  readonly loading: boolean;
  readonly onDownload: (hide: string[]) => void;
}): ReactNode {
  const words = useWords();
  const hint = useId();
  const [shown, setShown] = useState<ShownParts>({
    of: 'sums',
    withName: true,
    from: `${month}-01`,
    to: `${month}-01`,
  });
  const show = (part: Partial<ShownParts>) => setShown({ ...shown, ...part });
  return (
    <form
      aria-label={label}
      aria-describedby={hint}
      onSubmit={(event) => {
        event.preventDefault();
        onDownload(hiddenParts(month, shown));
      }}
    >
      <Stack gap="sm">
        <Radio.Group label={words.proofs_show} value={shown.of} onChange={(of) => show({ of: of as ShownParts['of'] })}>
          <Stack gap="xs" mt="xs">
            {(['all', 'sums', 'days'] as const).map((of) => (
              <Radio key={of} value={of} label={words.proofs_shows[of]} />
            ))}
          </Stack>
        </Radio.Group>
        {shown.of === 'days' && (
          <Group align="end">
            <DayField
              required
              min={`${month}-01`}
              max={lastDayOf(month)}
              label={words.proofs_from}
              value={shown.from}
              onChange={(from) => from !== '' && show({ from })}
            />
            <DayField
              required
              min={`${month}-01`}
              max={lastDayOf(month)}
              label={words.proofs_to}
              value={shown.to}
              onChange={(to) => to !== '' && show({ to })}
            />
          </Group>
        )}
        <Checkbox
          label={words.proofs_with_name}
          checked={shown.withName}
          onChange={(event) => show({ withName: event.currentTarget.checked })}
        />
        <Text size="sm" c="dimmed" id={hint}>
          {words.proofs_hint}
        </Text>
        <Group>
          <Button type="submit" variant="default" loading={loading}>
            {words.proofs_download}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
