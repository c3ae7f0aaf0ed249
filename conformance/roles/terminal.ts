/**
 * `--role terminal`: the kit plays the service and judges somebody's terminal. It hears requests and answers them; what it
 * wants done at the terminal, it tells a driver or a person.
 */
import type { Result } from '../kit/runner.js';
import { outcomeOf } from './role.js';
import type { Driver } from './terminal/driver.js';
import { Bench, served, type TerminalRequirement, terminalRequirements } from './terminal/requirements.js';
import { PlayedService, pairing } from './terminal/service.js';

export interface TerminalOptions {
  readonly driver: Driver;
  readonly host?: string;
  /** 0 for any free one. */
  readonly port?: number;
  /** The address the terminal is told, if something stands between. */
  readonly through?: (url: string) => Promise<string>;
}
export interface TerminalUnderTest {
  readonly bench: Bench;
  /** What this check shows, and what was wrong with any request so far. */
  judge(requirement: TerminalRequirement): Promise<Result>;
  /** What was wrong with any request until now, at its requirement. */
  conclude(result: Result): Result;
  close(): Promise<void>;
}

/** @throws Error the driver cannot start the terminal */
export async function openTerminal(options: TerminalOptions): Promise<TerminalUnderTest> {
  const { driver, host = '127.0.0.1', port = 0, through } = options;
  const service = new PlayedService();
  await service.listen(port, host);
  const bench = new Bench(service, driver);
  const close = async () => {
    await driver.close();
    await service.close();
  };
  const conclude = (result: Result): Result => {
    if (service.heard.every(({ operation }) => operation === pairing) && result.outcome === 'passed')
      return { ...result, outcome: 'skipped', message: 'nothing signed was heard' };
    const faults = [...new Set(service.faults.filter(({ id }) => id === result.id).map(({ what }) => what))];
    return faults.length === 0 || result.outcome === 'failed'
      ? result
      : { ...result, outcome: 'failed', message: faults.slice(0, 3).join('; ') };
  };
  try {
    await bench.tell({ do: 'start', url: (await through?.(service.url)) ?? service.url });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    bench,
    async judge(requirement) {
      const { check } = requirement;
      const result = await outcomeOf('terminal role', requirement, check && (() => check(bench)));
      bench.set({});
      if (driver.ended()) throw new Error('the driver has ended');
      return conclude(result);
    },
    conclude,
    close,
  };
}

export async function judgeTerminal(
  options: TerminalOptions & { readonly only?: readonly string[]; readonly onResult?: (result: Result) => void },
): Promise<readonly Result[]> {
  const { only, onResult } = options;
  const terminal = await openTerminal(options);
  const chosen = terminalRequirements.filter(({ id }) => only?.includes(id) ?? true);
  const results: Result[] = [];
  try {
    if (chosen.every(({ check }) => check === undefined)) await served(terminal.bench);
    for (const requirement of chosen) {
      const result = await terminal.judge(requirement);
      results.push(result);
      if (requirement.check !== undefined) onResult?.(result);
    }
  } finally {
    await terminal.close();
  }
  // Requests of later checks may have been wrong as well.
  return results.map((result, index) => {
    const judged = terminal.conclude(result);
    if (judged !== result || chosen[index]?.check === undefined) onResult?.(judged);
    return judged;
  });
}
