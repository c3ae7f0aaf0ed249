/** An unresolved stamp: its action, person, place and reason, and the decision about it. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ask, client } from '../api/ask.js';
import type { Schemas } from '../api/session.js';
import { useFormats } from '../parts/formats.js';
import { Glyph } from '../parts/glyph.js';
import { withNames } from '../parts/names.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { zoneOf } from '../parts/zone.js';
import { useWords, type Words } from '../words/words.js';

export type UnresolvedStamp = Schemas['UnresolvedStamp'];

/** The holder of the badge, or else the card. */
export function ownerOf({ person, card }: UnresolvedStamp, words: Words): string {
  if (person !== undefined) return person.name;
  return card === undefined ? words.unresolved_unreadable : words.unresolved_card(card);
}

/** @param own leaves out the name of the person, who reads it */
export function StampFacts({
  of: stamp,
  own = false,
}: {
  readonly of: UnresolvedStamp;
  readonly own?: boolean;
}): ReactNode {
  const words = useWords();
  const formats = useFormats(zoneOf(stamp));
  const {
    action,
    at,
    terminal,
    reason,
    status,
    taken_for: takenFor,
    decided_by: by,
    decision_comment: comment,
  } = stamp;
  return (
    <div>
      <p>
        {!(own && stamp.person !== undefined) && (
          <>
            <strong>
              <bdi>{ownerOf(stamp, words)}</bdi>
            </strong>
            {' · '}
          </>
        )}
        {action !== undefined && at !== undefined && `${words.stamp_actions[action]}, ${formats.instant(at)} · `}
        <bdi>{terminal.name}</bdi>
      </p>
      <p>
        {status === 'waiting' ? <Glyph name="warning" /> : `${words.unresolved_statuses[status]}: `}{' '}
        {words.unresolved_reasons[reason]}
      </p>
      {takenFor !== undefined && <p className="hint">{withNames(words.unresolved_taken_for, takenFor.name)}</p>}
      {by !== undefined && <p className="hint">{withNames(words.unresolved_decided_by, by.name)}</p>}
      {comment !== undefined && <p className="hint">{withNames(words.notice_reason, comment)}</p>}
    </div>
  );
}

/** The person's latest fifty unresolved stamps; nothing if there are none. */
export function OwnUnresolvedStamps({ waitingOnly = false }: { readonly waitingOnly?: boolean }): ReactNode {
  const words = useWords();
  const stamps = useQuery({
    queryKey: ['unresolved-stamps', 'own'],
    queryFn: () => ask(client.GET('/app/me/unresolved-stamps', { params: { query: { limit: 50 } } })),
  });
  const shownStamps = (stamps.data?.data ?? []).filter(({ status }) => !waitingOnly || status === 'waiting');
  if (stamps.error !== null) return <ProblemNotice problem={stamps.error} onRetry={() => void stamps.refetch()} />;
  if (shownStamps.length === 0) return null;
  return (
    <section className="card corrections stack" aria-label={words.own_unresolved_title}>
      <h2>{words.own_unresolved_title}</h2>
      {shownStamps.some(({ status }) => status === 'waiting') && <p className="hint">{words.own_unresolved_waiting}</p>}
      {shownStamps.map((stamp) => (
        <StampFacts key={stamp.id} of={stamp} own />
      ))}
    </section>
  );
}
