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
    if (before !== undefined && before.until < step.from && step.status === 200 && !isImmutable(step))
      lie(step, `may change, and ${named(before)} could be kept for ever`);
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
  return [
    ...lies,
    ...ofStatus(history, proofs),
    ...ofProgress(history, proofs),
    ...ofDigests(history, proofs, traversals),
    ...ofOrder(traversals),
    ...ofTags(history),
  ];
}

/** Numbers of the status that only grow, and the digest, which moves with what is indexed. */
function ofStatus(history: History, proofs: ReadonlyMap<string, Sighting>): readonly Lie[] {
  const lies: Lie[] = [];
  let before: Step | undefined;
  let begun: number | undefined;
  for (const step of history.of(['getIndexerStatus'], 200)) {
    const lie = (what: string) => lies.push({ kind: 'index', what: `${named(step)}: ${what}` });
    const value = (of: Step, path: string) => at(of.answer?.json, path);
    const shown = [...proofs.values()].filter(({ until }) => until < step.from).length;
    if (Number(value(step, 'indexed_count')) < shown)
      lie(`indexed_count is ${brief(value(step, 'indexed_count'))}, and ${shown} proofs have been shown`);
    if (before !== undefined && before.until < step.from) {
      for (const path of [
        'indexed_count',
        'checkpoint',
        'head_checkpoint',
        'index_digest.checkpoint',
        'rescan.rounds',
        'rejected_count',
      ])
        if (Number(value(step, path)) < Number(value(before, path)))
          lie(`${path} is ${brief(value(step, path))}, before ${brief(value(before, path))}`);
      for (const path of ['last_index_time', 'last_proof_at', 'rescan.completed_at'])
        if (Date.parse(String(value(step, path))) < Date.parse(String(value(before, path))))
          lie(`${path} is ${brief(value(step, path))}, before ${brief(value(before, path))}`);
      if (value(before, 'history') === 'complete' && value(step, 'history') !== 'complete')
        lie(`history is ${brief(value(step, 'history'))}, it was complete`);
      for (const path of ['network', 'chain_id', 'package', 'version', 'addresses'])
        if (JSON.stringify(value(step, path)) !== JSON.stringify(value(before, path)))
          lie(`${path} is ${brief(value(step, path))}, before ${brief(value(before, path))}`);
    }
    const [state, alarms] = [value(step, 'state'), value(step, 'alarm_count')];
    for (const path of ['backfill.to', 'checkpoint'])
      if (Number(value(step, path)) > Number(value(step, 'head_checkpoint')))
        lie(`${path} is ${brief(value(step, path))}, beyond the head`);
    if (state === 'starting' && value(step, 'last_index_time') !== undefined) lie('is starting, and has polled');
    if (state === 'ready' && Number(alarms) > 0) lie(`is ready with ${brief(alarms)} contradictions`);
    if (state === 'ready' && Number(value(step, 'backfill.done_ratio') ?? 1) < 1)
      lie('is ready in the middle of its first reading');
    const last = Date.parse(String(value(step, 'last_proof_at')));
    if (last > Date.parse(step.answer?.header('date') ?? '') + 30_000)
      lie(`last_proof_at is ${brief(value(step, 'last_proof_at'))}, which is not over`);
    const senders = [value(step, 'addresses') ?? []].flat().map(root);
    // Of a sender that is not indexed any more, the proofs of before stay.
    begun ??= Date.parse(step.answer?.header('date') ?? '');
    const other = [...proofs.values()].find(
      ({ record }) => Date.parse(String(record['ledger_time'])) > begun! && !senders.includes(root(record['sender'])),
    );
    if (other !== undefined && senders.length > 0)
      lie(`only ${senders.join(', ')} are indexed, and a new proof is of ${brief(other.record['sender'])}`);
    before = step;
  }
  return lies;
}

