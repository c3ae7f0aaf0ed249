/** What an opened day shows: each stamp with its source and proof, each version with who and why, and the correction. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { FindingGlyph, Glyph } from '../parts/glyph.js';
import { QueryState } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { useWords } from '../words/words.js';
import { CorrectionForm } from './correction-form.js';
import { type DayRow, useWithdrawal } from './day-row.js';
import type { Entry } from './entries.js';
import { SourceName } from './source-name.js';

export function DayDetail({
  row,
  closed,
  today,
  onClose,
}: {
  readonly row: DayRow;
  readonly closed: boolean;
  readonly today: string;
  readonly onClose: () => void;
}): ReactNode {
  const words = useWords();
  const [sent, setSent] = useState(false);
  const waiting = row.corrections.filter(({ status }) => status === 'waiting');
  const decided = row.corrections.filter(({ status }) => status === 'rejected');
  const corrected = new Set(waiting.map(({ entry }) => entry?.id));
  return (
    <section
      className="day-detail"
      aria-label={words.details}
      onKeyDown={(event) => {
        if (event.key === 'Escape') onClose();
      }}
    >
      {row.entries.length === 0 && <p className="muted">{row.holiday ?? row.absence ?? words.nothing_recorded}</p>}
      {row.entries.map((entry) => (
        <div key={entry.id} className="day-columns">
          <Stamps entry={entry} />
          <Versions entry={entry} />
        </div>
      ))}
      {(row.warnings ?? []).map(({ code, message, rule }) => (
        <div key={`${code}${rule ?? ''}`} className="notice warn row">
          <FindingGlyph code={code} />
          <span>
            {message}
            {rule !== undefined && <small> ({rule})</small>}
          </span>
        </div>
      ))}
      <div role="status">
        {sent && (
          <p className="notice ok">
            <span>
              <Glyph name="check" /> {words.correction_sent}
            </span>
          </p>
        )}
      </div>
      {[...waiting, ...decided].map((correction) => (
        <CorrectionNote key={correction.id} correction={correction} />
      ))}
      {closed ? (
        <p className="muted">{words.month_closed_hint}</p>
      ) : (
        row.date <= today && (
          <>
            {row.entries
              .filter(({ id }) => !corrected.has(id))
              .map((entry) => (
                <CorrectionForm
                  key={`${entry.id} ${entry.updated_at}`}
                  entry={entry}
                  date={row.date}
                  onSent={() => setSent(true)}
                />
              ))}
            {row.entries.length === 0 && waiting.length === 0 && (
              <CorrectionForm entry={undefined} date={row.date} onSent={() => setSent(true)} />
            )}
          </>
        )
      )}
    </section>
  );
}

function Stamps({ entry }: { readonly entry: Entry }): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const proofs: Readonly<Record<string, string | undefined>> = words.proofs;
  return (
    <div>
      <h2>{words.stamps}</h2>
      <table className="stamps">
        <thead>
          <tr>
            <th scope="col">{words.time_word}</th>
            <th scope="col">{words.stamp}</th>
            <th scope="col">{words.source}</th>
            <th scope="col">{words.proof}</th>
          </tr>
        </thead>
        <tbody>
          {(entry.stamps ?? []).map((stamp) => (
            <tr key={`${stamp.action}${stamp.at}`}>
              <td>
                <b>{calendar.second(stamp.at)}</b>
              </td>
              <td>{words.stamp_actions[stamp.action]}</td>
              <td>
                {stamp.corrected === true ? (
                  words.by_correction
                ) : stamp.source === undefined ? (
                  '–'
                ) : (
                  <SourceName source={stamp.source} />
                )}
              </td>
              <td className="proof">
                {stamp.proof === undefined ? (
                  <>
                    <Glyph name="out" /> {words.proof_without}
                  </>
                ) : (
                  <>
                    <Glyph name={stamp.proof === 'none' ? 'unproven' : 'proven'} /> {proofs[stamp.proof] ?? stamp.proof}
                  </>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Versions({ entry }: { readonly entry: Entry }): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const history = useQuery({
    queryKey: ['my-history', entry.id, entry.updated_at],
    queryFn: () => ask(client.GET('/app/me/entries/{id}/history', { params: { path: { id: entry.id } } })),
  });
  const span = (some: Entry) =>
    `${calendar.time(some.start)} – ${some.end === undefined ? words.no_clock_out : calendar.time(some.end)}`;
  return (
    <div>
      <h2>{words.versions}</h2>
      <QueryState of={history} rows={2}>
        {({ data }) => (
          <ol className="versions" reversed>
            {[...data].reverse().map((version) => {
              const before = data.find(({ version: number }) => number === version.version - 1);
              return (
                <li key={version.version}>
                  <p>
                    <b>{words.version(version.version)}</b>{' '}
                    <span className="badge" data-tone={version.change === 'recorded' ? 'plain' : 'ok'}>
                      {words.changes[version.change]}
                    </span>
                    <time dateTime={version.at}>
                      {calendar.day(calendar.dateOf(version.at))}, {calendar.time(version.at)}
                    </time>
                  </p>
                  <p>
                    {before !== undefined && span(before.entry) !== span(version.entry) && (
                      <>
                        <del>{span(before.entry)}</del> <span aria-hidden="true">→</span>{' '}
                      </>
                    )}
                    <ins>{span(version.entry)}</ins>
                    {version.entry.break_minutes > 0 &&
                      `, ${words.break_of(calendar.duration(version.entry.break_minutes))}`}
                  </p>
                  <p className="muted">
                    <bdi>{version.by}</bdi>
                    {version.reason !== undefined && (
                      <>
                        : <q>{version.reason}</q>
                      </>
                    )}
                  </p>
                </li>
              );
            })}
          </ol>
        )}
      </QueryState>
    </div>
  );
}

/** A correction that was asked for: what was and what is to be, side by side. */
export function CorrectionNote({ correction }: { readonly correction: Schemas['Correction'] }): ReactNode {
  const words = useWords();
  const calendar = useCalendar();
  const withdrawing = useWithdrawal();
  const span = (start: string | undefined, end: string | undefined) =>
    start === undefined
      ? '–'
      : `${calendar.time(start)} – ${end === undefined ? words.no_clock_out : calendar.time(end)}`;
  const breaks = (some: Schemas['Correction']['breaks'] | undefined) =>
    some === undefined || some.length === 0
      ? ''
      : `, ${words.time_breaks} ${some.map((pause) => span(pause.start, pause.end)).join(', ')}`;
  const { status, entry, remove, start, end } = correction;
  return (
    <div className="correction-note" data-status={status}>
      <p>
        <span
          className="badge"
          data-tone={
            status === 'waiting' ? 'warn' : status === 'approved' ? 'ok' : status === 'rejected' ? 'bad' : 'plain'
          }
        >
          {words.correction_states[status]}
        </span>{' '}
        {entry !== undefined && (
          <>
            <del>
              {span(entry.start, entry.end)}
              {breaks(entry.breaks)}
            </del>{' '}
            <span aria-hidden="true">→</span>{' '}
          </>
        )}
        <ins>{remove ? words.correction_removed : `${span(start, end)}${breaks(correction.breaks)}`}</ins>
      </p>
      <p className="muted">
        <q>{correction.reason}</q>
        {correction.decided_by !== undefined && (
          <>
            {' '}
            · <bdi>{correction.decided_by.name}</bdi>
          </>
        )}
        {correction.decision_reason !== undefined && (
          <>
            : <q>{correction.decision_reason}</q>
          </>
        )}
      </p>
      <ProblemNotice problem={withdrawing.error} />
      {status === 'waiting' && (
        <button
          type="button"
          className="link-button"
          disabled={withdrawing.isPending}
          onClick={() => withdrawing.mutate(correction.id)}
        >
          {words.withdraw}
        </button>
      )}
    </div>
  );
}
