// The client generators that are tried on the contract. Each gets the documents one after the other, a folder to write
// into, and has one call in `calls/` that it must be able to make.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * `reads`: the version of OpenAPI that it is given. `generate` runs a program of node_modules/.bin with `run`, in the
 * folder, or is a function of a library. Clients are TypeScript, unless `needs` names the programs of another language.
 */
export const generators = [
  {
    name: 'openapi-typescript',
    reads: '3.1',
    generate: (document, folder, run) => run('openapi-typescript', [document, '-o', join(folder, 'schema.ts')]),
  },
  {
    name: '@hey-api/openapi-ts',
    reads: '3.1',
    generate: (document, folder, run) =>
      run('openapi-ts', ['-i', document, '-o', folder, '-c', '@hey-api/client-fetch', '--no-log-file']),
  },
  {
    name: 'orval',
    reads: '3.1',
    generate: (document, folder, run) =>
      run('orval', ['--input', document, '--output', join(folder, 'client.ts'), '--client', 'fetch']),
  },
  {
    name: 'oazapfts',
    reads: '3.1',
    generate: (document, folder, run) => run('oazapfts', [document, join(folder, 'client.ts')]),
  },
  {
    name: 'swagger-typescript-api',
    reads: '3.1',
    generate: (document, folder, run) =>
      run('swagger-typescript-api', ['generate', '-p', document, '-o', folder, '-n', 'client.ts']),
  },
  {
    name: 'openapi-typescript-codegen',
    reads: '3.0',
    generate: (document, folder, run) => run('openapi', ['-i', document, '-o', folder, '-c', 'fetch', '--useOptions']),
  },
  {
    name: 'openapi-zod-client',
    reads: '3.0',
    generate: (document, folder, run) =>
      run('openapi-zod-client', [document, '-o', join(folder, 'client.ts'), '--export-schemas']),
  },
  {
    name: 'kubb',
    reads: '3.1',
    generate: (document, folder, run) => {
      writeFileSync(
        join(folder, 'kubb.config.mjs'),
        `import { defineConfig } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
export default defineConfig({
  root: ${JSON.stringify(folder)},
  input: { path: ${JSON.stringify(document)} },
  output: { path: ${JSON.stringify(join(folder, 'src'))}, extension: { '.ts': '' } },
  plugins: [pluginOas(), pluginTs(), pluginClient({ client: 'fetch', bundle: true })],
});
`,
      );
      // It writes below the working directory too.
      return run('kubb', ['generate', '--config', join(folder, 'kubb.config.mjs')], folder);
    },
  },
  // The last OpenAPI Generator that npm has with its Java archive in it.
  openApiGenerator('ruby', (folder) => ['-I', join(folder, 'lib'), '-e', "require 'openapi_client'"]),
  openApiGenerator('php', (folder) => [
    ...['-d', 'opcache.enable_cli=1', '-r'],
    `foreach (new RegexIterator(new RecursiveIteratorIterator(new RecursiveDirectoryIterator('${folder}/lib')), '/php$/') as $file) opcache_compile_file($file);`,
  ]),
];

/** @param load arguments with which the language reads every file of a client */
function openApiGenerator(language, load) {
  return {
    name: `openapi-generator ${language}`,
    package: '@openapitools/openapi-generator-cli',
    reads: '3.0',
    needs: ['java', language],
    generate: (document, folder, run) =>
      run('openapi-generator', ['generate', '-g', language, '-i', document, '-o', folder, '--skip-validate-spec']),
    load,
    call: { ruby: 'openapi-generator.rb', php: 'openapi-generator.php' }[language],
  };
}

/** The events have no client; their payloads become classes. Python and Java are generated and read as text. */
export async function modelEvents(document, folder) {
  const { JavaGenerator, PythonGenerator, TypeScriptGenerator } = await import('@asyncapi/modelina');
  const events = JSON.parse(readFileSync(document, 'utf8'));
  const models = {};
  for (const [language, generator] of [
    ['ts', new TypeScriptGenerator({ modelType: 'interface' })],
    ['py', new PythonGenerator()],
    ['java', new JavaGenerator()],
  ])
    models[language] = await generator.generate(events);
  writeFileSync(
    join(folder, 'events.ts'),
    models.ts.map(({ result }) => `export ${result.replace(/^export default .*$/gm, '')}`).join('\n\n'),
  );
  const names = models.ts.map(({ modelName }) => modelName);
  const odd = names.filter((name) => /^Anonymous|Roundleft|Reserved/.test(name));
  if (odd.length > 0) throw new Error(`Modelina invents the names ${odd.join(', ')}`);
  for (const language of ['py', 'java']) {
    if (models[language].length < 20)
      throw new Error(`Modelina writes only ${models[language].length} ${language} models`);
    const wrong = models[language].filter(({ result }) => /undefined|\[object Object\]/.test(result));
    if (wrong.length > 0) throw new Error(`Modelina does not understand ${wrong.map(({ modelName }) => modelName)}`);
  }
}
