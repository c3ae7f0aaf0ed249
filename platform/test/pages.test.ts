import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express, { type ErrorRequestHandler } from 'express';
import { pagesOf } from '../src/http/pages.js';

describe('pages beside the operations', () => {
  let server: Server;
  beforeAll(async () => {
    const fail: ErrorRequestHandler = (error: Error, _request, response, _next) =>
      void response.writeHead(500).end(error.message);
    const app = express()
      .disable('x-powered-by')
      .use(
        pagesOf((pages) => {
          pages.get('/page', (_request, response) => void response.writeHead(200, { 'x-own': '1' }).end('the page'));
          pages.get('/page/:id', (_request, response) => void response.end('a page of many'));
          pages.get('/broken', () => {
            throw new Error('a mistake of the program');
          });
        }),
      )
      .use((_request, response) => void response.writeHead(404).end('left alone'))
      .use(fail);
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => void server.close());

  const ask = (path: string, method = 'GET') =>
    new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
      // Not fetch: it would put an address in order before it is sent.
      httpRequest({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', path, method }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
      })
        .on('error', reject)
        .end();
    });

  it('pages answer GET and HEAD with the headers of their routes only', async () => {
    const { status, headers, text } = await ask('/page?whatever=1');
    expect([status, text]).toEqual([200, 'the page']);
    expect(Object.keys(headers).sort()).toEqual(['connection', 'date', 'keep-alive', 'transfer-encoding', 'x-own']);
    expect(await ask('/page', 'HEAD')).toMatchObject({ status: 200, headers: { 'x-own': '1' }, text: '' });
    expect(await ask('/page/7')).toMatchObject({ status: 200, text: 'a page of many' });
    // RFC 9112 §3.2.2: the absolute form means the same address.
    expect(await ask('http://elsewhere.example/page')).toMatchObject({ status: 200, text: 'the page' });
  });

  it.each(['/Page', '/page/', '/page//', '//page', '/page/7/8', '/page/%zz', '/../page', '/pag%65', '*'])(
    'the page routes do not match the path %s',
    async (path) => {
      expect(await ask(path)).toMatchObject({ status: 404, text: 'left alone' });
    },
  );

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PROPFIND'])('the page routes do not answer %s', async (method) => {
    const { status, headers } = await ask('/page', method);
    expect([status, headers['allow']]).toEqual([404, undefined]);
  });

  it('pages pass the error of a route on', async () => {
    expect(await ask('/broken')).toMatchObject({ status: 500, text: 'a mistake of the program' });
  });
});
