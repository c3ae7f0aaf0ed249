/**
 * Parses a command line. Nothing starts, no setting is read and no file is touched before the whole line is
 * understood.
 */
import { parseArgs } from 'node:util';

export interface Command {
  /** The command in the usage. */
  readonly form: string;
  readonly meaning: string;
  readonly options?: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
  /** The number of words beside its options. */
  readonly words: readonly [least: number, most: number];
  /** @returns the fault of the words or options, if any */
  readonly check?: (line: ParsedLine) => string | undefined;
}

export interface ParsedLine {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

export interface Program<Name extends string> {
  readonly name: string;
  /** The purpose of `serve`, the command without a word. */
  readonly serves: string;
  /** The address of the documentation of its settings. */
  readonly settings: string;
  /** Commands by name; a name may have two words, such as `audit verify`. */
  readonly commands: Readonly<Record<Name, Command>>;
}

export type CommandLine<Name extends string> =
  | { readonly kind: 'serve' }
  | ({ readonly kind: 'run'; readonly name: Name } & ParsedLine)
  /** Print and end: `code` 0 on standard output, 64 (EX_USAGE of sysexits.h) on standard error. */
  | { readonly kind: 'print'; readonly text: string; readonly code: 0 | 64 };

/** EX_USAGE of sysexits.h. */
export const usageExitCode = 64;

export function usage<Name extends string>(program: Program<Name>, version: string): string {
  const rows = [
    ['serve', `${program.serves} (the default)`],
    ...Object.values<Command>(program.commands).map(({ form, meaning }) => [form, meaning]),
    ['--help, --version', 'print this, or the version'],
  ] as const;
  const width = Math.max(...rows.map(([form]) => form!.length)) + 2;
  return [
    `${program.name} ${version}`,
    ...rows.map(([form, meaning]) => `  ${form!.padEnd(width)}${meaning!}`),
    `Settings are environment variables; see ${program.settings}.`,
  ].join('\n');
}

/** @param argv the words after the program's name */
export function parseCommandLine<Name extends string>(
  program: Program<Name>,
  argv: readonly string[],
  version: string,
): CommandLine<Name> {
  const [first] = argv;
  const wantsHelp = (words: readonly string[]) => words.includes('--help') || words.includes('-h');
  if (first === undefined) return { kind: 'serve' };
  if (first === 'help' || first === '--help' || first === '-h')
    return { kind: 'print', text: usage(program, version), code: 0 };
  if (first === 'version' || first === '--version' || first === '-v') return { kind: 'print', text: version, code: 0 };
  if (first === 'serve') {
    if (argv.length === 1) return { kind: 'serve' };
    return wantsHelp(argv)
      ? { kind: 'print', text: `usage: serve\n${program.serves}`, code: 0 }
      : { kind: 'print', text: 'serve: takes no arguments\nusage: serve', code: 64 };
  }

  const name = [argv.slice(0, 2).join(' '), first].find((words): words is Name =>
    Object.hasOwn(program.commands, words),
  );
  if (name === undefined) {
    const seconds = Object.keys(program.commands).filter((words) => words.startsWith(`${first} `));
    const fault =
      seconds.length === 0
        ? `there is no command ${argv.join(' ')}`
        : `after ${first} comes one of: ${seconds.map((words) => words.slice(first.length + 1)).join(', ')}`;
    return { kind: 'print', text: `${fault}\n\n${usage(program, version)}`, code: 64 };
  }
  const command: Command = program.commands[name];
  const restArguments = argv.slice(name.split(' ').length);
  const refuse = (reason: string): CommandLine<Name> => ({
    kind: 'print',
    text: `${name}: ${reason}\nusage: ${command.form}`,
    code: 64,
  });
  if (wantsHelp(restArguments)) return { kind: 'print', text: `usage: ${command.form}\n${command.meaning}`, code: 0 };
  let line: ParsedLine;
  try {
    const result = parseArgs({
      args: [...restArguments],
      options: command.options ?? {},
      allowPositionals: true,
      strict: true,
    });
    line = { words: result.positionals, options: result.values as ParsedLine['options'] };
  } catch (error) {
    return refuse((error as Error).message.split(/\.\s/)[0]!);
  }
  const [min, max] = command.words;
  if (line.words.length < min) return refuse(`${namesOf(name, command).slice(line.words.length).join(' ')} is missing`);
  if (line.words.length > max) return refuse(max === 0 ? 'takes no arguments' : 'too many arguments');
  const fault = command.check?.(line);
  return fault === undefined ? { kind: 'run', name, ...line } : refuse(fault);
}

/** Carries out the parsed line. */
export async function runProgram<Name extends string>(
  line: CommandLine<Name>,
  actions: { serve(): Promise<void>; run(command: Extract<CommandLine<Name>, { kind: 'run' }>): Promise<void> },
): Promise<void> {
  if (line.kind === 'serve') return actions.serve();
  if (line.kind === 'run') return actions.run(line);
  (line.code === 0 ? process.stdout : process.stderr).write(`${line.text}\n`);
  process.exitCode = line.code;
}

/** The arguments in the usage: everything beside the command and its options. */
function namesOf(name: string, { form }: Command): string[] {
  return form
    .slice(name.length)
    .replace(/\[?--[^\]]*\]?/g, '')
    .split(' ')
    .filter((word) => word !== '');
}
