/** The record of an entry: each stamp with its source and proof, and each version with its author and reason. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useCalendar } from '../parts/calendar.js';
import { Glyph } from '../parts/glyph.js';
import { QueryState } from '../parts/page.js';
import type { Zone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import type { Entry } from './entries.js';
import { SourceName } from './source-name.js';

interface EntryRecordProps {
  readonly entry: Entry;
  /** Zone of the person's company. */
  readonly zone: Zone;
  /** The person whose entry it is; undefined for the signed-in person. */
  readonly personId: number | undefined;
}

export function EntryRecord({ entry, zone, personId }: EntryRecordProps): ReactNode {
  return (
    <div className="day-columns">
      <Stamps entry={entry} zone={zone} />
      <Versions entry={entry} zone={zone} personId={personId} />
    </div>
  );
}

function Stamps({ entry, zone }: Omit<EntryRecordProps, 'personId'>): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
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
                {stamp.corrected === true ? (
                  '–'
                ) : stamp.proof === undefined ? (
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

function Versions({ entry, zone, personId }: EntryRecordProps): ReactNode {
  const words = useWords();
  const calendar = useCalendar(zone);
  const history = useQuery({
    queryKey: [personId === undefined ? 'my-history' : 'history-of', entry.id, entry.updated_at],
    queryFn: () => {
      const params = { path: { id: entry.id } };
      return ask(
        personId === undefined
          ? client.GET('/app/me/entries/{id}/history', { params })
          : client.GET('/app/entries/{id}/history', { params }),
      );
    },
  });
  const span = (entry: Schemas['TimeEntry']) => calendar.times(entry.start, entry.end, words.no_clock_out);
  return (
    <div>
      <h2>{words.versions}</h2>
      <QueryState of={history} rows={2}>
        {({ data }) => (
          <ol className="versions" reversed>
            {[...data].reverse().map((version) => {
              const previousVersion = data.find(({ version: number }) => number === version.version - 1);
              return (
                <li key={version.version}>
                  <p>
                    <b>{words.version(version.version)}</b>{' '}
                    <span className="badge" data-tone={version.change === 'recorded' ? 'plain' : 'ok'}>
                      {words.changes[version.change]}
                    </span>
                    <time dateTime={version.at}>
                      {calendar.day(calendar.dateOf(version.at))}, {calendar.clock(version.at)}
                    </time>
                  </p>
                  <p>
                    {previousVersion !== undefined && span(previousVersion.entry) !== span(version.entry) && (
                      <>
                        <del>{span(previousVersion.entry)}</del> <span aria-hidden="true">→</span>{' '}
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
