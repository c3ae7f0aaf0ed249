/** The signs of states, 14 px, always beside a word: a form of its own for each, so that none rests on colour. */
import type { ReactNode } from 'react';

export type GlyphName =
  | 'in'
  | 'break'
  | 'out'
  | 'absent'
  | 'proven'
  | 'unproven'
  | 'warning'
  | 'info'
  | 'check'
  | 'cross';

const drawings: Readonly<Record<GlyphName, ReactNode>> = {
  in: <circle cx="7" cy="7" r="6" fill="currentColor" />,
  break: (
    <>
      <circle cx="7" cy="7" r="5.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M7 1.75a5.25 5.25 0 0 0 0 10.5z" fill="currentColor" />
    </>
  ),
  out: <circle cx="7" cy="7" r="5.25" fill="none" stroke="currentColor" strokeWidth="1.5" />,
  absent: (
    <>
      <circle cx="7" cy="7" r="5.25" fill="none" stroke="currentColor" strokeWidth="1.5" />
      <path d="M4.5 11 11 4.5M2.6 8.6l6-6" stroke="currentColor" strokeWidth="1.3" />
    </>
  ),
  proven: (
    <>
      <circle cx="7" cy="7" r="6" fill="currentColor" />
      <path d="m4.4 7.2 1.8 1.8 3.4-3.7" fill="none" stroke="var(--panel)" strokeWidth="1.5" />
    </>
  ),
  unproven: (
    <circle cx="7" cy="7" r="5.25" fill="none" stroke="currentColor" strokeWidth="1.6" strokeDasharray="2.4 1.9" />
  ),
  warning: (
    <>
      <path d="M7 1.6 13 12.2H1z" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round" />
      <path d="M7 5.4v3.2M7 10.2v.9" stroke="currentColor" strokeWidth="1.4" />
    </>
  ),
  info: (
    <>
      <circle cx="7" cy="7" r="5.6" fill="none" stroke="currentColor" strokeWidth="1.4" />
      <path d="M7 6.2v4M7 3.6v1.1" stroke="currentColor" strokeWidth="1.4" />
    </>
  ),
  check: <path d="m2.2 7.6 3.2 3.2 6.4-7" fill="none" stroke="currentColor" strokeWidth="1.7" />,
  cross: <path d="m3 3 8 8M11 3l-8 8" fill="none" stroke="currentColor" strokeWidth="1.7" />,
};

/** A value close to a limit, and within it, is no warning. */
const isWarning = (code: string) => code !== 'daily_limit_near';

/** The sign beside a finding. */
export function FindingGlyph({ code }: { readonly code: string }): ReactNode {
  return <Glyph name={isWarning(code) ? 'warning' : 'info'} />;
}

export interface FindingText {
  readonly code: string;
  readonly message: string;
  readonly rule?: string | undefined;
}

/** A finding with its clause, in a box of its own. */
export function FindingNotice({ of: { code, message, rule } }: { readonly of: FindingText }): ReactNode {
  return (
    <div className={isWarning(code) ? 'notice warn row' : 'notice plain row'}>
      <FindingGlyph code={code} />
      <FindingSentence message={message} rule={rule} />
    </div>
  );
}

/** A finding in a line, as after a stamp. */
export function FindingLine({ of: { code, message, rule } }: { readonly of: FindingText }): ReactNode {
  return (
    <p className={isWarning(code) ? 'warned' : undefined}>
      <FindingGlyph code={code} /> <FindingSentence message={message} rule={rule} />
    </p>
  );
}

function FindingSentence({ message, rule }: Omit<FindingText, 'code'>): ReactNode {
  return (
    <span>
      {message}
      {rule !== undefined && <small> ({rule})</small>}
    </span>
  );
}

export function Glyph({ name }: { readonly name: GlyphName }): ReactNode {
  return (
    <svg className="glyph" data-glyph={name} viewBox="0 0 14 14" width="14" height="14" aria-hidden="true">
      {drawings[name]}
    </svg>
  );
}

/** The first letters of a name, as a sign beside it. */
export function Initials({ name, large = false }: { readonly name: string; readonly large?: boolean }): ReactNode {
  const parts = name.split(' ').filter((part) => part !== '');
  const letters = [parts[0], parts.length > 1 ? parts.at(-1) : undefined]
    .map((part) => (part === undefined ? '' : [...part][0]!.toLocaleUpperCase()))
    .join('');
  return (
    <span className={large ? 'initials large' : 'initials'} aria-hidden="true">
      <bdi>{letters}</bdi>
    </span>
  );
}
