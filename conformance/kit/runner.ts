/**
 * Runs requirements against one deployment: one after the other, those that mostly wait beside them, those that judge
 * everything at the end. Each has a time limit, and none stops another.
 */
import { createHash } from 'node:crypto';
import { request } from 'undici';
import type { AdapterFactory } from './adapter.js';
import { Contract, type Finding, type JudgedDocument } from './contract.js';
import { type Coverage, coverageOf } from './coverage.js';
import { Inconclusive, lostConnection, NotApplicable, NotArrived, Skipped } from './outcome.js';
import type { Level, Requirement, Suite } from './requirement.js';
import { allRequirements } from './requirements.js';
import { kitVersion, type Target } from './target.js';
import { World } from './world.js';

/** Subjects that the kit judges while it plays the service itself. */
export type Role = 'terminal role' | 'receiver role';
export const outcomes = ['passed', 'failed', 'inconclusive', 'skipped'] as const;
export type Outcome = (typeof outcomes)[number];
export interface Result {
  readonly id: string;
  readonly suite: Suite | Role;
  readonly level: Level;
  readonly says: string;
  readonly outcome: Outcome;
  readonly message?: string;
  readonly milliseconds: number;
}
export interface Report {
  readonly service: string;
  readonly indexer: string;
  readonly version: string;
  /** The version of the kit. */
  readonly kit: string;
  /** The maker of the fixtures; a role has none. */
  readonly adapter?: string;
  /** The contract that was judged, by the bytes that were served. */
  readonly documents: readonly JudgedDocument[];
  readonly seed: number;
  readonly startedAt: string;
  readonly milliseconds: number;
  readonly results: readonly Result[];
  readonly findings: readonly Finding[];
  /** The coverage of the documents; a role has none. */
  readonly coverage: Coverage | undefined;
  /** Clean-ups that failed twice, and why. */
  readonly notRemoved: readonly string[];
  /** The number of requirements that were not judged, if the run ended early. */
  readonly interrupted?: number;
}

export interface Options {
  readonly target: Target;
  readonly requirements: readonly Requirement[];
  readonly seed: number;
  /** Also what the deployment's own people would notice. */
  readonly intrusive?: boolean;
  readonly adapter?: AdapterFactory | undefined;
  /** The time zone of the kit's companies. */
  readonly timeZone?: string | undefined;
  /** Starts the indexer, for the requirement about its terms. */
  readonly indexerCommand?: string | undefined;
  readonly onResult?: (result: Result, doneCount: number, totalCount: number) => void;
  /** Ends the run early: fixtures are removed, and the report holds the results until then. */
  readonly signal?: AbortSignal;
}