/** Once a proof is known, the numbers of the status have moved on. */
function ofProgress(history: History, proofs: ReadonlyMap<string, Sighting>): readonly Lie[] {
  const lies: Lie[] = [];
  const earlier: Step[] = [];
  for (const step of history.of(['getIndexerStatus'], 200)) {
    const lie = (what: string) => lies.push({ kind: 'index', what: `${named(step)}: ${what}` });
    const number = (path: string) => Number(at(step.answer?.json, path));
    const time = (member: string) => Date.parse(String(step.answer?.get(member)));
    if (!/no-store/.test(step.answer?.header('cache-control') ?? '')) lie('the status may be kept');
    const known = [...proofs.values()].filter(({ until }) => until < step.from);
    const newest = Math.max(...known.map(({ record }) => Date.parse(String(record['ledger_time'] ?? 0))));
    if (time('last_proof_at') < newest)
      lie(
        `last_proof_at is ${brief(step.answer?.get('last_proof_at'))}, a proof of ${new Date(newest).toISOString()} has been shown`,
      );
    const ready = step.answer?.get('state') === 'ready';
    earlier.push(step);
    // The last of three polls began when the first was over, however far they are apart.
    const begun = pollsAgo(
      earlier.filter((one) => one === step || one.until < step.from),
      3,
    );
    const old = known.filter(({ until }) => begun !== undefined && until < begun.from);
    const last = Math.max(-1, ...old.map(({ record }) => Number(record['checkpoint'])));
    for (const path of ['checkpoint', 'head_checkpoint', 'index_digest.checkpoint'])
      if (ready && number(path) < last) lie(`${path} is ${number(path)}, a proof of ${last} has long been shown`);
    // By the clock of the index, which may be another machine's.
    const now = Date.parse(step.answer?.header('date') ?? '');
    if (ready && time('last_index_time') < now - 120_000)
      lie(`is ready, and the last poll was at ${brief(step.answer?.get('last_index_time'))}`);
    const lag = step.answer?.get('lag_seconds');
    const newestTime = Number.isNaN(time('head_time')) ? time('last_index_time') : time('head_time');
    if (typeof lag === 'number' && Math.abs(lag - (now - newestTime) / 1_000) > 5 && lag > 0)
      lie(`lag_seconds is ${lag}, the newest state is of ${new Date(newestTime).toISOString()}`);
    // The second of two polls begins when the first is over.
    const alike = earlier.filter((one) => one.answer?.get('last_index_time') === step.answer?.get('last_index_time'));
    const heads = new Set(alike.map((one) => one.answer?.get('head_checkpoint')));
    if (heads.size > 2)
      lie(
        `the last poll was at ${brief(step.answer?.get('last_index_time'))} as before, and two have moved the head since`,
      );
  }
  return lies;
}

/** The status in which this many polls were to come, the last of them in the newest. */
function pollsAgo(statuses: readonly Step[], polls: number): Step | undefined {
  const times = new Set<unknown>();
  return statuses.findLast((one) => times.add(one.answer?.get('last_index_time')).size === polls);
}

