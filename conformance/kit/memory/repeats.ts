/** What is asked again is answered again: Idempotency-Key, ETag, If-None-Match. */
import { bodyOf } from './changes.js';
import { brief, type History, type Lie, named, type Step, same, type Told } from './history.js';

/** Requests that repeat an earlier one of the same caller by its Idempotency-Key, with the one they repeat. */
export function repeatsOf(history: History): ReadonlyMap<Step, Step> {
  const first = new Map<string, Step>();
  const repeats = new Map<Step, Step>();
  const done = history.steps.filter(
    ({ method, status, headers }) =>
      method === 'POST' && status >= 200 && status < 300 && headers['idempotency-key'] !== undefined,
  );
  for (const step of [...done].sort((a, b) => a.until - b.until)) {
    const key = `${step.credential} ${step.operation} ${step.headers['idempotency-key']} ${JSON.stringify(bodyOf(step))}`;
    const before = first.get(key);
    if (before === undefined) first.set(key, step);
    else repeats.set(step, before);
  }
  return repeats;
}

export function liesAboutRepeats(history: History, repeats: ReadonlyMap<Step, Step>): readonly Lie[] {
  const lies: Lie[] = [];
  const lie = (step: Step, what: string) => lies.push({ kind: 'repeat', what: `${named(step)}: ${what}` });
  for (const [step, first] of repeats)
    if (step.status !== first.status || !same(step.answer?.json, first.answer?.json))
      lie(
        step,
        `the same Idempotency-Key was answered ${first.status} ${brief(first.answer?.json)} before, now ${step.status} ${brief(step.answer?.json)}`,
      );
  // Of one caller: who may read more gets another answer.
  const bodies = new Map<string, { readonly text: string; readonly step: Step }>();
  const tags = new Map<string, string>();
  const versions = new Map<string, unknown>();
  for (const step of history.steps) {
    const tag = step.answer?.header('etag');
    if (tag === undefined || step.status < 200 || step.status > 299 || /^\/(app|docs)\//.test(step.path)) continue;
    const id = step.answer?.get('id');
    const resource = `${step.credential} ${id === undefined ? step.path : `${step.operation?.replace(/^[a-z]+/, '')} ${String(id)}`}`;
    const { warnings: _, ...shown } = (step.answer?.json ?? {}) as Record<string, unknown>;
    const text = JSON.stringify(shown);
    const before = bodies.get(`${resource} ${tag}`);
    if (before !== undefined && !same(JSON.parse(before.text), shown))
      lie(step, `the ETag ${tag} stood for ${brief(before.text)} in ${named(before.step)}, now for ${brief(text)}`);
    bodies.set(`${resource} ${tag}`, { text, step });
    const key = `${step.path.split('?')[0]} ${tag}`;
    const changed = versions.get(key);
    if (changed !== undefined && changed !== shown['updated_at'])
      lie(step, `the ETag ${tag} stood for the version of ${brief(changed)}, now for ${brief(shown['updated_at'])}`);
    if (shown['updated_at'] !== undefined) versions.set(key, shown['updated_at']);
    const version = `${resource} ${text}`;
    if (tags.has(version) && tags.get(version) !== tag)
      lie(step, `the same record had the ETag ${tags.get(version)}, now ${tag}`);
    tags.set(version, tag);
  }
  return [...lies, ...unmodified(history), ...ofPreconditions(history), ...ofRequestIds(history), ...ofCaches(history)];
}

/** What is answered to a credential may nobody keep. */
const ofCaches = (history: History): readonly Lie[] =>
  history.steps
    .filter(
      ({ operation, caller, answer }) =>
        operation !== undefined &&
        caller !== undefined &&
        answer !== undefined &&
        !/no-store/.test(answer.header('cache-control') ?? 'no-store'),
    )
    .map((step) => ({ kind: 'repeat', what: `${named(step)}: may be kept: ${step.answer?.header('cache-control')}` }));

/** Each request has an id of its own; what may be kept is answered with that of the first. */
function ofRequestIds(history: History): readonly Lie[] {
  const ids = new Map<string, Step>();
  return history.steps.flatMap((step) => {
    const id = step.answer?.header('x-request-id');
    if (id === undefined || !/no-store/.test(step.answer?.header('cache-control') ?? '')) return [];
    const before = ids.get(id);
    ids.set(id, before ?? step);
    return before === undefined
      ? []
      : [{ kind: 'repeat' as const, what: `${named(step)}: ${before.method} ${before.path.slice(0, 80)} had this id` }];
  });
}

/** `If-Match` with the newest tag is taken, with that of another version it is not (RFC 9110, 13.1.1). */
function ofPreconditions(history: History): readonly Lie[] {
  return history.steps.flatMap((step) => {
    const sent = step.headers['if-match'];
    const refused = step.answer?.get('code') === 'precondition_failed';
    if (sent === undefined || sent === '*' || step.answer === undefined || (step.status >= 300 && !refused)) return [];
    const tagged = history.steps.filter(
      (one) =>
        one.path.split('?')[0] === step.path.split('?')[0] &&
        one.credential === step.credential &&
        one.until < step.from &&
        one.status < 300 &&
        one.answer?.header('etag') !== undefined,
    );
    const newest = tagged.at(-1);
    if (newest === undefined) return [];
    const tag = newest.answer?.header('etag');
    const meant = tagged.findLast(({ answer }) => answer?.header('etag') === sent);
    // A tag may move with what the record shows of others, and still stand for its version.
    const sameVersion = meant !== undefined && meant.answer?.get('updated_at') === newest.answer?.get('updated_at');
    const isBetween = ({ from, until }: Told) => from < step.until && until > newest.from;
    const disturbed =
      history.steps.some((one) => one !== step && one !== newest && one.method !== 'GET' && isBetween(one)) ||
      history.doings.some((one) => !/^(list|show|read)/.test(one.operation) && isBetween(one));
    if (disturbed || (refused ? sent !== tag : sameVersion)) return [];
    const what = refused ? 'is refused' : 'is taken';
    return [{ kind: 'repeat' as const, what: `${named(step)}: ${sent} ${what}, and the record has ${tag}` }];
  });
}

/** 304 only for the version that the caller named, and not where a newer one has been shown. */
function unmodified(history: History): readonly Lie[] {
  const plain = (tag: string | undefined) => tag?.trim().replace(/^W\//, '');
  const tagged = history.steps.filter(({ answer }) => answer?.header('etag') !== undefined);
  return tagged
    .filter(({ status }) => status === 304)
    .flatMap((step) => {
      const sent = (step.headers['if-none-match'] ?? '').split(',').map(plain);
      const before = tagged
        .slice(0, tagged.indexOf(step))
        .filter(
          ({ status, path, credential }) => status === 200 && path === step.path && credential === step.credential,
        )
        .at(-1);
      // One beside this request may have come before or after it.
      const newest = before !== undefined && before.until <= step.from ? before : undefined;
      const tags = [plain(step.answer?.header('etag')), plain(newest?.answer?.header('etag'))];
      const wrong = tags.find((tag) => tag !== undefined && !sent.includes('*') && !sent.includes(tag));
      return wrong === undefined
        ? []
        : [
            {
              kind: 'repeat' as const,
              what: `${named(step)}: 304 for ${sent.join(', ')}, and the record has ${wrong}`,
            },
          ];
    });
}
