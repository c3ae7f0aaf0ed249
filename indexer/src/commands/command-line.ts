/**
 * What a command line asks for. Nothing starts, no setting is read and no file is touched before the whole line is
 * understood.
 */
import { parseArgs } from 'node:util';

interface Command {
  /** As the usage shows it. */
  readonly form: string;
  readonly meaning: string;
  readonly options?: Readonly<Record<string, { readonly type: 'string' | 'boolean' }>>;
  /** How many words it takes beside its options. */
  readonly words: readonly [least: number, most: number];
  /** @returns what is wrong with the words or options, if anything is */
  readonly check?: (line: ParsedLine) => string | undefined;
}

interface ParsedLine {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
}

const isUrl = (word: string) => /^https?:\/\/[^/]/.test(word);

const commands = {
  reindex: {
    form: 'reindex --from N',
    meaning: 'read everything from checkpoint N on again',
    options: { from: { type: 'string' } },
    words: [0, 0],
    check: ({ options }) =>
      /^(0|[1-9][0-9]{0,14})$/.test(String(options['from']))
        ? undefined
        : 'say from which checkpoint on, for example reindex --from 0',
  },
  export: {
    form: 'export [FILE]',
    meaning: 'write every proof with its evidence, one JSON object a line',
    words: [0, 1],
  },
  import: {
    form: 'import [FILE]',
    meaning: 'take proofs of another index, each after asking the ledger for it',
    words: [0, 1],
  },
  settle: {
    form: 'settle',
    meaning: 'settle disputed proofs by asking the ledger for their transactions',
    words: [0, 0],
  },
  recheck: {
    form: 'recheck [--remove]',
    meaning: 'ask the ledger for every stored transaction; with --remove take back what is not on this chain',
    options: { remove: { type: 'boolean' } },
    words: [0, 0],
  },
  doctor: { form: 'doctor', meaning: 'check configuration, database and ledger', words: [0, 0] },
  compare: {
    form: 'compare [--full] URL URL',
    meaning: 'compare two indexes over their APIs; with --full recalculate their digests from their lists',
    options: { full: { type: 'boolean' } },
    words: [2, 2],
    check: ({ words }) =>
      words.every(isUrl)
        ? undefined
        : 'name two indexes, for example compare https://proofs.one.example https://proofs.two.example',
  },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandName = keyof typeof commands;

export type CommandLine =
  | { readonly kind: 'serve' }
  | {
      readonly kind: 'run';
      readonly name: CommandName;
      readonly words: readonly string[];
      readonly options: ParsedLine['options'];
    }
  /** Print and end: `code` 0 on standard output, 64 (EX_USAGE of sysexits.h) on standard error. */
  | { readonly kind: 'print'; readonly text: string; readonly code: 0 | 64 };

export function usage(version: string): string {
  const list = Object.values(commands).map(({ form, meaning }) => `  ${form.padEnd(26)}${meaning}`);
  return [
    `clockproof-indexer ${version}`,
    `  ${'(no command)'.padEnd(26)}follow the ledger and serve the verification API`,
    ...list,
    `  ${'--help, --version'.padEnd(26)}print this, or the version`,
    'Settings are environment variables; see docs/operations/indexer.md.',
  ].join('\n');
}

/** @param argv the words after the program's name */
export function parseCommandLine(argv: readonly string[], version: string): CommandLine {
  const [name, ...rest] = argv;
  if (name === undefined) return { kind: 'serve' };
  if (name === 'help' || name === '--help' || name === '-h') return { kind: 'print', text: usage(version), code: 0 };
  if (name === 'version' || name === '--version' || name === '-v') return { kind: 'print', text: version, code: 0 };
  if (!isCommand(name)) return { kind: 'print', text: `there is no command ${name}\n\n${usage(version)}`, code: 64 };
  const command: Command = commands[name];
  const refuse = (reason: string): CommandLine => ({
    kind: 'print',
    text: `${name}: ${reason}\nusage: ${command.form}`,
    code: 64,
  });
  if (rest.includes('--help') || rest.includes('-h'))
    return { kind: 'print', text: `usage: ${command.form}\n  ${command.meaning}`, code: 0 };
  let line: ParsedLine;
  try {
    const parsed = parseArgs({ args: rest, options: command.options ?? {}, allowPositionals: true, strict: true });
    line = { words: parsed.positionals, options: parsed.values as ParsedLine['options'] };
  } catch (error) {
    return refuse((error as Error).message.split(/\.\s/)[0]!);
  }
  const [least, most] = command.words;
  if (line.words.length < least || line.words.length > most)
    return refuse(most === 0 ? 'takes no words' : `takes ${least === most ? most : `${least} or ${most}`} words`);
  const fault = command.check?.(line);
  return fault === undefined ? { kind: 'run', name, ...line } : refuse(fault);
}

function isCommand(name: string): name is CommandName {
  return Object.hasOwn(commands, name);
}