/** @throws Error the target does not answer or publishes no documents; the message names its address */
export async function readContract(target: Target): Promise<Contract> {
  const documents: JudgedDocument[] = [];
  const readDocument = async (address: string): Promise<Record<string, unknown> | undefined> => {
    const answer = await request(address).catch((error: unknown) => {
      throw new Error(`${address} does not answer: ${error instanceof Error ? error.message : String(error)}`);
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode !== 200) return undefined;
    documents.push({ address, sha256: createHash('sha256').update(bytes).digest('hex') });
    return JSON.parse(bytes.toString()) as Record<string, unknown>;
  };
  const openApi = async (url: string): Promise<Record<string, unknown>> => {
    const document = await readDocument(`${url.replace(/\/$/, '')}/api/v1/openapi.json`);
    if (document === undefined)
      throw new Error(`${url}/api/v1/openapi.json is not there: the kit reads the published contract from it`);
    return document;
  };
  const service = await openApi(target.service.url);
  const indexer = target.indexer === undefined ? { paths: {} } : await openApi(target.indexer.url);
  await readDocument(`${target.service.url.replace(/\/$/, '')}/api/v1/asyncapi.json`).catch(() => undefined);
  return new Contract(service, indexer, documents, target.service.direct);
}

/** @throws Error the target does not answer, publishes no documents, or refuses the super admin */
export async function run({
  target,
  requirements,
  seed,
  intrusive = false,
  adapter,
  timeZone,
  indexerCommand,
  onResult,
  signal,
}: Options): Promise<Report> {
  const startedAt = Date.now();
  const contract = await readContract(target);
  const world = new World(target, contract, seed, intrusive, { adapter, timeZone, indexerCommand });
  for (const { id, last } of await allRequirements())
    if (last !== true && !requirements.some((requirement) => requirement.id === id)) world.notJudged.add(id);
  const results: Result[] = [];
  const judgeOne = async (requirement: Requirement) => {
    if (signal?.aborted) return;
    const result = await judge(requirement, world);
    // A failure while fixtures are being removed says nothing.
    if (signal?.aborted) return;
    results.push(result);
    onResult?.(result, results.length, requirements.length);
  };
  const judgements = judgeAll(world, requirements, judgeOne);
  const abortion = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
  try {
    await Promise.race([judgements, abortion]);
  } catch (error) {
    await world.close();
    throw error;
  }
  const notRemoved = await world.close();
  const order = new Map(requirements.map(({ id }, index) => [id, index]));
  results.sort((a, b) => order.get(a.id)! - order.get(b.id)!);
  const version = (await world.open.get('/api/v1/status').catch(() => undefined))?.get('version');
  return {
    service: target.service.url,
    indexer: target.indexer?.url ?? '',
    version: typeof version === 'string' ? version : 'unknown',
    kit: kitVersion(),
    adapter: await world.adapterName(),
    documents: contract.documents,
    seed,
    startedAt: new Date(startedAt).toISOString(),
    milliseconds: Date.now() - startedAt,
    results,
    findings: contract.findings,
    coverage: coverageOf(world),
    notRemoved,
    ...(signal?.aborted ? { interrupted: requirements.length - results.length } : {}),
  };
}

async function judgeAll(
  world: World,
  requirements: readonly Requirement[],
  judgeOne: (requirement: Requirement) => Promise<void>,
): Promise<void> {
  const slowRequirements = requirements.filter((requirement) => requirement.waits === true);
  const otherRequirements = requirements.filter(
    (requirement) => requirement.waits !== true && requirement.last !== true,
  );
  if (requirements.some(({ suite }) => suite !== 'indexer'))
    await world.prepare().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(`Nothing was judged: ${reason}`);
    });
  // Fixtures that both need are made before they start together.
  if (otherRequirements.length + slowRequirements.length > 0 && requirements.some(({ suite }) => suite !== 'indexer'))
    await world.extension().catch(() => undefined);
  const parallelRun = Promise.all(slowRequirements.map(judgeOne));
  for (const requirement of otherRequirements) {
    await judgeOne(requirement);
    await world.release().catch(() => undefined);
  }
  await parallelRun;
  // Those about the documents judge what the others saw.
  const lastly = requirements.filter(({ last }) => last === true);
  for (const isContract of [false, true])
    for (const requirement of lastly.filter(({ suite }) => (suite === 'contract') === isContract))
      await judgeOne(requirement);
}

/**
 * Runs requirements in a world that stays, so that fixtures are made once for many runs.
 * @param seconds at most, for each; thirty at least, so that the wait for an event ends before
 */
export async function runIn(
  world: World,
  requirements: readonly Requirement[],
  seconds = 600,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const isLast of [false, true])
    for (const requirement of requirements.filter((requirement) => (requirement.last === true) === isLast)) {
      results.push(await judge(requirement, world, Math.max(seconds, 30)));
      await world.release().catch(() => undefined);
    }
  return results;
}

/** @param atMost seconds, if that is less than the requirement's own limit */
export async function judge(
  requirement: Requirement,
  world: World,
  atMost = Number.POSITIVE_INFINITY,
): Promise<Result> {
  const { id, suite, level, says } = requirement;
  const limit = Math.min((requirement.limit ?? 30) * world.pace.factor, atMost);
  const from = Date.now();
  const result = (outcome: Outcome, message?: string): Result => {
    if (outcome === 'inconclusive' || outcome === 'skipped') world.notJudged.add(id);
    return {
      id,
      suite,
      level,
      says,
      outcome,
      ...(message === undefined ? {} : { message }),
      milliseconds: Date.now() - from,
    };
  };
  if (suite === 'indexer' && world.target.indexer === undefined)
    return result('skipped', 'the target names no indexer');
  let timer: NodeJS.Timeout | undefined;
  try {
    await Promise.race([
      requirement.check(world),
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => {
          world.forget();
          reject(new Inconclusive(`no outcome within ${limit.toFixed(0)} s`));
        }, limit * 1_000);
      }),
    ]);
    return result('passed');
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof Skipped) {
      const skippedResult = result('skipped', message);
      if (error instanceof NotApplicable) world.notJudged.delete(id);
      return skippedResult;
    }
    if (error instanceof Inconclusive || lostConnection(error)) return result('inconclusive', message);
    if (error instanceof NotArrived) {
      const delay = await world.delaySince(from);
      if (delay > 300)
        return result(
          'inconclusive',
          `${message}; meanwhile answers came ${(delay / 1_000).toFixed(1)} s later than usual`,
        );
    }
    return result('failed', message);
  } finally {
    clearTimeout(timer);
  }
}

/** 0 if nothing of the level failed. `should` includes `must`. */
export function exitCode({ results }: Report, level: Level): 0 | 1 {
  return results.some((result) => result.outcome === 'failed' && (level === 'should' || result.level === 'must'))
    ? 1
    : 0;
}
