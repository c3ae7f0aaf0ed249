import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { mountDocumentation } from './documentation.js';
import { listen, type RunningServer } from './server.js';

describe('the documentation of an installation', () => {
  const folder = mkdtempSync(join(tmpdir(), 'documentation-'));
  const application = express().enable('strict routing');
  mountDocumentation(application, {
    folder,
    baseUrl: undefined,
    documents: { '/api/openapi.json': 'openapi.json' },
    reference: 'reference.html',
  });
  let server: RunningServer;
  beforeAll(async () => {
    server = await listen(application, { host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    await server.close(100);
    rmSync(folder, { recursive: true });
  });

  it('the documentation of an installation answers 503 until its build is complete, and then serves it', async () => {
    const get = async (path: string) => {
      const response = await fetch(server.url + path);
      return [path, response.status, await response.text()];
    };
    const addresses = ['/docs', '/docs/', '/llms.txt', '/api/openapi.json', '/.well-known/api-catalog'];
    const files = ['index.html', 'llms.txt'];
    for (const file of files) writeFileSync(join(folder, file), file);
    writeFileSync(join(folder, 'openapi.json'), '{}');
    const notBuilt = expect.stringContaining('has not been built yet');
    expect(await Promise.all(addresses.map(get))).toEqual(addresses.map((path) => [path, 503, notBuilt]));
    writeFileSync(join(folder, 'policy.json'), '{"scripts":[]}');
    expect(await Promise.all(addresses.map(get))).toEqual([
      ['/docs', 200, 'index.html'],
      ['/docs/', 200, 'index.html'],
      ['/llms.txt', 200, 'llms.txt'],
      ['/api/openapi.json', 200, '{}'],
      ['/.well-known/api-catalog', 200, expect.stringContaining('/docs/reference.html')],
    ]);
  });
});
