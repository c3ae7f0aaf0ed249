/** `clockproof-verify`: checks a person's proof file, and asks the indexes that its user names. */
import { readFileSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { askIndex, type Fetch } from './ask.js';
import { checkProof, type Step } from './check.js';
import { indexAddress, isSender } from './questions.js';
import { maxFileBytes, textOfFile } from './read-file.js';
import { type Language, outcomes, sentenceOf, words } from './words.js';

export const usage = `usage: clockproof-verify FILE [--company TOKEN] [--person TOKEN] [--sender ADDRESS] [--index URL]… [--lang de]
Checks a proof file. Tokens, sender and indexes are what you know from elsewhere; the file cannot vouch for itself.
Ends with 0 if nothing failed, 1 if a step failed, 2 if something that you asked for stayed open,
64 if the file or the command line cannot be read.`;

export interface CommandContext {
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
  readonly fetch: Fetch;
}

/** @param argv the words after the program's name. @returns the exit code; 64 (EX_USAGE) for a line it cannot follow */
export async function verifyCommand(argv: readonly string[], context: CommandContext): Promise<number> {
  // Text from a file or an index must not move the cursor of a terminal.
  const print = (line: string) => context.print(line.replace(/\p{Cc}/gu, '\ufffd'));
  let options: ReturnType<typeof read>;
  let text: string;
  try {
    options = read(argv);
    if (options.help) {
      context.print(usage);
      return 0;
    }
    text = statSync(options.path).size > maxFileBytes ? '' : textOfFile(readFileSync(options.path));
  } catch (error) {
    context.complain(`${(error as Error).message}\n${usage}`);
    return 64;
  }
  const { expectation, indexes, language } = options;
  const { file } = checkProof(text);
  const answers =
    file === undefined
      ? []
      : await Promise.all(indexes.map((index) => askIndex(index, file, expectation.sender, context.fetch)));
  const { steps } = checkProof(text, expectation, answers);
  for (const step of steps)
    print(
      `${step.number}. ${words[language].titles[step.number - 1]}: ${outcomes[language][step.outcome]}. ${sentenceOf(step, language)}`,
    );
  if (steps.some(({ outcome }) => outcome === 'failed')) return 1;
  const wasAsked = ({ number, word }: Step) =>
    number === 5 || number === 7
      ? indexes.length > 0
      : number === 6
        ? expectation.sender !== undefined
        : word === 'not_done';
  return steps.some((step) => step.outcome === 'open' && wasAsked(step)) ? 2 : 0;
}

function read(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      company: text,
      person: text,
      sender: text,
      index: { type: 'string', multiple: true },
      lang: text,
      help: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const [path = ''] = positionals;
  if (values.help !== true && positionals.length !== 1) throw new Error('name one file');
  if (values.sender !== undefined && !isSender(values.sender)) throw new Error('a sender is 0x and hexadecimal digits');
  const addresses = (values.index ?? []).map(indexAddress);
  const indexes = [...new Set(addresses)].filter((address) => address !== undefined);
  if (addresses.includes(undefined)) throw new Error('an index is an address, for example https://index.example');
  const language: Language = values.lang === 'de' ? 'de' : 'en';
  const expectation = { company: values.company, person: values.person, sender: values.sender };
  return { path, expectation, indexes, language, help: values.help === true };
}
