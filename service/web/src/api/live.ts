/**
 * Pages that stay right by themselves: the service says what kind of thing has changed, and the queries that show it ask
 * again. A page that nobody sees follows nothing, and asks again for everything when it is seen.
 */
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { refreshSession } from './session.js';

/** The queries that show a kind of change, by the first word of their key. A new live page adds its line. */
const shownIn: Readonly<Record<string, readonly string[]>> = {
  connection: ['extensions'],
  delivery: ['extension-deliveries', 'extensions'],
  extension: ['extensions', 'extension-deliveries', 'notices'],
  link: ['extension-links', 'linked-apps'],
  passkey: ['passkeys'],
  people_access: ['access', 'installation', 'session'],
  person: ['session'],
  second_factor: ['second-factor'],
  session: ['sessions'],
  sign_in: ['sessions'],
};
/** Anything may have changed. */
const anything = '*';

function refresh(queries: QueryClient, families: readonly string[]): void {
  const shown = new Set(families.flatMap((family) => shownIn[family] ?? []));
  const all = families.includes(anything);
  void queries.invalidateQueries({
    predicate: ({ queryKey: [first] }) => (all && first !== 'session') || shown.has(String(first)),
  });
}

/** Follows changes while the component is there and the page is seen. */
export function useLivePages(): void {
  const queries = useQueryClient();
  useEffect(() => {
    let stream: EventSource | undefined;
    let opened = false;
    const begin = () => {
      stream ??= new EventSource('/app/live');
      stream.onopen = () => {
        // What changed while the stream was closed was not told.
        if (opened) refresh(queries, [anything]);
        opened = true;
      };
      stream.onerror = () => {
        // Broken off, the browser connects again. Refused, it does not: the session may be over.
        if (stream?.readyState !== EventSource.CLOSED) return;
        stream = undefined;
        void refreshSession(queries);
      };
      stream.addEventListener('changed', ({ data }: MessageEvent<string>) => {
        refresh(queries, (JSON.parse(data) as { families: string[] }).families);
      });
    };
    const end = () => {
      stream?.close();
      stream = undefined;
    };
    const follow = () => {
      if (document.visibilityState === 'visible') begin();
      else end();
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      document.removeEventListener('visibilitychange', follow);
      end();
    };
  }, [queries]);
}
