/**
 * Judges the rows of `stateful.yaml`, several side by side: each has a proxy and a world of its own, and companies do not
 * meet. Prints for each row whether a requirement named it, and how many messages it changed.
 */
import { inSession } from '../adapters/clockproof.js';
import type { Contract } from '../kit/contract.js';
import type { Requirement } from '../kit/requirement.js';
import { allRequirements } from '../kit/requirements.js';
import { type Result, readContract, runIn } from '../kit/runner.js';
import type { Target } from '../kit/target.js';
import { World } from '../kit/world.js';
import { onTheWay } from './on-the-way.js';
import { openProxy } from './proxy.js';
import type { StatefulViolation } from './rows.js';

/** The second factor of a session counts for fifteen minutes. */
const sessionMilliseconds = 10 * 60_000;

interface Options {
  readonly target: Target;
  readonly rows: readonly StatefulViolation[];
  /** How many are judged side by side. */
  readonly beside: number;
}
interface Verdict {
  readonly failed: readonly Result[];
  readonly hits: number;
}

/** @returns how many were named */
export async function judgeStateful({ target, rows, beside }: Options): Promise<number> {
  // What a broken check left waiting fails when its proxy closes.
  process.on('unhandledRejection', () => undefined);
  const everything = await allRequirements();
  const session = await openSession(target);
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
  return rows.filter((row) => verdicts.get(row)!.failed.length > 0).length;

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

  /** What remembers, and all requirements of the row's areas. */
  function judgesOf({ areas }: StatefulViolation): readonly Requirement[] {
    return everything.filter(
      ({ id, suite, waits, last }) => id.startsWith('MEM-') || (areas.includes(suite) && !waits && !last),
    );
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

const mark = ({ failed, hits }: Verdict): string => (failed.length > 0 ? 'named ' : hits > 0 ? 'MISSED' : 'no hit');
