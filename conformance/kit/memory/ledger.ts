/** The index: a proof never changes or goes away, a verdict follows from the proofs, numbers only grow. */
import { at, isRecord } from '../json.js';
import { brief, type History, type Lie, named, type Step, same } from './history.js';
import type { Traversal } from './lists.js';
import type { Sighting } from './sightings.js';

const isImmutable = ({ answer }: Step) => /immutable/.test(answer?.header('cache-control') ?? '');
const root = (text: unknown) => String(text).toLowerCase().replace(/^0x/, '');

export function liesAboutTheIndex(
  history: History,
  traversals: readonly Traversal[],
  seen: readonly Sighting[],
): readonly Lie[] {
  const lies: Lie[] = [];
  const lie = (step: Step, what: string) => lies.push({ kind: 'index', what: `${named(step)}: ${what}` });
  const proofs = new Map<string, Sighting>();
  for (const one of seen)
    if (one.kind === 'proof' && (proofs.get(one.id)?.until ?? Number.POSITIVE_INFINITY) > one.until)
      proofs.set(one.id, one);
  for (const step of history.of(['verifyTransaction', 'getProof'], 200)) {
    const tx = /\/(?:verify|proofs)\/([^/?]+)/.exec(step.path)?.[1];
    const shown = [step.answer?.get('proofs') ?? []].flat().filter(isRecord);
    if (step.answer?.get('tx') !== tx) lie(step, `answers about ${brief(step.answer?.get('tx'))}`);
    for (const proof of shown) if (proof['tx'] !== tx) lie(step, `shows a proof of ${brief(proof['tx'])}`);
    if (
      shown.some(
        (proof, index) => index > 0 && Number(proof['event_sequence']) <= Number(shown[index - 1]!['event_sequence']),
      )
    )
      lie(step, 'the proofs are not in the order of their events');
    for (const { record, until, id } of proofs.values())
      if (
        record['tx'] === tx &&
        until < step.from &&
        !shown.some((proof) => `${proof['tx']} ${proof['event_sequence']}` === id)
      )
        lie(step, `the proof ${id} is missing`);
    if (step.operation === 'getProof') {
      if (step.answer?.get('events') !== shown.length && !Array.isArray(step.answer?.get('disputed_by')))
        lie(step, `events is ${brief(step.answer?.get('events'))}, and ${shown.length} proofs are shown`);
      for (const [member, value] of Object.entries(shown[0] ?? {}))
        if (JSON.stringify(step.answer?.get(member)) !== JSON.stringify(value))
          lie(step, `${member} is ${brief(step.answer?.get(member))}, of the first proof ${brief(value)}`);
      continue;
    }
    const asked = step.query.get('root');
    const fits = (proof: Record<string, unknown>) =>
      (['company_token', 'period'] as const).every(
        (name) => step.query.get(name) === null || proof[name] === step.query.get(name),
      ) &&
      (step.query.get('sender') === null || root(proof['sender']) === root(step.query.get('sender')));
    const verdict = String(step.answer?.get('verdict'));
    const found = shown.some((proof) => fits(proof) && (asked === null || root(proof['merkle_root']) === root(asked)));
    const wanted =
      shown.length === 0 || verdict === 'unknown'
        ? 'unknown'
        : asked === null
          ? found
            ? 'indexed'
            : 'mismatch'
          : found
            ? 'match'
            : 'mismatch';
    if (verdict !== wanted) lie(step, `the verdict is ${verdict}, the proofs say ${wanted}`);
    if (asked !== null && step.answer?.get('expected_root') !== root(asked))
      lie(step, `expected_root is ${brief(step.answer?.get('expected_root'))}`);
    const verified = step.answer?.get('verified');
    const right =
      verdict === 'unknown' ? verified !== true : verified === { match: true, mismatch: false, indexed: null }[verdict];
    if (!right) lie(step, `verified is ${brief(verified)} with ${verdict}`);
    if (verdict === 'unknown' && isImmutable(step)) lie(step, 'an answer that can change may be kept for ever');
  }
  const kept = new Map<string, Step>();
  for (const step of history.of(['verifyTransaction', 'getProof'])) {
    const before = kept.get(step.path);
    if (
      before !== undefined &&
      before.until < step.from &&
      step.status !== 304 &&
      step.status !== 429 &&
      (step.status >= 500 || !same(before.answer?.json, step.answer?.json))
    )
      lie(
        step,
        `${brief(step.answer?.json)}, and ${named(before)} could be kept for ever: ${brief(before.answer?.json)}`,
      );
    if (step.status === 200 && isImmutable(step) && before === undefined) kept.set(step.path, step);
  }
  for (const step of history.of(['getProof', 'verifyTransaction'])) {
    const tx = /\/(?:verify|proofs)\/([^/?]+)/.exec(step.path)?.[1];
    const before = [...proofs.values()].find(({ record, until }) => record['tx'] === tx && until < step.from);
    if (
      before !== undefined &&
      (step.status === 404 || step.answer?.get('verdict') === 'unknown') &&
      step.answer?.get('reason') !== 'disputed'
    )
      lie(step, `nothing is known of it, ${before.where} had shown a proof`);
  }
  for (const list of traversals) {
    if (!/Proofs$/.test(list.operation) || !list.complete) continue;
    const first = list.pages[0]!;
    const token = /\/companies\/([^/]+)\/proofs/.exec(first.path)?.[1];
    const present = new Set(list.rows.map((row) => `${row['tx']} ${row['event_sequence']}`));
    for (const { record, until, id, where } of proofs.values()) {
      const sender = first.query.get('sender') ?? first.query.get('address');
      const fits =
        (token === undefined || record['company_token'] === decodeURIComponent(token)) &&
        (sender === null || root(record['sender']) === root(sender)) &&
        (['company_token', 'period'] as const).every(
          (name) => first.query.get(name) === null || record[name] === first.query.get(name),
        );
      if (fits && until < list.from && !present.has(id))
        lie(first, `the proof ${id} is missing, which ${where} had shown`);
    }
    for (const row of list.rows)
      if (token !== undefined && row['company_token'] !== decodeURIComponent(token))
        lie(first, `shows a proof of ${brief(row['company_token'])}`);
  }
  return [...lies, ...ofStatus(history, proofs)];
}

