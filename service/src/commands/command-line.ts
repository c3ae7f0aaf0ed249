/** The commands of the service. */
import * as cli from '@clockproof/platform/cli/command-line';
import { readEmailAddress } from '../people/email-address.js';

const isEmail = (word: string) => readEmailAddress(word) !== undefined;

/** The commands, for the usage, the parser and `docs/operations/commands.md`. */
const commands = {
  migrate: {
    form: 'migrate [--dry-run]',
    meaning: 'bring the database to this version; --dry-run only lists the migrations',
    options: { 'dry-run': { type: 'boolean' } },
    words: [0, 0],
  },
  backup: {
    form: 'backup FILE',
    meaning: 'write the whole database into one file while the service runs; encrypted if BACKUP_PASSPHRASE is set',
    words: [1, 1],
  },
  restore: {
    form: 'restore FILE',
    meaning: 'read a backup into an empty database, of either driver',
    words: [1, 1],
  },
  move: {
    form: 'move --to postgres://…',
    meaning: 'copy the database into an empty one on PostgreSQL; stop the service first',
    options: { to: { type: 'string' } },
    words: [0, 0],
    check: ({ options: { to } }) =>
      /^postgres(ql)?:\/\/./.test(String(to))
        ? undefined
        : 'name the target, for example --to postgres://user@host/database',
  },
  doctor: {
    form: 'doctor',
    meaning: 'check settings, database, disk, clock and address, and report what is wrong',
    words: [0, 0],
  },
  'admin invite': {
    form: 'admin invite EMAIL [--name "FIRST LAST"] [--company ID]',
    meaning: 'make a person a super admin and print a link to choose a password; --name adds a new person',
    options: { name: { type: 'string' }, company: { type: 'string' } },
    words: [1, 1],
    check: ({ words: [email], options: { name, company } }) =>
      !isEmail(email!)
        ? 'the first argument must be an e-mail address'
        : name !== undefined && String(name).trim().split(/\s+/).length < 2
          ? 'the name must have a first and a last part, in quotation marks'
          : company !== undefined && !/^[1-9][0-9]{0,14}$/.test(String(company))
            ? 'the company must be a number'
            : undefined,
  },
  'admin reset': {
    form: 'admin reset EMAIL',
    meaning: "end a person's password, second factors and sessions and print a link, the only way back in",
    words: [1, 1],
    check: ({ words: [email] }) => (isEmail(email!) ? undefined : 'the first argument must be an e-mail address'),
  },
  'audit verify': {
    form: 'audit verify [--head ENTRY:HASH] [--heads FILE] [--anchors INDEX --sender ADDRESS]',
    meaning:
      'check the audit log, every record and closed month; --head and --heads compare with heads stored earlier, --anchors with the ledger as an index has it',
    options: {
      head: { type: 'string' },
      heads: { type: 'string' },
      anchors: { type: 'string' },
      sender: { type: 'string' },
    },
    words: [0, 0],
    check: ({ options: { head, anchors, sender } }) => {
      if ((anchors === undefined) !== (sender === undefined))
        return 'name an index and the address of your anchor service: --anchors https://… --sender 0x…';
      if (anchors !== undefined && !/^https?:\/\/./.test(String(anchors)))
        return 'the index must be an address, https://…';
      if (sender !== undefined && !/^0x[0-9a-f]{1,64}$/i.test(String(sender))) return 'the sender must look as 0x4c2f…';
      return head === undefined || /^[1-9][0-9]{0,15}:[0-9a-f]{64}$/.test(String(head))
        ? undefined
        : 'the head must look as audit verify prints it, for example 17:9f86d081…';
    },
  },
  'audit head': {
    form: 'audit head [--append FILE]',
    meaning: 'print the head of the audit log as a signed line; --append also adds it to a file',
    options: { append: { type: 'string' } },
    words: [0, 0],
  },
  'data-key replace': {
    form: 'data-key replace --lost [--preview]',
    meaning:
      'give up everything sealed with a lost DATA_KEY and continue with the one that is set; stop the service first',
    options: { lost: { type: 'boolean' }, preview: { type: 'boolean' } },
    words: [0, 0],
    check: ({ options: { lost } }) =>
      lost === true ? undefined : 'add --lost: second factors, PINs, badges and webhook secrets are given up',
  },
  'data-key rotate': {
    form: 'data-key rotate',
    meaning: 'replace DATA_KEY by NEW_DATA_KEY; badges, PINs and second factors stay valid',
    words: [0, 0],
  },
} as const satisfies Readonly<Record<string, cli.Command>>;

export type CommandName = keyof typeof commands;
export type CommandLine = cli.CommandLine<CommandName>;

export const program: cli.Program<CommandName> = {
  name: 'clockproof',
  serves: 'run the service: API, pages and terminals',
  settings: 'docs/operations/configuration.md',
  commands,
};

/** @param argv the words after the program's name */
export const parseCommandLine = (argv: readonly string[], version: string): CommandLine =>
  cli.parseCommandLine(program, argv, version);
