// What programs read, to take away: the documents, the workflows, and a collection for Bruno.

const files = [
  ['service.yaml', 'the REST API, OAuth and the terminal protocol, OpenAPI 3.1'],
  ['service-3.0.yaml', 'the same in OpenAPI 3.0'],
  ['indexer.yaml', 'the verification service, OpenAPI 3.1'],
  ['indexer-3.0.yaml', 'the same in OpenAPI 3.0'],
  ['events.yaml', 'webhooks and WebSocket, AsyncAPI 3.0'],
  ['app.yaml', 'what the pages call, OpenAPI 3.1; it may change with any version'],
  ['workflows.arazzo.yaml', 'the main jobs request by request, Arazzo 1.0; it names the documents beside it'],
  ['clockproof-bruno.zip', 'a collection for Bruno'],
];
export const documentFiles = files.map(([name]) => name).filter((name) => name.endsWith('.yaml'));

/** @param workflows the parsed Arazzo document */
export const downloads = (workflows) => ({
  path: 'reference/downloads.md',
  title: 'Downloads',
  text: [
    '# Downloads',
    '',
    'The documents of this version as files, and what was made from them.',
    '',
    '| File | What it is |',
    '|---|---|',
    ...files.map(([name, description]) => `| [${name}](../downloads/${name}) | ${description} |`),
    '',
    '## Workflows',
    '',
    'Each workflow is a job from the first request to the last, in a form that programs can run:',
    '',
    '```',
    'npx @redocly/cli respect workflows.arazzo.yaml --workflow first-request \\',
    '    --input apiKey=cpk_… --server service=http://localhost:8080',
    '```',
    '',
    '| Workflow | What it does | Inputs |',
    '|---|---|---|',
    ...workflows.workflows.map(
      ({ workflowId, description, inputs }) =>
        `| \`${workflowId}\` | ${description.trim().replace(/\s+/g, ' ')} | ${Object.keys(inputs.properties)
          .map((name) => `\`${name}\``)
          .join(', ')} |`,
    ),
    '',
    '## Bruno',
    '',
    'Unpack `clockproof-bruno.zip` and open the folder in [Bruno](https://www.usebruno.com). Choose the environment *Local*, set `baseUrl` and the secret `apiKey`, and send the requests of a folder from the top. Stamps and absences are recorded for a person of the company, so use a company for tests. On the command line:',
    '',
    '```',
    'npx @usebruno/cli run -r --env Local --env-var baseUrl=http://localhost:8080 --env-var apiKey=cpk_… --exclude-tags link',
    '```',
    '',
    'Requests of terminals and the WebSocket are not in it: Bruno cannot sign the former.',
    '',
  ].join('\n'),
});
