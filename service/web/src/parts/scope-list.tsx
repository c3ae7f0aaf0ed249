import type { ReactNode } from 'react';
import { useWords, type Words } from '../words/words.js';

export type ScopeName = keyof Words['scopes'];

export function ScopeList({ scopes }: { readonly scopes: readonly ScopeName[] }): ReactNode {
  const words = useWords();
  return (
    <ul className="bullets">
      {scopes.map((scope) => (
        <li key={scope}>{words.scopes[scope]}</li>
      ))}
    </ul>
  );
}
