/** The closed months of a person, the state of each on the ledger, and its file. */
import { lastDayOf } from '@clockproof/platform/time/local-date';
import { Button, Checkbox, Group, Radio, Stack, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { DayField } from '../parts/day-field.js';
import { Facts } from '../parts/facts.js';
import { useFormats } from '../parts/formats.js';
import { Glyph, type GlyphName } from '../parts/glyph.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { saveFile } from '../parts/save-file.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { hiddenParts, type ShownParts } from './hidden-parts.js';
import { nameOfProof } from './proof-name.js';

type Proof = Schemas['ProofOfMonth'];

export interface ProofRequest {
  readonly period: string;
  readonly revision: number;
  /** Names of parts. */
  readonly hide: string[];
}

/** The owner of the proofs, and the way to read their files. */
export interface ProofSource {
  readonly name: string;
  /** Zone of the company. */
  readonly zone: Zone;
  readonly read: (request: ProofRequest) => Promise<Blob>;
}

const glyphs: Readonly<Record<string, GlyphName>> = {
  made: 'out',
  reported: 'out',
  anchored: 'check',
  contradicted: 'warning',
};

export function ProofList({
  source,
  of: { data, company_token, person_token, senders, not_closed: open },
}: {
  readonly source: ProofSource;
  readonly of: Schemas['ProofList'];
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(source.zone);
  return (
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
      {open !== undefined && <Text>{words.proofs_not_closed(calendar.month(open.from), calendar.month(open.to))}</Text>}
      {data.length === 0 ? (
        <p className="empty">{words.proofs_none}</p>
      ) : (
        <>
          <DownloadAll source={source} proofs={data} />
          <Stack component="ul" className="plain">
            {data.map((proof) => (
              <li key={`${proof.period} ${proof.revision}`}>
                <ProofCard source={source} of={proof} />
              </li>
            ))}
          </Stack>
        </>
      )}
    </Stack>
  );
}

function useDownload({ name, read }: ProofSource) {
  return useMutation({
    async mutationFn({ proofs, hide = [] }: { readonly proofs: readonly Proof[]; readonly hide?: string[] }) {
      for (const { period, revision } of proofs) {
        const content = await read({ period, revision, hide });
        saveFile(nameOfProof(period, name, revision), content);
      }
    },
  });
}

function DownloadAll({
  source,
  proofs,
}: {
  readonly source: ProofSource;
  readonly proofs: readonly Proof[];
}): ReactNode {
  const words = useWords();
  const downloading = useDownload(source);
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

function ProofCard({ source, of: proof }: { readonly source: ProofSource; readonly of: Proof }): ReactNode {
  const words = useWords();
  const calendar = useCalendar(source.zone);
  const formats = useFormats(source.zone);
  const downloading = useDownload(source);
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
        {proof.changes !== undefined && <Changes source={source} of={proof.changes} />}
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

/** The differences from the revision before. */
function Changes({
  source,
  of: { days, parts },
}: {
  readonly source: ProofSource;
  readonly of: Schemas['RevisionChanges'];
}): ReactNode {
  const words = useWords();
  const calendar = useCalendar(source.zone);
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
  const [parts, setParts] = useState<ShownParts>({
    of: 'sums',
    withName: true,
    from: `${month}-01`,
    to: `${month}-01`,
  });
  const show = (part: Partial<ShownParts>) => setParts({ ...parts, ...part });
  return (
    <form
      aria-label={label}
      aria-describedby={hint}
      onSubmit={(event) => {
        event.preventDefault();
        onDownload(hiddenParts(month, parts));
      }}
    >
      <Stack gap="sm">
        <Radio.Group label={words.proofs_show} value={parts.of} onChange={(of) => show({ of: of as ShownParts['of'] })}>
          <Stack gap="xs" mt="xs">
            {(['all', 'sums', 'days'] as const).map((of) => (
              <Radio key={of} value={of} label={words.proofs_shows[of]} />
            ))}
          </Stack>
        </Radio.Group>
        {parts.of === 'days' && (
          <Group align="end">
            <DayField
              required
              min={`${month}-01`}
              max={lastDayOf(month)}
              label={words.proofs_from}
              value={parts.from}
              onChange={(from) => from !== '' && show({ from, to: from > parts.to ? from : parts.to })}
            />
            <DayField
              required
              min={`${month}-01`}
              max={lastDayOf(month)}
              label={words.proofs_to}
              value={parts.to}
              onChange={(to) => to !== '' && show({ to, from: to < parts.from ? to : parts.from })}
            />
          </Group>
        )}
        <Checkbox
          label={words.proofs_with_name}
          checked={parts.withName}
          onChange={(event) => show({ withName: event.currentTarget.checked })}
        />
        <Text size="sm" c="dimmed" id={hint}>
          {words.proofs_hint}
        </Text>
        <Group>
          <Button type="submit" variant="default" loading={loading}>
            {words.proofs_download_selection}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