/** Numbers of the status that only grow, and the digest, which moves with what is indexed. */
function ofStatus(history: History, proofs: ReadonlyMap<string, Sighting>): readonly Lie[] {
  const lies: Lie[] = [];
  let before: Step | undefined;
  for (const step of history.of(['getIndexerStatus'], 200)) {
    const lie = (what: string) => lies.push({ kind: 'index', what: `${named(step)}: ${what}` });
    const value = (of: Step, path: string) => at(of.answer?.json, path);
    const shown = [...proofs.values()].filter(({ until }) => until < step.from).length;
    if (Number(value(step, 'indexed_count')) < shown)
      lie(`indexed_count is ${brief(value(step, 'indexed_count'))}, and ${shown} proofs have been shown`);
    if (before !== undefined && before.until < step.from) {
      for (const path of ['indexed_count', 'checkpoint', 'head_checkpoint', 'index_digest.checkpoint'])
        if (Number(value(step, path)) < Number(value(before, path)))
          lie(`${path} is ${brief(value(step, path))}, before ${brief(value(before, path))}`);
      for (const path of ['last_index_time', 'last_proof_at'])
        if (Date.parse(String(value(step, path))) < Date.parse(String(value(before, path))))
          lie(`${path} is ${brief(value(step, path))}, before ${brief(value(before, path))}`);
      for (const path of ['network', 'chain_id', 'package', 'version'])
        if (JSON.stringify(value(step, path)) !== JSON.stringify(value(before, path)))
          lie(`${path} is ${brief(value(step, path))}, before ${brief(value(before, path))}`);
    }
    before = step;
  }
  return lies;
}
