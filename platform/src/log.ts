/**
 * Logs: one JSON object a line, without secrets. Nothing logs headers or bodies; logged fields are chosen one by one.
 */
import { setTimeout } from 'node:timers/promises';
import { type Logger, pino } from 'pino';
import { second } from './time/instant.js';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** @param destination the receiver of lines; standard output by default (tests collect them) */
export function createLog(level: LogLevel, name: string, destination?: { write(line: string): void }): Log {
  const settings = {
    level,
    base: { name },
    redact: {
      paths: [
        '*.password',
        '*.key',
        '*.token',
        '*.secret',
        '*.pin',
        '*.authorization',
        'password',
        'key',
        'token',
        'secret',
        'pin',
        'authorization',
      ],
      censor: '[secret]',
    },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
  };
  return pino(settings, destination ?? standardOutput());
}

let output: ReturnType<typeof pino.destination> | undefined;

function standardOutput() {
  if (output === undefined) {
    // With a minimal length, `flush` waits for writes under way.
    output = pino.destination({ dest: 1, minLength: 1 });
    output.on('error', dropLines);
  }
  return output;
}

/** A reader that has gone neither takes the process down, nor keeps it from ending: pino would try again for ever. */
function dropLines(): void {
  const noop = () => undefined;
  if (output !== undefined) Object.assign(output, { write: noop, flush: noop, flushSync: noop, end: noop });
}

/** Writes the rest before the process ends, for at most a second; later lines are dropped. */
export async function endLogs(): Promise<void> {
  const flush = new Promise<void>((resolve) => {
    if (output === undefined) resolve();
    output?.on('error', () => resolve());
    output?.flush(() => resolve());
  });
  await Promise.race([flush, setTimeout(second, undefined, { ref: false })]);
  dropLines();
}

export const silentLog: Log = pino({ level: 'silent' });
