/** What went wrong, in the language of the person: at the top of a form, or in place of a page. */
import { type ReactNode, useContext } from 'react';
import { Link } from 'wouter';
import { isSignedOut, Problem, type ValueHolder } from '../api/ask.js';
import { useWords, type Words } from '../words/words.js';
import { FrameContext } from './frame-context.js';

/** The sentence of a code; the service's own (English) one for a code these pages do not know. */
export function sentenceOf(problem: unknown, words: Words): string {
  if (!(problem instanceof Problem)) return words.problems.unreadable;
  const sentences = words.problems as Readonly<Record<string, string | undefined>>;
  return sentences[problem.code] ?? problem.sentence ?? words.problems.unreadable;
}

/** @param labels of the fields on the page, by their names in the contract; other names mean nothing to its readers */
export function ProblemNotice({
  problem,
  labels = {},
  onRetry,
}: {
  readonly problem: unknown;
  readonly labels?: Readonly<Record<string, string>>;
  readonly onRetry?: () => void;
}): ReactNode {
  const words = useWords();
  const inFrame = useContext(FrameContext) !== undefined;
  if (problem === null || problem === undefined) return null;
  // The sign-in page has already told the person.
  if (inFrame && isSignedOut(problem)) return null;
  // Nothing went wrong: the company decided so, and a page says since when.
  if (problem instanceof Problem && problem.code === 'evaluation_off')
    return (
      <div className="notice warn" role="status">
        <p>{sentenceOf(problem, words)}</p>
        <Link href="/company/evaluations" className="link">
          {words.evaluations_title} ›
        </Link>
      </div>
    );
  const { details, retryAfterSeconds, heldBy } =
    problem instanceof Problem ? problem : { details: [], retryAfterSeconds: undefined, heldBy: [] };
  const holderOf = (field: string) => heldBy.find((holder) => holder.field === field);
  return (
    <div className="notice bad" role="alert">
      <strong>{words.problem_title}</strong>
      <p>
        {sentenceOf(problem, words)}
        {retryAfterSeconds === undefined ? '' : ` ${words.problem_number(retryAfterSeconds)}`}
      </p>
      {details.length > 0 && (
        <ul className="bullets">
          {details.map((detail) => (
            <li key={`${detail.field} ${detail.code}`}>
              <Label of={detail.field} in={labels} />
              {['missing', 'required'].includes(detail.code) ? (
                words.field_faults.fill
              ) : holderOf(detail.field) !== undefined ? (
                <Holder of={holderOf(detail.field)!} />
              ) : (
                <span lang="en">{detail.error}</span>
              )}
            </li>
          ))}
        </ul>
      )}
      {onRetry !== undefined && (
        <button type="button" className="button small" onClick={onRetry}>
          {words.again}
        </button>
      )}
    </div>
  );
}

/** Of `breaks[1].end` too, where only `breaks` has one. */
function Label({ of, in: labels }: { readonly of: string; readonly in: Readonly<Record<string, string>> }): ReactNode {
  const label = labels[of] ?? labels[/^\w+/.exec(of)?.[0] ?? ''];
  return label === undefined ? null : `${label}: `;
}

/** Something was done; read out by screen readers as it appears. */
export function Done({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div role="status" className="status">
      {children === undefined || children === null ? null : <p className="notice ok inline">{children}</p>}
    </div>
  );
}

/** Who has a value that must be unique, with the way to them. */
function Holder({ of: { person } }: { readonly of: ValueHolder }): ReactNode {
  const words = useWords();
  return (
    <>
      {words.value_held}{' '}
      <Link className="link" href={`/company/people/${String(person.id)}`}>
        <bdi>{person.name}</bdi>
      </Link>
    </>
  );
}
