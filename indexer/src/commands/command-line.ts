/** The commands of the indexer. */
import * as cli from '@clockproof/platform/cli/command-line';

const isUrl = (word: string) => /^https?:\/\/[^/]/.test(word);

const commands = {
  reindex: {
    form: 'reindex --from N',
    meaning: 'read everything again from checkpoint N on',
    options: { from: { type: 'string' } },
    words: [0, 0],
    check: ({ options }) =>
      /^(0|[1-9][0-9]{0,14})$/.test(String(options['from']))
        ? undefined
        : 'name the first checkpoint, for example reindex --from 0',
  },
  export: {
    form: 'export [FILE]',
    meaning: 'write every proof with its evidence, one JSON object per line',
    words: [0, 1],
  },
  import: {
    form: 'import [FILE]',
    meaning: 'import proofs of another index, each after the ledger has confirmed it',
    words: [0, 1],
  },
  settle: {
    form: 'settle',
    meaning: 'settle disputed proofs by asking the ledger for their transactions',
    words: [0, 0],
  },
  recheck: {
    form: 'recheck [--remove]',
    meaning: 'ask the ledger for every stored transaction; with --remove, remove those that are not on this chain',
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
} as const satisfies Readonly<Record<string, cli.Command>>;

export type CommandName = keyof typeof commands;
export type CommandLine = cli.CommandLine<CommandName>;

const program: cli.Program<CommandName> = {
  name: 'clockproof-indexer',
  serves: 'follow the ledger and serve the verification API',
  settings: 'docs/operations/indexer.md',
  commands,
};

export const usage = (version: string): string => cli.usage(program, version);

/** @param argv the words after the program's name */
export const parseCommandLine = (argv: readonly string[], version: string): CommandLine =>
  cli.parseCommandLine(program, argv, version);
