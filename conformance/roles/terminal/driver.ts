/**
 * Who operates the terminal under test: a program that reads instructions, or a person who reads sentences. A program gets
 * one JSON object a line on its standard input and answers each with one line on its standard output.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Action } from './service.js';

export type Instruction =
  /** Use the service at this address. */
  | { readonly do: 'start'; readonly url: string }
  /** Enter a pairing code. The answer may hold the `fingerprint` that is shown then. */
  | { readonly do: 'pair'; readonly code: string }
  /**
   * Hold a card in factory state to the reader, not the one of before. The person touches what is named here, and
   * nothing if nothing is named; a PIN is entered once. The answer comes once the card is held there.
   */
  | { readonly do: 'hold'; readonly action?: Action; readonly info?: true; readonly pin?: string }
  /** Take the card away. */
  | { readonly do: 'remove' };

export interface DriverReply {
  /** The fingerprint that the terminal shows. */
  readonly fingerprint?: string;
  /** Why the instruction cannot be followed on this terminal. */
  readonly cannot?: string;
}

export interface Driver {
  /** Seconds in which the terminal does what it was told. */
  readonly maxWaitSeconds: number;
  send(instruction: Instruction): Promise<DriverReply>;
  /** Whether nobody listens any more. */
  ended(): boolean;
  close(): Promise<void>;
}

/** @param command of a shell */
export function programDriver(command: string, maxWaitSeconds = 15): Driver {
  const child: ChildProcess = spawn(command, { shell: true, stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  const waiters: ((reply: DriverReply | Error) => void)[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const next = waiters.shift();
    try {
      next?.(JSON.parse(line) as DriverReply);
    } catch {
      next?.(new Error(`the driver answered »${line}« instead of JSON`));
    }
  });
  const exit = new Promise<void>((resolve) =>
    child.once('close', () => {
      for (const next of waiters.splice(0)) next(new Error('the driver has ended'));
      resolve();
    }),
  );
  child.stdin!.on('error', () => undefined);
  return {
    maxWaitSeconds,
    ended: () => child.exitCode !== null,
    send: (instruction) =>
      new Promise((resolve, reject) => {
        if (child.exitCode !== null) return reject(new Error('the driver has ended'));
        waiters.push((reply) => (reply instanceof Error ? reject(reply) : resolve(reply)));
        child.stdin!.write(`${JSON.stringify(instruction)}\n`);
      }),
    async close() {
      // The end of its input asks the driver to stop what it started.
      child.stdin!.end();
      const timer = setTimeout(() => child.pid !== undefined && process.kill(-child.pid), 5_000);
      await exit;
      clearTimeout(timer);
    },
  };
}

const words: Readonly<Record<Action, string>> = {
  in: 'clock in',
  out: 'clock out',
  break_start: 'start a break',
  break_end: 'end the break',
};

/** @param ask prints a sentence and resolves with what was typed */
export function personDriver(ask: (sentence: string) => Promise<string>, maxWaitSeconds = 90): Driver {
  return {
    maxWaitSeconds,
    async send(instruction) {
      switch (instruction.do) {
        case 'start':
          await ask(`Let the terminal use the service at ${instruction.url}, and press Enter.`);
          return {};
        case 'pair': {
          const shownFingerprint = await ask(
            `Pair with the code ${instruction.code}. Type the fingerprint shown, or nothing:`,
          );
          return shownFingerprint.trim() === '' ? {} : { fingerprint: shownFingerprint.trim() };
        }
        case 'hold': {
          const { action, info, pin } = instruction;
          const touch =
            action !== undefined ? `choose to ${words[action]}` : info ? 'ask for the balances' : 'touch nothing';
          const enter = pin === undefined ? '' : `, enter the PIN ${pin} once if asked`;
          await ask(`Press Enter, hold another new card (DESFire or NTAG 424 DNA) there and ${touch}${enter}.`);
          return {};
        }
        case 'remove':
          await ask('Take the card away and press Enter.');
          return {};
      }
    },
    ended: () => false,
    close: () => Promise.resolve(),
  };
}
