import type { ReactNode } from 'react';
import type { Schemas } from '../api/session.js';
import { useWords } from '../words/words.js';

/** The source of a stamp in words, with the name of the terminal or app. */
export function SourceName({ source }: { readonly source: Schemas['Source'] }): ReactNode {
  const words = useWords();
  const kinds: Readonly<Record<string, string | undefined>> = words.sources;
  return (
    <span className="source">
      {kinds[source.kind] ?? source.kind}
      {source.name !== undefined && (
        <>
          {' '}
          <bdi>{source.name}</bdi>
        </>
      )}
    </span>
  );
}
