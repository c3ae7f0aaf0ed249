/** A problem in the language of the person: at the top of a form, or in place of a page. */
import { type ReactNode, useContext } from 'react';
import { Link } from 'wouter';
import { isSignedOut, Problem, type ProblemDetail, type ValueHolder } from '../api/ask.js';
import { useWords, type Words } from '../words/words.js';
import { fieldNames } from './field-names.js';
import { FrameContext } from './frame-context.js';

/** The sentence of a code; the service's own (English) one for a code these pages do not know. */
function sentenceOfCode(problem: unknown, words: Words): string {
  if (!(problem instanceof Problem)) return words.problems.unreadable;
  const sentences = words.problems as Readonly<Record<string, string | undefined>>;
  return sentences[problem.code] ?? problem.sentence ?? words.problems.unreadable;
}

/** A problem in one line: for a wrong field, its name and its fault. */
export function sentenceOf(problem: unknown, words: Words): string {
  const detail = problem instanceof Problem && problem.code === 'invalid_request' ? problem.details[0] : undefined;
  const name = detail === undefined ? undefined : fieldNameOf(detail.field, words);
  return detail === undefined || name === undefined
    ? sentenceOfCode(problem, words)
    : `${name}: ${detailSentenceOf(detail, words)}`;
}

/** The fault of a field; the service's own (English) sentence for a code these pages do not know. */
export function detailSentenceOf({ code, error }: ProblemDetail, words: Words): string {
  return (words.problem_details as Readonly<Record<string, string | undefined>>)[code] ?? error;
}

/**
 * @param labels of the page, by the names of the contract, where they differ from the usual ones
 * @returns undefined for a member that no page shows
 */
export function fieldNameOf(
  field: string,
  words: Words,
  labels: Readonly<Record<string, string>> = {},
): string | undefined {
  const names: Readonly<Record<string, string | undefined>> = { ...fieldNames(words), ...labels };
  return names[field] ?? names[/^\w+/.exec(field)?.[0] ?? ''];
}

/** @param labels of the fields on the page, by their names in the contract, where they differ from the usual ones */
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
  // Nothing went wrong: the company decided so, and a page tells the date.
  if (problem instanceof Problem && problem.code === 'evaluation_off')
    return (
      <div className="notice warn" role="status">
        <p>{sentenceOfCode(problem, words)}</p>
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
        {sentenceOfCode(problem, words)}
        {retryAfterSeconds === undefined ? '' : ` ${words.problem_number(retryAfterSeconds)}`}
      </p>
      {details.length > 0 && (
        <ul className="bullets">
          {details.map((detail) => (
            <li key={`${detail.field} ${detail.code}`}>
              <Label of={detail.field} in={labels} />
              {holderOf(detail.field) === undefined ? (
                detailSentenceOf(detail, words)
              ) : (
                <Holder of={holderOf(detail.field)!} />
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

/** Finds the label of `breaks[1].end` too, where only `breaks` has one. */
function Label({ of, in: labels }: { readonly of: string; readonly in: Readonly<Record<string, string>> }): ReactNode {
  const label = fieldNameOf(of, useWords(), labels);
  return label === undefined ? null : `${label}: `;
}

/** Reports success; screen readers read it out as it appears. */
export function Done({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div role="status" className="status">
      {children === undefined || children === null ? null : <p className="notice ok inline">{children}</p>}
    </div>
  );
}

/** The person who has a value that must be unique, with a link to them. */
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
