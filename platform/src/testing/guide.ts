/** Runs the samples of a guide from its own text, so that readers copy exactly the tested code. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** The fenced blocks of a guide in a language (`sh`, `js`, `ts`, `py`), in order. */
export function blocksOf(guide: string, language: string): string[] {
  const text = readFileSync(join(repository, 'docs/guides', guide), 'utf8');
  return [...text.matchAll(/^```(\w*)(?: \[[^\]]*\])?\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , code]) => code!);
}

/** Programs as a reader has saved them: in a folder of their own, with the packages of this repository in reach. */
export interface SampleFolder {
  readonly path: string;
  /** @returns the path of the file */
  save(name: string, code: string): string;
  remove(): void;
}

export function sampleFolder(): SampleFolder {
  const path = mkdtempSync(join(tmpdir(), 'clockproof-guide-'));
  mkdirSync(join(path, 'home'));
  mkdirSync(join(path, 'curl'));
  symlinkSync(join(repository, 'node_modules'), join(path, 'node_modules'));
  return {
    path,
    save(name, code) {
      const file = join(path, name);
      writeFileSync(file, code, { mode: 0o755 });
      return file;
    },
    remove: () => rmSync(path, { recursive: true }),
  };
}

/** The command that starts a program in a language; TypeScript as `npx tsx` does it. */
export const startCommands = {
  sh: ['bash', '-e'],
  js: [process.execPath],
  ts: [process.execPath, '--import', 'tsx'],
  py: ['python3'],
} as const;
export type SampleLanguage = keyof typeof startCommands;

const endings: Readonly<Record<SampleLanguage, string>> = { sh: 'sh', js: 'mjs', ts: 'mts', py: 'py' };

/**
 * @returns the output of the program
 * @throws Error with its output, if it fails
 */
export async function runSample(
  folder: SampleFolder,
  language: SampleLanguage,
  code: string,
  env: Readonly<Record<string, string>>,
  words: readonly string[] = [],
): Promise<string> {
  const file = folder.save(`sample.${endings[language]}`, code);
  const [command, ...options] = startCommands[language];
  const { stdout } = await promisify(execFile)(command, [...options, file, ...words], {
    cwd: folder.path,
    env: { PATH: process.env['PATH'] ?? '', HOME: join(folder.path, 'home'), TZ: 'Pacific/Chatham', ...env },
  });
  return stdout;
}

/** A program that runs on, or asks a question. */
export interface RunningSample {
  /** Its output so far, including errors. */
  readonly lines: readonly string[];
  /** @throws with its lines, if it ends before they are as they should be */
  until(isReached: (lines: readonly string[]) => boolean): Promise<void>;
  /** Hands it a line, its last. */
  answer(line: string): void;
  /** @returns all its lines. @throws with them, if it fails */
  ended(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** @param command with its words */
export function startSample(
  folder: SampleFolder,
  [command, ...words]: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
): RunningSample {
  const child = spawn(command, words, {
    cwd: folder.path,
    env: { PATH: process.env['PATH'] ?? '', HOME: join(folder.path, 'home'), TZ: 'Pacific/Chatham', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const waiters = new Set<() => void>();
  const wake = () => {
    for (const look of waiters) look();
  };
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line);
      wake();
    });
  let code: number | null | undefined;
  const end = once(child, 'close').then(() => {
    code = child.exitCode;
    wake();
  });
  const failure = () => new Error(`ended with ${String(code)}: ${lines.join('\n')}`);
  return {
    lines,
    until: (isReached) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (isReached(lines)) resolve();
          else if (code !== undefined) reject(failure());
          else return;
          waiters.delete(look);
        };
        waiters.add(look);
        look();
      }),
    answer: (line) => child.stdin.end(`${line}\n`),
    async ended() {
      await end;
      if (code !== 0) throw failure();
      return lines;
    },
    async stop() {
      child.kill('SIGKILL');
      await end;
    },
  };
}
