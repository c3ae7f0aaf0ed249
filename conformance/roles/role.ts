/** Roles: the kit plays the service and judges somebody's terminal or receiver. What came of it is a report as any other. */

import { Inconclusive, lostConnection, Skipped } from '../kit/outcome.js';
import type { Level } from '../kit/requirement.js';
import type { Outcome, Report, Result, Role } from '../kit/runner.js';
import { kitVersion } from '../kit/target.js';

export interface RoleRequirement {
  readonly id: string;
  readonly level: Level;
  readonly says: string;
}

/** @returns the outcome of one check, with what was wrong or why it was skipped */
export async function outcomeOf(
  role: Role,
  { id, level, says }: RoleRequirement,
  check: (() => Promise<void>) | undefined,
): Promise<Result> {
  const from = Date.now();
  const result = (outcome: Outcome, message?: string): Result => ({
    id,
    suite: role,
    level,
    says,
    outcome,
    ...(message === undefined ? {} : { message }),
    milliseconds: Date.now() - from,
  });
  try {
    await check?.();
    return result('passed');
  } catch (error) {
    if (error instanceof Skipped) return result('skipped', error.message);
    const message = error instanceof Error ? error.message : String(error);
    return result(error instanceof Inconclusive || lostConnection(error) ? 'inconclusive' : 'failed', message);
  }
}

/** @param subject what was judged: an address or a command */
export function roleReport(subject: string, startedAt: number, results: readonly Result[]): Report {
  return {
    service: subject,
    indexer: '',
    version: '',
    kit: kitVersion(),
    documents: [],
    seed: 1,
    startedAt: new Date(startedAt).toISOString(),
    milliseconds: Date.now() - startedAt,
    results,
    findings: [],
    coverage: undefined,
    notRemoved: [],
  };
}
