/** The documentation that an installation serves: what integrators read, and what programs find. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { blocksOf, runSample, sampleFolder } from '@clockproof/platform/testing/guide';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWorld, type World } from './world.js';

const baseUrl = 'https://zeit.example:8443';
const repository = fileURLToPath(new URL('../../', import.meta.url));

describe('the documentation of an installation', () => {
  let world: World;
  beforeAll(async () => {
    if (!existsSync(join(repository, 'dist/docs/policy.json')))
      execFileSync('npx', ['vitepress', 'build', 'docs'], { cwd: repository });
    world = await createWorld('sqlite', { env: { BASE_URL: baseUrl }, documented: true });
  });
  afterAll(() => world.close());
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(world.url + path, { headers, redirect: 'manual' });

  it('the documentation describes the API in OpenAPI 3.1 and 3.0, with this address, for any origin', async () => {
    for (const [path, version] of [
      ['/api/v1/openapi.json', /^3\.1\./],
      ['/api/v1/openapi-3.0.json', /^3\.0\./],
    ] as const) {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      const document = (await response.json()) as { openapi: string; servers: { url: string }[]; paths: object };
      expect(document.openapi).toMatch(version);
      expect(document.servers).toEqual([{ url: baseUrl, description: 'This installation' }]);
      expect(document.paths).toHaveProperty(['/api/v1/users']);
    }
  });

  it('the documentation names only addresses of this installation: documentation, terms, servers', async () => {
    for (const path of ['/api/v1/openapi.json', '/api/v1/openapi-3.0.json', '/api/v1/asyncapi.json']) {
      const { info } = (await (await get(path)).json()) as {
        info: { termsOfService: string; contact: { url: string } };
      };
      expect([path, info.contact.url, info.termsOfService]).toEqual([
        path,
        `${baseUrl}/docs/`,
        `${baseUrl}/docs/terms.html`,
      ]);
      for (const address of [info.contact.url, info.termsOfService])
        expect([address, (await get(address.slice(baseUrl.length))).status]).toEqual([address, 200]);
    }
  });

  it('the documentation describes the events in AsyncAPI', async () => {
    const document = (await (await get('/api/v1/asyncapi.json')).json()) as {
      asyncapi: string;
      servers: { installation: object };
    };
    expect(document.asyncapi).toMatch(/^3\./);
    expect(document.servers.installation).toMatchObject({ host: 'zeit.example:8443', protocol: 'wss' });
  });

  it('the documentation is not sent again to a client that has it', async () => {
    const tag = (await get('/api/v1/openapi.json')).headers.get('etag')!;
    expect((await get('/api/v1/openapi.json', { 'if-none-match': tag })).status).toBe(304);
  });

  it('the documentation says which permission an operation needs', async () => {
    const { paths } = (await (await get('/api/v1/openapi.json')).json()) as {
      paths: Record<string, { get: { description: string } }>;
    };
    expect(paths['/api/v1/users']!.get.description).toContain('Permission: `read:users`.');
  });

  it('the documentation is listed for programs (RFC 9727)', async () => {
    const response = await get('/.well-known/api-catalog');
    expect(response.headers.get('content-type')).toMatch(/^application\/linkset\+json/);
    const { linkset } = (await response.json()) as { linkset: { 'service-desc': { href: string }[] }[] };
    for (const { href } of linkset[0]!['service-desc'])
      expect((await get(href.slice(baseUrl.length))).status).toBe(200);
  });

  it('the documentation has no broken link', async () => {
    expect((await get('/docs')).headers.get('location')).toBe('/docs/');
    const paths = new Set<string>(['/docs/']);
    const brokenPaths: string[] = [];
    for (const path of paths) {
      const response = await get(path);
      if (response.status !== 200) brokenPaths.push(path);
      else if (response.headers.get('content-type')!.startsWith('text/html'))
        for (const [, href] of (await response.text()).matchAll(/(?:href|src)="([^"#]+)[^"]*"/g))
          if (!/^[a-z]+:/.test(href!)) paths.add(new URL(href!, `http://here${path}`).pathname);
    }
    expect(brokenPaths).toEqual([]);
    expect(paths.size).toBeGreaterThan(60);
  });

  it('the documentation has each page as Markdown, and an index of them for language models', async () => {
    const index = await (await get('/llms.txt')).text();
    const pages = [...index.matchAll(/\]\((\/[^)]+)\)/g)].map(([, path]) => path!);
    for (const path of pages) expect([path, (await get(path)).status]).toEqual([path, 200]);
    const page = await get('/docs/guides/first-request.md');
    expect(page.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
  });

  it('the documentation leaves other addresses alone, without its headers', async () => {
    const response = await get('/docs/nothing.html');
    expect(response.status).toBe(404);
    // Pages of any origin may read that there is nothing.
    for (const name of ['content-security-policy', 'etag'])
      expect([name, response.headers.get(name)]).toEqual([name, null]);
  });

  it('the documentation runs only scripts of the site and those of the build', async () => {
    const response = await get('/docs/guides/first-request.html');
    const scripts = /script-src ([^;]*)/.exec(response.headers.get('content-security-policy')!)![1]!;
    expect(scripts).toMatch(/^'self'( 'sha256-[A-Za-z0-9+/]{43}=')+$/);
    const inline = [...(await response.text()).matchAll(/<script(?![^>]* src=)[^>]*>(.*?)<\/script>/gs)];
    expect(inline.length).toBeGreaterThan(0);
    for (const [, text] of inline)
      expect(scripts).toContain(`'sha256-${createHash('sha256').update(text!).digest('base64')}'`);
  });

  it('the documentation lets browsers cache hashed files, and sends them compressed', async () => {
    const page = await (await get('/docs/reference/errors.html')).text();
    const path = /<link rel="preload stylesheet" href="([^"]+)"/.exec(page)![1]!;
    const plain = await get(path, { 'accept-encoding': 'identity' });
    const brotli = await get(path, { 'accept-encoding': 'br' });
    for (const response of [plain, brotli]) {
      expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
      expect(response.headers.get('vary')).toMatch(/accept-encoding/i);
    }
    expect(brotli.headers.get('content-encoding')).toBe('br');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(await brotli.text()).toBe(await plain.text());
  });

  it('the documentation offers the documents, the workflows and the collection for Bruno as files', async () => {
    const page = await (await get('/docs/reference/downloads.html')).text();
    const files = [...page.matchAll(/href="\.\.\/downloads\/([^"]+)"/g)].map(([, name]) => name!);
    expect(files).toEqual(expect.arrayContaining(['service.yaml', 'workflows.arazzo.yaml', 'clockproof-bruno.zip']));
    for (const name of files) {
      const response = await get(`/docs/downloads/${name}`);
      const type = name.endsWith('.zip') ? 'application/zip' : 'application/yaml';
      expect([name, response.headers.get('content-type')]).toEqual([name, type]);
      const firstBytes = Buffer.from(await response.arrayBuffer()).toString('latin1', 0, 16);
      expect([name, firstBytes]).toEqual([name, expect.stringMatching(/^(PK|openapi|asyncapi|# The ma)/)]);
    }
  });

  it('the documentation is enough for a typed client: the commands and the program of the guide', async () => {
    const samples = sampleFolder();
    // The packages are there already.
    const generate = blocksOf('generated-clients.md', 'sh')[0]!.replace(/^npm install .*$/m, '');
    const env = { BASE_URL: world.url, API_KEY: world.planner.key };
    await runSample(samples, 'sh', generate, env);
    const [program] = blocksOf('generated-clients.md', 'ts');
    expect(await runSample(samples, 'ts', program!, env)).toMatch(/^\d+ in\n$/);
    samples.remove();
  });

  it('the documentation explains an error code at the address in the error', async () => {
    const problem = (await (await get('/api/v1/users')).json()) as { code: string; doc_url: string };
    const page = new URL(problem.doc_url);
    const text = await (await get(page.pathname)).text();
    expect(page.hash).toBe(`#${problem.code}`);
    expect(text).toContain(`id="${problem.code}"`);
  });

  it.each(['/docs/../package.json', '/docs/%2e%2e/package.json', '/docs/..%2f..%2fpackage.json', '/docs/assets'])(
    'the documentation serves nothing beside itself: %s',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );

  it('the documentation has a contact for vulnerabilities only where the operator sets one', async () => {
    expect((await get('/.well-known/security.txt')).status).toBe(404);
    const contacts = 'mailto:security@zeit.example, https://zeit.example/security';
    const reachable = await createWorld('sqlite', { env: { BASE_URL: baseUrl, SECURITY_CONTACT: contacts } });
    try {
      const response = await fetch(`${reachable.url}/.well-known/security.txt`);
      expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect((await response.text()).split('\n')).toEqual([
        'Contact: mailto:security@zeit.example',
        'Contact: https://zeit.example/security',
        expect.stringMatching(/^Expires: \d{4}-\d\d-\d\dT00:00:00Z$/),
        'Preferred-Languages: en, de',
        `Canonical: ${baseUrl}/.well-known/security.txt`,
        '',
      ]);
    } finally {
      await reachable.close();
    }
  });
});
