/** The commands of the service. */
import * as cli from '@clockproof/platform/cli/command-line';

const commands = {
  'audit verify': {
    form: 'audit verify [--head ENTRY:HASH] [--heads FILE]',
    meaning: 'check the audit log and every record, with --head or --heads against heads stored earlier',
    options: { head: { type: 'string' }, heads: { type: 'string' } },
    words: [0, 0],
    check: ({ options: { head } }) =>
      head === undefined || /^[1-9][0-9]{0,15}:[0-9a-f]{64}$/.test(String(head))
        ? undefined
        : 'the head must look as audit verify prints it, for example 17:9f86d081…',
  },
  'audit head': {
    form: 'audit head [--append FILE]',
    meaning: 'print the head of the audit log as a signed line, with --append into a file as well',
    options: { append: { type: 'string' } },
    words: [0, 0],
  },
  'data-key replace': {
    form: 'data-key replace --lost [--preview]',
    meaning:
      'give up what a lost DATA_KEY has sealed, and go on with the DATA_KEY that is set; stop the service before',
    options: { lost: { type: 'boolean' }, preview: { type: 'boolean' } },
    words: [0, 0],
    check: ({ options: { lost } }) =>
      lost === true ? undefined : 'say --lost: second factors, PINs, badges and webhook secrets are given up',
  },
  'data-key rotate': {
    form: 'data-key rotate',
    meaning: 'replace DATA_KEY by NEW_DATA_KEY; badges, PINs and second factors stay as they are',
    words: [0, 0],
  },
} as const satisfies Readonly<Record<string, cli.Command>>;

export type CommandName = keyof typeof commands;
export type CommandLine = cli.CommandLine<CommandName>;

const program: cli.Program<CommandName> = {
  name: 'clockproof',
  serves: 'run the service: API, pages and terminals',
  settings: 'docs/operations/configuration.md',
  commands,
};

/** @param argv the words after the program's name */
export const parseCommandLine = (argv: readonly string[], version: string): CommandLine =>
  cli.parseCommandLine(program, argv, version);
