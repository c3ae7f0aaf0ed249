/**
 * Configuration from the environment: every fault at once, each named, exit code 78 (EX_CONFIG of sysexits.h). No
 * other file reads `process.env`.
 * A setting is one entry with its meaning, default and parser; the table of settings in the docs is made from the same
 * entries.
 */
import { z } from 'zod';

export interface Setting<T> {
  readonly description: string;
  /** The default in the docs; absent means required. */
  readonly default?: string;
  readonly secret?: boolean;
  /** Reads the text (or its absence). */
  readonly schema: z.ZodType<T>;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;
export type Values<S extends Settings> = { readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never };

export class ConfigurationFaults extends Error {
  override readonly name = 'ConfigurationFaults';
  constructor(readonly faults: readonly string[]) {
    super(`configuration: ${faults.join('; ')}`);
  }
}

/** EX_CONFIG */
export const configurationExitCode = 78;

/**
 * @throws {ConfigurationFaults} naming every variable that is missing or wrong; values of secrets are never repeated
 */
export function readSettings<S extends Settings>(
  settings: S,
  env: Readonly<Record<string, string | undefined>>,
): Values<S> {
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, setting] of Object.entries(settings)) {
    const text = env[name] === '' ? undefined : env[name];
    const result = setting.schema.safeParse(text ?? setting.default);
    if (result.success) values[name] = result.data;
    else
      faults.push(
        `${name} ${text === undefined ? 'is required' : result.error.issues.map((issue) => issue.message).join(', ')}`,
      );
  }
  if (faults.length > 0) throw new ConfigurationFaults(faults);
  return values as Values<S>;
}

/** A setting, with its type kept. */
export function setting<T>(entry: Setting<T>): Setting<T> {
  return entry;
}

export const text = z.string().min(1, 'is empty');

export function wholeNumber(from: number, to: number): z.ZodType<number> {
  return z
    .string()
    .regex(/^(0|[1-9][0-9]*)$/, `must be a whole number from ${from} to ${to}`)
    .transform(Number)
    .refine((value) => value >= from && value <= to, `must be a whole number from ${from} to ${to}`);
}

export const onOff = z.enum(['true', 'false'], 'must be true or false').transform((value) => value === 'true');

/**
 * `:8080`, `127.0.0.1:8080`, `[::1]:8080` → host and port; without a host every address of the machine, of both
 * families (`::`).
 */
export const listenAddress = z.string().transform((value, context) => {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:[\]]*)):([0-9]{1,5})$/.exec(value);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    context.addIssue({ code: 'custom', message: 'must look like :8080 or 127.0.0.1:8080' });
    return z.NEVER;
  }
  return { host: match[1] ?? (match[2] === '' || match[2] === undefined ? '::' : match[2]), port };
});

const unitMilliseconds: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** `30s`, `5m`, `1h30m` → milliseconds; more than zero. */
export const duration = z.string().transform((value, context) => {
  const parts = [...value.matchAll(/([0-9]+)(ms|s|m|h)/g)];
  const milliseconds = parts.reduce((sum, part) => sum + Number(part[1]) * unitMilliseconds[part[2]!]!, 0);
  if (parts.map((part) => part[0]).join('') !== value || milliseconds <= 0 || !Number.isSafeInteger(milliseconds)) {
    context.addIssue({ code: 'custom', message: 'must be a duration such as 30s or 5m' });
    return z.NEVER;
  }
  return milliseconds;
});

/** Runs a start-up step; configuration faults are printed one a line and end the process with 78. */
export function orExit<T>(load: () => T): T {
  try {
    return load();
  } catch (error) {
    if (!(error instanceof ConfigurationFaults)) throw error;
    for (const fault of error.faults) console.error(`configuration: ${fault}`);
    process.exit(configurationExitCode);
  }
}
