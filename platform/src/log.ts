/**
 * Logs: one JSON object a line, without secrets. Nothing logs headers or bodies; what is logged is chosen field by
 * field.
 */
import { type Logger, pino } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error' | 'fatal'>;
export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/** @param destination where lines go; standard output unless handed in (tests collect them). */
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
  return destination === undefined ? pino(settings) : pino(settings, destination);
}

export const silentLog: Log = pino({ level: 'silent' });
