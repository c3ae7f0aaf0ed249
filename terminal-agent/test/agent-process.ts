/** The agent as a process of its own, as a supervisor would run it. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface AgentProcess {
  readonly lines: string[];
  readonly errors: string[];
  /** The first line, from the beginning, that matches; fails if the process ends without it. */
  line(pattern: RegExp): Promise<string>;
  /** As {@link AgentProcess.line}, of the lines that have not been asked for yet. */
  nextLine(pattern: RegExp): Promise<string>;
  signal(name: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): void;
  /** Exit code, or the name of the signal that ended it. */
  readonly exit: Promise<number | string>;
}

/** Runs `main.ts` from source. */
export function startAgent(args: readonly string[], env: Readonly<Record<string, string>>): AgentProcess {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(new URL('../src/main.ts', import.meta.url)), ...args],
    {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const lines: string[] = [];
  const errors: string[] = [];
  const waiters = new Set<() => void>();
  let hasEnded = false;
  const collect = (into: string[]) => {
    let remainder = '';
    return (part: Buffer): void => {
      const pieces = (remainder + part.toString('utf8')).split('\n');
      remainder = pieces.pop() ?? '';
      into.push(...pieces);
      for (const look of waiters) look();
    };
  };
  child.stdout.on('data', collect(lines));
  child.stderr.on('data', collect(errors));
  const exit = new Promise<number | string>((resolve) =>
    child.once('close', (code, signal) => {
      hasEnded = true;
      resolve(code ?? signal ?? 'unknown');
      for (const look of waiters) look();
    }),
  );

  let askCount = 0;
  const find = (pattern: RegExp, from: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const index = lines.findIndex((line, position) => position >= from && pattern.test(line));
        if (index < 0 && !hasEnded) return;
        waiters.delete(look);
        if (index >= 0) resolve(index);
        else
          reject(
            new Error(`the agent ended without a line like ${String(pattern)}:\n${[...lines, ...errors].join('\n')}`),
          );
      };
      waiters.add(look);
      look();
    });
  return {
    lines,
    errors,
    exit,
    line: async (pattern) => lines[await find(pattern, 0)]!,
    async nextLine(pattern) {
      const index = await find(pattern, askCount);
      askCount = index + 1;
      return lines[index]!;
    },
    signal: (name) => void child.kill(name),
  };
}
