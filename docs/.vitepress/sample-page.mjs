// Each request of the reference as a sample, on one page: for readers who search, and for programs that read Markdown.
import { meanings } from '../../openapi/tools/samples.mjs';

const languages = [
  ['sh', 'curl'],
  ['ts', 'TypeScript'],
  ['py', 'Python'],
];

/** @param pairs documents with their samples */
export function samplePage(pairs) {
  const variableNames = new Set(
    pairs.flatMap(([, samples]) => Object.values(samples).flatMap(({ variables = [] }) => variables)),
  );
  return {
    path: 'reference/samples.md',
    title: 'Samples',
    text: [
      '# Samples',
      '',
      'A request for each operation, in curl, TypeScript (`npx tsx sample.mts`) and Python. Each sample reads its variables from the environment and prints the response.',
      '',
      '| Variable | What it holds |',
      '|---|---|',
      ...Object.entries(meanings)
        .filter(([name]) => variableNames.has(name))
        .map(([name, meaning]) => `| \`${name}\` | ${meaning} |`),
      '',
      ...pairs.flatMap(([document, samples]) => [`## ${document.info.title}`, '', ...operations(document, samples)]),
    ].join('\n'),
  };
}

const operations = (document, samples) =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, operation]) => operation?.operationId !== undefined)
      .flatMap(([method, { operationId, summary }]) => [
        `### ${summary}`,
        '',
        `\`${method.toUpperCase()} ${path}\``,
        '',
        ...sample(samples[operationId]),
        '',
      ]),
  );

const sample = ({ guide, note, ...code }) =>
  guide === undefined
    ? [
        '::: code-group',
        '',
        ...languages.flatMap(([language, title]) => [
          `\`\`\`${language} [${title}]`,
          code[title.toLowerCase()],
          '```',
          '',
        ]),
        ':::',
      ]
    : [`${note} [Read the guide](../${guide}).`];
