/**
 * The demo's other programs: started, followed, and stopped in the reverse order. Their whole output goes to a log file
 * beside the data.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';

export interface Running {
  /**
   * Resolves with the match of the next line that fits. @throws Error the program ended before it printed one, or did
   * not in time
   */
  line(form: RegExp): Promise<RegExpExecArray>;
  onLine(listener: (line: string) => void): void;
  stop(): Promise<void>;
}

const programs: Running[] = [];

/** Stops the programs, the newest first. */
export async function stopPrograms(): Promise<void> {
  for (const program of programs.reverse()) await program.stop();
}

export function start(
  name: string,
  script: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  logFile: string,
): Running {
  const child: ChildProcess = spawn(process.execPath, [script, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(logFile, { flags: 'a' });
  const lines: string[] = [];
  const listeners = new Set<(line: string) => void>();
  let hasEnded = false;
  for (const stream of [child.stdout!, child.stderr!]) {
    createInterface({ input: stream }).on('line', (line) => {
      log.write(`${line}\n`);
      lines.push(line);
      for (const listener of listeners) listener(line);
    });
  }
  const exit = once(child, 'exit').then(([code]) => {
    hasEnded = true;
    log.end();
    return code as number | null;
  });
  const running: Running = {
    onLine: (listener) => void listeners.add(listener),
    line(form) {
      const earlierMatch = lines.map((line) => form.exec(line)).find((match) => match !== null);
      if (earlierMatch) return Promise.resolve(earlierMatch);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`${name} did not get ready; see ${logFile}`)), 60_000);
        const listener = (line: string) => {
          const match = form.exec(line);
          if (match === null) return;
          clearTimeout(timer);
          listeners.delete(listener);
          resolve(match);
        };
        listeners.add(listener);
        void exit.then((code) => {
          clearTimeout(timer);
          reject(new Error(`${name} ended with ${String(code)}: ${lines.slice(-3).join(' | ')} (see ${logFile})`));
        });
      });
    },
    async stop() {
      if (hasEnded) return;
      child.kill('SIGTERM');
      const killTimer = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await exit;
      clearTimeout(killTimer);
    },
  };
  programs.push(running);
  return running;
}

/** @throws Error naming the port and the option that picks another one */
export async function needFreePort(port: number, option: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE' ? new Error(`port ${port} is in use; pick another one with ${option}`) : error,
      ),
    );
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()));
  });
}
