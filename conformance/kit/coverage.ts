/** What was provoked of all that the documents name, and what was not, and why. */
import type { Contract } from './contract.js';
import { Breach, Skipped } from './outcome.js';
import { reasonFor, reasonForCode } from './unprovoked.js';
import type { World } from './world.js';

export interface Coverage {
  readonly operations: number;
  readonly operationsCalled: number;
  readonly statuses: number;
  readonly statusesProvoked: number;
  /** Each with the reason, if there is one. */
  readonly missing: readonly string[];
  readonly codes: number;
  readonly codesProvoked: number;
  readonly codesMissing: readonly string[];
  readonly answers: number;
}

/** `operation status`. */
const documentedStatuses = ({ operations }: Contract): readonly string[] =>
  operations.flatMap(({ id, statuses }) => statuses.map((status) => `${id} ${status}`));
const statusesNotSeen = (contract: Contract) => documentedStatuses(contract).filter((key) => !contract.seen.has(key));

export function coverageOf({ contract, intrusive }: Pick<World, 'contract' | 'intrusive'>): Coverage {
  const missing = statusesNotSeen(contract);
  const codesMissing = contract.codesNotSeen();
  const [statuses, codes] = [documentedStatuses(contract).length, contract.documentedCodes().length];
  const called = new Set([...contract.seen.keys()].map((key) => key.split(' ')[0]));
  return {
    operations: contract.operations.length,
    operationsCalled: called.size,
    statuses,
    statusesProvoked: statuses - missing.length,
    missing: missing.map((key) => `${key}: ${reasonFor(key, intrusive) ?? 'not provoked'}`),
    codes,
    codesProvoked: codes - codesMissing.length,
    codesMissing: codesMissing.map((key) => `${key}: ${reasonForCode(key, intrusive) ?? 'not provoked'}`),
    answers: [...contract.seen.values()].reduce((sum, count) => sum + count, 0),
  };
}

export const unexplainedStatuses = ({ contract, intrusive }: World): readonly string[] =>
  statusesNotSeen(contract).filter((key) => reasonFor(key, intrusive) === undefined);
export const unexplainedCodes = ({ contract, intrusive }: World): readonly string[] =>
  contract.codesNotSeen().filter((key) => reasonForCode(key, intrusive) === undefined);

/** @throws Breach something is missing. @throws Skipped it may be missing because requirements were not judged */
export function needNone({ notJudged }: World, missing: readonly string[], what: string): void {
  if (missing.length === 0) return;
  const said = `${missing.length} ${what}: ${missing.join(', ')}`;
  if (notJudged.size === 0) throw new Breach(said);
  throw new Skipped(`${notJudged.size} requirements were not judged, which may provoke them: ${said}`);
}
