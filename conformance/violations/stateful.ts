/**
 * Judges the rows of `stateful.yaml`, several side by side: each has a proxy and a world of its own, and companies do not
 * meet. Prints for each row whether a requirement named it, and how many messages it changed.
 */
import { inSession } from '../adapters/clockproof.js';
import type { Contract } from '../kit/contract.js';
import { type Requirement, type Suite, suites } from '../kit/requirement.js';
import { allRequirements } from '../kit/requirements.js';
import { type Result, readContract, runIn } from '../kit/runner.js';
import type { Target } from '../kit/target.js';
import { World } from '../kit/world.js';
import { onTheWay } from './on-the-way.js';
import { openProxy } from './proxy.js';
import { type StatefulViolation, statefulViolations } from './rows.js';

/** Beginnings of the ids of requirements that judge every row. Where the kit has none of them, all of a row's areas do. */
const judges = ['MEM-'];
/** The second factor of a session counts for fifteen minutes. */
const sessionMilliseconds = 10 * 60_000;

interface Options {
  readonly target: Target;
  /** Areas, or parts of what the rows do. */
  readonly only: readonly string[] | undefined;
  readonly beside: number;
  /** Beginnings of the ids of further requirements that judge every row. */
  readonly others: readonly string[];
}
interface Verdict {
  readonly failed: readonly Result[];
  readonly hits: number;
}

export async function judgeStateful({ target, only, beside, others }: Options): Promise<void> {
  // What a broken check left waiting fails when its proxy closes.
  process.on('unhandledRejection', () => undefined);
  const everything = await allRequirements();
  const session = await openSession(target);
  const rows = statefulViolations.filter(({ areas, does }) =>
    (only ?? ['']).some((part) => (isSuite(part) ? areas.includes(part) : does.includes(part))),
  );
  const verdicts = new Map<StatefulViolation, Verdict>();
  const waiting = [...rows];
  await Promise.all(
    Array.from({ length: beside }, async () => {
      const contract = await readContract(target);
      for (let row = waiting.shift(); row !== undefined; row = waiting.shift()) {
        const verdict = await judgeRow(row, contract);
        verdicts.set(row, verdict);
        const { failed, hits } = verdict;
        const ids = failed.map(({ id }) => id).join(', ') || 'nothing failed';
        const why = failed[0]?.message?.slice(0, 100) ?? '';
        console.log(`${mark(verdict)} ${row.areas.join(' ')}: ${row.does}: ${ids} (${hits} hits) ${why}`.trimEnd());
      }
    }),
  );
  await session.close();
  report(rows, verdicts);

  /** What fails without the violation as well does not count, nor does what was only too slow the first time. */
  async function judgeRow(row: StatefulViolation, contract: Contract): Promise<Verdict> {
    const chosen = judgesOf(row);
    const verdict = await failuresOf(row, chosen, contract);
    const among = (results: readonly Result[]) => chosen.filter(({ id }) => results.some((result) => result.id === id));
    const again = await failuresOf(row, among(verdict.failed.filter(isLate)), contract);
    const suspects = verdict.failed.filter((one) => !isLate(one) || again.failed.some(({ id }) => id === one.id));
    const anyway = await failuresOf(undefined, among(suspects), contract);
    return { ...verdict, failed: suspects.filter((one) => !anyway.failed.some(({ id }) => id === one.id)) };
  }

  function judgesOf({ areas }: StatefulViolation): readonly Requirement[] {
    const beginWith = (parts: readonly string[]) =>
      everything.filter(({ id }) => parts.some((part) => id.startsWith(part)));
    const chosen = beginWith(judges);
    const ofAreas = everything.filter(({ suite, waits, last }) => areas.includes(suite) && !waits && !last);
    return [...(chosen.length > 0 ? chosen : ofAreas), ...beginWith(others)];
  }

  async function failuresOf(
    row: StatefulViolation | undefined,
    requirements: readonly Requirement[],
    contract: Contract,
  ): Promise<Verdict> {
    if (requirements.length === 0) return { failed: [], hits: 0 };
    contract.findings.length = 0;
    const sides = { service: await openProxy(target.service.url), indexer: await openProxy(target.indexer!.url) };
    const secrets = new Set<string>();
    sides.service.watch = (_, answer) => {
      const [, secret] = /"webhook_secret":"([^"]+)"/.exec(answer.body) ?? [];
      if (secret !== undefined) secrets.add(secret);
    };
    const through = { ...target, service: { url: sides.service.url }, indexer: { url: sides.indexer.url } };
    const world = new World(through, contract, 1, false, { adapter: inSession(session.cookie) });
    await world.extension();
    const side = sides[row?.areas.includes('indexer') ? 'indexer' : 'service'];
    const [commission] = side.commit(row === undefined ? [] : [row]);
    if (commission !== undefined) world.onTheWay = onTheWay(commission, secrets);
    const results = await runIn(world, requirements);
    side.commit([]);
    world.onTheWay = {};
    await world.close();
    for (const one of Object.values(sides)) await one.close();
    return { failed: results.filter(({ outcome }) => outcome === 'failed'), hits: commission?.hits ?? 0 };
  }
}

/** Has waited in vain, which a busy machine makes it do as well. */
const isLate = ({ message }: Result): boolean => /within \d+ s/.test(message ?? '');

/** One sign-in for all worlds: each code of the second factor counts once. */
async function openSession(target: Target) {
  const contract = await readContract(target);
  const proxy = await openProxy(target.service.url);
  let cookie = '';
  proxy.watch = (request) => {
    cookie = String(request.headers['cookie'] ?? cookie);
  };
  const worlds: World[] = [];
  let until = 0;
  let signingIn = Promise.resolve();
  const signIn = async () => {
    if (Date.now() < until) return;
    const world = new World({ ...target, service: { url: proxy.url } }, contract, 1);
    worlds.push(world);
    await world.prepare();
    until = Date.now() + sessionMilliseconds;
  };
  return {
    async cookie(): Promise<string> {
      signingIn = signingIn.then(signIn);
      await signingIn;
      return cookie;
    },
    async close(): Promise<void> {
      for (const world of worlds) await world.close();
      await proxy.close();
    },
  };
}

const isSuite = (text: string): text is Suite => suites.includes(text as Suite);

const mark = ({ failed, hits }: Verdict): string => (failed.length > 0 ? 'named ' : hits > 0 ? 'MISSED' : 'no hit');

function report(rows: readonly StatefulViolation[], verdicts: ReadonlyMap<StatefulViolation, Verdict>): void {
  const line = (name: string, of: readonly StatefulViolation[]) => {
    const count = (wanted: string) => of.filter((row) => mark(verdicts.get(row)!) === wanted).length;
    const counts = `${count('named ')} named, ${count('MISSED')} missed, ${count('no hit')} without a hit`;
    console.log(`${name}: ${of.length} violations, ${counts}`);
  };
  console.log('');
  const areas = new Set(rows.map(({ areas }) => areas.join(' ')));
  for (const area of areas)
    line(
      area,
      rows.filter((row) => row.areas.join(' ') === area),
    );
  line('all', rows);
}
