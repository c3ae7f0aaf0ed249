import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pagesOf } from '@clockproof/platform/http/pages';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { pagePaths } from '../src/http/page-paths.js';
import { createPages } from '../src/http/pages.js';

describe('the pages of the web application', () => {
  let folder: string;
  const servers: Server[] = [];
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'pages-'));
    mkdirSync(join(folder, 'assets'));
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Clockproof</title>');
    writeFileSync(join(folder, 'assets', 'index-abc.js'), `export const text = '${'x'.repeat(4_000)}';`);
    writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
    for (const server of servers) server.close();
  });
  async function serve(options: {
    folder: string;
    extensionsEnabled: boolean;
  }): Promise<(path: string, init?: RequestInit) => Promise<Response>> {
    const app = express()
      .use(pagesOf(createPages(options)))
      .use((_, response) => void response.writeHead(404).end('left alone'));
    const server = createServer(app);
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (path, init) => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, init);
  }

  /** As a browser that goes to an address; fetch does not let one say so. */
  async function visit(
    get: Awaited<ReturnType<typeof serve>>,
    path: string,
    language = '',
  ): Promise<{ status: number; text: string; policy: string }> {
    const { url } = await get('/icon.svg');
    return new Promise((resolve, reject) => {
      const request = send(
        new URL(path, url),
        { headers: { 'sec-fetch-mode': 'navigate', ...(language === '' ? {} : { 'accept-language': language }) } },
        (response) => {
          let text = '';
          response
            .setEncoding('utf8')
            .on('data', (part: string) => {
              text += part;
            })
            .on('end', () =>
              resolve({
                status: response.statusCode!,
                text,
                policy: String(response.headers['content-security-policy']),
              }),
            );
        },
      );
      request.on('error', reject).end();
    });
  }

  it('a page tells the application that there is no session without a cookie, and nothing otherwise', async () => {
    writeFileSync(join(folder, 'index.html'), '<!doctype html><html lang="en"><title>Clockproof</title>');
    const get = await serve({ folder, extensionsEnabled: true });
    writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Clockproof</title>');
    expect(await (await get('/')).text()).toContain('<html data-visitor lang="en">');
    const answer = await get('/', { headers: { cookie: '__Host-session=x' } });
    expect(await answer.text()).toContain('<html lang="en">');
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  it('every page address is answered with the application, uncached and unframed', async () => {
    const get = await serve({ folder, extensionsEnabled: true });
    for (const path of pagePaths) {
      const answer = await get(path.replace(':id', 'ext_5T9WCP2H'));
      expect([path, answer.status, await answer.text()]).toEqual([
        path,
        200,
        '<!doctype html><title>Clockproof</title>',
      ]);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
      });
      const policy = answer.headers.get('content-security-policy')!.split('; ');
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'self'",
      ])
        expect(policy).toContain(rule);
      expect(policy.join()).not.toContain('unsafe');
    }
    expect((await get('/sign-in?next=/admin')).status).toBe(200);
  });

  it('the pages leave every other address, and every other method, alone', async () => {
    const get = await serve({ folder, extensionsEnabled: true });
    for (const path of [
      '/nothing',
      '/profile/',
      '/profile/nothing',
      '/admin',
      '/admin/extensions/a/b',
      '/admin/extensions/',
      '/assets/other.js',
      '/assets/../index.html',
      '/%2e%2e/package.json',
      '/index.html',
      '//',
    ]) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    expect((await get('/', { method: 'POST' })).status).toBe(404);
    const head = await get('/', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  it('a browser gets a page with status 404 at an unknown address', async () => {
    const get = await serve({ folder, extensionsEnabled: true });
    const answer = await visit(get, '/nothing');
    expect([answer.status, answer.text.includes('There is no such page')]).toEqual([404, true]);
    expect(answer.text).not.toContain('Diese Seite');
    const languages = [
      ['de-AT,de;q=0.9,en;q=0.8', 'de'],
      ['en-GB, de', 'en'],
      ['fr, en;q=0.3, de;q=0.7', 'de'],
      ['de;q=0, en', 'en'],
      ['fr', 'en'],
      ['*', 'en'],
      ['den', 'en'],
      [';;q=x,,', 'en'],
    ] as const;
    for (const [header, language] of languages)
      expect([header, /<html lang="(..)">/.exec((await visit(get, '/nothing', header)).text)?.[1]]).toEqual([
        header,
        language,
      ]);
    // The style is the one that the policy lets in.
    const style = /<style>(.*)<\/style>/s.exec(answer.text)![1]!;
    expect(answer.policy.split('; ')).toContain(
      `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    );
    for (const path of ['/api/v1/nothing', '/app/nothing', '/oauth/nothing', '/assets/nothing.js'])
      expect((await visit(get, path)).text).toBe('left alone');
  });

  it('the application has no page about extensions where extensions are switched off', async () => {
    const get = await serve({ folder, extensionsEnabled: false });
    for (const path of ['/admin/extensions', '/admin/extensions/new', '/admin/extensions/ext_5T9WCP2H']) {
      expect([path, (await get(path)).status, (await visit(get, path)).status]).toEqual([path, 404, 404]);
    }
    expect((await get('/admin/access')).status).toBe(200);
  });

  it('hashed files are cached permanently, compressed on request, and not sent again', async () => {
    const get = await serve({ folder, extensionsEnabled: true });
    const plainAnswer = await get('/assets/index-abc.js', { headers: { 'accept-encoding': 'identity' } });
    expect(Object.fromEntries(plainAnswer.headers)).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
    });
    const text = await plainAnswer.text();
    for (const [encodings, encoding] of [
      ['gzip', 'gzip'],
      ['gzip, br', 'br'],
    ] as const) {
      const answer = await get('/assets/index-abc.js', { headers: { 'accept-encoding': encodings } });
      expect([answer.headers.get('content-encoding'), await answer.text()]).toEqual([encoding, text]);
    }
    // Not by fetch, which asks with `Cache-Control: no-cache` as well.
    const status = await new Promise<number>((resolve) =>
      send(plainAnswer.url, { headers: { 'if-none-match': plainAnswer.headers.get('etag')! } }, (response) =>
        resolve(response.resume().statusCode!),
      ).end(),
    );
    expect(status).toBe(304);
    expect((await get('/icon.svg')).headers.get('content-type')).toBe('image/svg+xml');
  });

  it('a missing build of the pages is answered with the build instructions', async () => {
    const get = await serve({ folder: join(folder, 'nowhere'), extensionsEnabled: true });
    const answer = await get('/');
    expect([answer.status, (await answer.text()).includes('make build')]).toEqual([503, true]);
  });
});
