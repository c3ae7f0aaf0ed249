import type { ReactNode } from 'react';
import { FindingGlyph } from '../parts/glyph.js';

export interface FindingNoticesProps {
  readonly of: readonly { readonly code: string; readonly message: string; readonly rule?: string | undefined }[];
}

/** What the service found about a day, each with the rule behind it. */
export function FindingNotices({ of }: FindingNoticesProps): ReactNode {
  return of.map(({ code, message, rule }) => (
    <div key={`${code} ${rule ?? ''}`} className="notice warn row">
      <FindingGlyph code={code} />
      <span>
        {message}
        {rule !== undefined && <small> ({rule})</small>}
      </span>
    </div>
  ));
}