/** The digest is over exactly the proofs up to its checkpoint, and what is indexed is listed. */
function ofDigests(
  history: History,
  proofs: ReadonlyMap<string, Sighting>,
  traversals: readonly Traversal[],
): readonly Lie[] {
  const lies: Lie[] = [];
  const roots = new Map<string, Step>();
  let first: Step | undefined;
  const statuses = history.of(['getIndexerStatus'], 200);
  // What a self-check repairs may lie before a digest that was given already.
  const repaired = new Set(statuses.map(({ answer }) => answer?.get('gap_repairs'))).size > 1;
  for (const step of statuses) {
    const lie = (what: string) => lies.push({ kind: 'index', what: `${named(step)}: ${what}` });
    const digest = step.answer?.get('index_digest');
    if (!isRecord(digest)) continue;
    const value = (of: Step, member: string) => at(of.answer?.json, `index_digest.${member}`);
    const [checkpoint, size] = [Number(digest['checkpoint']), Number(digest['size'])];
    if (size > Number(step.answer?.get('indexed_count')))
      lie(`the digest is over ${size} proofs, and ${brief(step.answer?.get('indexed_count'))} are indexed`);
    for (const [name, other] of [
      ['size', 'root'],
      ['checkpoint', 'size'],
      ['root', 'size'],
    ] as const) {
      const key = `${name} ${String(digest[name])}`;
      const before = roots.get(key);
      if (before !== undefined && value(before, other) !== digest[other] && !repaired)
        lie(
          `${other} of the digest is ${brief(digest[other])}, with the same ${name} it was ${brief(value(before, other))}`,
        );
      roots.set(key, before ?? step);
    }
    const upTo = [...proofs.values()].filter(
      ({ record, until }) => until < step.from && Number(record['checkpoint']) <= checkpoint,
    );
    if (size < upTo.length) lie(`the digest is over ${size} proofs, and ${upTo.length} up to ${checkpoint} were shown`);
    if (first !== undefined && first.until < step.from) {
      const begun = Number(value(first, 'checkpoint'));
      const added = [...proofs.values()].filter(
        ({ record, until }) => until < step.from && Number(record['checkpoint']) > begun,
      );
      const least = Number(value(first, 'size')) + added.length;
      if (Number(step.answer?.get('indexed_count')) < least)
        lie(`indexed_count is ${brief(step.answer?.get('indexed_count'))}, expected ${least} or more`);
    }
    first ??= step;
    for (const list of traversals) {
      const filtered = ['sender', 'address', 'company_token', 'period'].some((name) => list.pages[0]!.query.has(name));
      if (list.operation !== 'listProofs' || !list.complete || filtered || list.from <= step.until || repaired)
        continue;
      const listed = list.rows.filter((row) => Number(row['checkpoint']) <= checkpoint).length;
      if (listed !== size)
        lie(`the digest is over ${size} proofs up to ${checkpoint}, and ${named(list.pages[0]!)} lists ${listed}`);
      const indexed = step.answer?.get('indexed_count');
      if (Number(indexed) > list.rows.length)
        lie(`${brief(indexed)} are indexed, and ${named(list.pages[0]!)} lists ${list.rows.length}`);
      break;
    }
  }
  return lies;
}

/** Every list has the proofs in the one order of the ledger, however it is divided into pages. */
function ofOrder(traversals: readonly Traversal[]): readonly Lie[] {
  const lies: Lie[] = [];
  let longest: Traversal | undefined;
  for (const list of traversals) {
    if (!/Proofs$/.test(list.operation)) continue;
    const places = new Map((longest?.rows ?? []).map((row, index) => [idOf(row), index]));
    const shared = list.rows.flatMap((row) => places.get(idOf(row)) ?? []);
    if (longest !== undefined && shared.some((place, index) => index > 0 && place <= shared[index - 1]!))
      lies.push({
        kind: 'index',
        what: `${named(list.pages[0]!)}: the proofs are in another order than in ${named(longest.pages[0]!)}`,
      });
    if (list.rows.length > (longest?.rows.length ?? 0)) longest = list;
  }
  return lies;
}
const idOf = (row: Readonly<Record<string, unknown>>) => `${row['tx']} ${row['event_sequence']}`;

/** A strong ETag stands for one body, wherever it comes from. */
function ofTags(history: History): readonly Lie[] {
  const lies: Lie[] = [];
  const bodies = new Map<string, Step>();
  for (const step of history.of(['getProof', 'verifyTransaction'], 200)) {
    const tag = step.answer?.header('etag');
    if (tag === undefined || tag.startsWith('W/')) continue;
    const before = bodies.get(tag);
    if (before !== undefined && before.answer?.text !== step.answer?.text)
      lies.push({ kind: 'index', what: `${named(step)}: the ETag ${tag} stood for another body in ${named(before)}` });
    bodies.set(tag, step);
  }
  return lies;
}
