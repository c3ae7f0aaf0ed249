/** The corrections that a person asked for, and their outcomes. */
import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import { ask, client } from '../api/ask.js';
import { usePagesOf } from '../api/pages-of.js';
import { useCalendar } from '../parts/calendar.js';
import { Page } from '../parts/page.js';
import { ProblemNotice } from '../parts/problem-notice.js';
import { Skeleton } from '../parts/skeleton.js';
import { useOwnZone } from '../parts/zone.js';
import { useWords } from '../words/words.js';
import { CorrectionNote } from './correction-note.js';
import { OwnUnresolvedStamps } from './unresolved-stamp.js';

export function CorrectionsPage(): ReactNode {
  const words = useWords();
  const calendar = useCalendar(useOwnZone());
  const { rows, query } = usePagesOf(['my-corrections', 'pages'], (cursor) =>
    ask(
      client.GET('/app/me/corrections', {
        params: { query: { limit: 50, cursor } },
      }),
    ),
  );
  return (
    <Page title={words.corrections_title} lead={words.corrections_text}>
      <OwnUnresolvedStamps />
      <ProblemNotice problem={query.error} onRetry={() => void query.refetch()} />
      {rows === undefined && query.error === null && <Skeleton rows={6} />}
      {rows?.length === 0 && (
        <p className="card empty">
          {words.corrections_none} <Link href="/time">{words.month_title}</Link>
        </p>
      )}
      {rows !== undefined && rows.length > 0 && (
        <div className="card corrections">
          {rows.map((correction) => {
            const date = correction.entry?.date ?? calendar.dateOf(correction.start ?? correction.requested_at);
            return (
              <Fragment key={correction.id}>
                <h2>
                  <Link href={`/time?day=${date}`}>{calendar.fullDay(date)}</Link>
                </h2>
                <CorrectionNote correction={correction} zone={calendar.timeZone} />
              </Fragment>
            );
          })}
        </div>
      )}
      {query.hasNextPage && (
        <button type="button" className="button" onClick={() => void query.fetchNextPage()}>
          {words.more}
        </button>
      )}
    </Page>
  );
}
