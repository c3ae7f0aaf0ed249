/** Runs the samples of the reference, all of a language in one process, and holds their output against the document. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { formats } from '../http/formats.js';
import { repository, sampleFolder } from './guide.js';

export const sampleLanguages = ['curl', 'typescript', 'python'] as const;
type Language = (typeof sampleLanguages)[number];

export interface Sample extends Readonly<Record<Language, string>> {
  /** Names of the environment variables that the sample reads. */
  readonly variables: readonly string[];
}
/** The place of the program for an operation that is no single request. */
export interface Elsewhere {
  readonly guide: string;
  readonly note: string;
}

const readDocument = (path: string) => JSON.parse(readFileSync(join(repository, path), 'utf8')) as unknown;

/** Samples by operationId, in the order of the document. */
export const samplesOf = (document: 'service' | 'indexer') =>
  readDocument(`dist/openapi/${document}-samples.json`) as Readonly<Record<string, Sample | Elsewhere>>;

const endings = { curl: 'sh', typescript: 'mts', python: 'py' } as const;
const drivers: Readonly<Record<Language, { readonly start: readonly string[]; readonly code: string }>> = {
  curl: {
    start: ['bash'],
    code: `while read -r name; do
  ( set -ae; . "./$name.env.sh"; . "./$name.sh" ) > "$name.out" 2> "$name.err" && mv "$name.out" "$name.ok"
done < names`,
  },
  typescript: {
    start: [process.execPath, '--import', 'tsx'],
    code: `import { readFileSync, writeFileSync } from 'node:fs';
for (const name of readFileSync('names', 'utf8').trim().split('\\n')) {
  Object.assign(process.env, JSON.parse(readFileSync(name + '.env.json', 'utf8')));
  const lines = [];
  console.log = (line) => lines.push(line);
  try {
    await import('./' + name + '.mts');
    writeFileSync(name + '.ok', lines.join('\\n'));
  } catch (error) {
    writeFileSync(name + '.err', String(error));
  }
}`,
  },
  python: {
    start: ['python3'],
    code: `import contextlib, io, json, os, urllib.error
for name in open("names").read().split():
    os.environ.update(json.load(open(name + ".env.json")))
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(open(name + ".py").read(), name, "exec"), {})
        open(name + ".ok", "w").write(printed.getvalue())
    except Exception as error:
        body = error.read().decode() if isinstance(error, urllib.error.HTTPError) else ""
        open(name + ".err", "w").write(f"{error} {body}")`,
  },
};

/**
 * Runs samples one after the other.
 * @returns the fault of each that failed, or that printed anything but a success of the document
 */
export async function faultsOfSamples(
  document: 'service' | 'indexer',
  language: Language,
  samples: readonly { readonly id: string; readonly env: Readonly<Record<string, string>> }[],
): Promise<string[]> {
  const allSamples = samplesOf(document);
  const folder = sampleFolder();
  try {
    folder.save('names', samples.map(({ id }) => `${id}\n`).join(''));
    for (const { id, env } of samples) {
      const sample = allSamples[id] as Sample;
      const variables = Object.fromEntries(sample.variables.map((name) => [name, env[name] ?? '']));
      folder.save(`${id}.${endings[language]}`, sample[language]);
      folder.save(`${id}.env.json`, JSON.stringify(variables));
      const lines = Object.entries(variables).map(([name, value]) => `${name}='${value}'\n`);
      folder.save(`${id}.env.sh`, lines.join(''));
    }
    const { start, code } = drivers[language];
    const [command, ...options] = start;
    const driver = folder.save(`driver.${language === 'typescript' ? 'mjs' : endings[language]}`, code);
    await promisify(execFile)(command!, [...options, driver], {
      cwd: folder.path,
      env: { PATH: process.env['PATH'] ?? '', HOME: join(folder.path, 'home') },
    });
    const text = (name: string) => readFileSync(join(folder.path, name), 'utf8');
    const isAnswer = answersOf(document);
    return samples.flatMap(({ id }) => {
      if (!existsSync(join(folder.path, `${id}.ok`))) return [`${id}: ${text(`${id}.err`)}`];
      const output = text(`${id}.ok`);
      return isAnswer(id, output) ? [] : [`${id}: not as documented: ${output.slice(0, 500)}`];
    });
  } finally {
    folder.remove();
  }
}

interface Operation {
  readonly operationId?: string;
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

/** Tells whether a text is the JSON of a success of an operation. */
type IsAnswer = (id: string, text: string) => boolean;
const judges = new Map<string, IsAnswer>();

function answersOf(name: string): IsAnswer {
  const judge = judges.get(name) ?? judgeOf(name);
  judges.set(name, judge);
  return judge;
}

function judgeOf(name: string): IsAnswer {
  const document = readDocument(`dist/openapi/${name}.json`) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const ajv = new Ajv2020({ strict: false, formats: { ...formats, int32: true, int64: true, double: true } });
  ajv.addSchema({ ...document, $id: name });
  const part = (text: string) => text.replaceAll('~', '~0').replaceAll('/', '~1');
  return (id, text) =>
    Object.entries(document.paths).some(([path, item]) =>
      Object.entries(item)
        .filter(([, operation]) => operation.operationId === id)
        .some(([method, { responses }]) =>
          Object.keys(responses)
            .filter((status) => status.startsWith('2') && responses[status]!.content !== undefined)
            .some((status) =>
              ajv.validate(
                {
                  $ref: `${name}#/paths/${encodeURIComponent(part(path))}/${method}/responses/${status}/content/application~1json/schema`,
                },
                JSON.parse(text),
              ),
            ),
        ),
    );
}
