/**
 * `--role terminal`: the kit plays the service and judges somebody's terminal. It hears requests and answers them; what it
 * wants done at the terminal, it tells a driver or a person.
 */
import type { Result } from '../kit/runner.js';
import { outcomeOf } from './role.js';
import type { Driver } from './terminal/driver.js';
import { Bench, serve, type TerminalRequirement, terminalRequirements } from './terminal/requirements.js';
import { PlayedService, pairing } from './terminal/service.js';

export interface TerminalOptions {
  readonly driver: Driver;
  readonly host?: string;
  /** 0 for any free one. */
  readonly port?: number;
  /** The address the terminal gets, if something stands between. */
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
    const faults = [...new Set(service.faults.filter(({ id }) => id === result.id).map(({ message }) => message))];
    return faults.length === 0 || result.outcome === 'failed'
      ? result
      : { ...result, outcome: 'failed', message: faults.slice(0, 3).join('; ') };
  };
  try {
    await bench.send({ do: 'start', url: (await through?.(service.url)) ?? service.url });
  } catch (error) {
    await close();
    throw error;
  }
  return {
    bench,
    async judge(requirement) {
      const { check } = requirement;
      const result = await outcomeOf('terminal role', requirement, check && (() => check(bench)));
      bench.change({});
      if (driver.ended()) throw new Error('the driver has ended');
      return conclude(result);
    },
    conclude,
    close,
  };
}

/**
 * Judges one terminal, or several alike that share the work: each takes the next group of requirements.
 * @param drivers one for each terminal
 */
export async function judgeTerminal(
  options: Omit<TerminalOptions, 'driver'> & {
    readonly drivers: readonly Driver[];
    readonly only?: readonly string[];
    readonly onResult?: (result: Result) => void;
  },
): Promise<readonly Result[]> {
  const { drivers, only, onResult } = options;
  const chosenRequirements = terminalRequirements.filter(({ id }) => only?.includes(id) ?? true);
  const terminals: TerminalUnderTest[] = [];
  const results = new Map<string, Result>();
  try {
    for (const driver of drivers) terminals.push(await openTerminal({ ...options, driver }));
    if (chosenRequirements.every(({ check }) => check === undefined)) await serve(terminals[0]!.bench);
    const groups = groupsOf(chosenRequirements);
    await Promise.all(
      terminals.map(async (terminal) => {
        for (let group = groups.shift(); group !== undefined; group = groups.shift())
          for (const requirement of group) {
            const result = await terminal.judge(requirement);
            results.set(requirement.id, result);
            if (requirement.check !== undefined) onResult?.(result);
          }
      }),
    );
  } finally {
    await Promise.all(terminals.map((terminal) => terminal.close()));
  }
  // Requests of later checks, or to another of the terminals, may have been wrong as well.
  return chosenRequirements.map(({ id, check }) => {
    const { message, ...otherMembers } = results.get(id)!;
    // What has no check is shown by all that was heard, also after its turn.
    const result: Result =
      check === undefined
        ? { ...otherMembers, outcome: 'passed' }
        : { ...otherMembers, ...(message === undefined ? {} : { message }) };
    const conclusions = terminals.map((terminal) => terminal.conclude(result));
    const judgement =
      conclusions.find(({ outcome }) => outcome === 'failed') ??
      conclusions.find(({ outcome }) => outcome === result.outcome) ??
      conclusions[0]!;
    if (judgement.outcome !== result.outcome || check === undefined) onResult?.(judgement);
    return judgement;
  });
}

/** Requirements about one thing have one ten of numbers, and may share what they caused. */
function groupsOf(requirements: readonly TerminalRequirement[]): TerminalRequirement[][] {
  const groups = new Map<string, TerminalRequirement[]>();
  for (const requirement of requirements) {
    const prefix = requirement.id.slice(0, -1);
    groups.set(prefix, [...(groups.get(prefix) ?? []), requirement]);
  }
  return [...groups.values()];
}
