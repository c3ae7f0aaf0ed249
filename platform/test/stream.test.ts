/** Streamed bodies beside clients that read, stop reading, and leave. */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { sendStream } from '../src/http/stream.js';

const piece = 'x'.repeat(100_000);
/** Far more than what two sockets and their streams hold. */
const pieces = 1_000;

describe('a streamed body', () => {
  let server: Server;
  let producedCount: number;
  let streamEnd: Promise<void>;
  beforeEach(async () => {
    producedCount = 0;
    let end = () => {};
    streamEnd = new Promise((resolve) => (end = resolve));
    async function* source(): AsyncGenerator<string> {
      try {
        for (; producedCount < pieces; producedCount++) yield piece;
      } finally {
        end();
      }
    }
    server = createServer((_, response) => void sendStream(response, source()));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = async () => {
    const request = get({ port: (server.address() as AddressInfo).port, agent: false });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    return response;
  };
  /** Resolves when nothing more is made while I/O has its turns. */
  const standstill = async () => {
    for (let previousCount = -1; producedCount !== previousCount; ) {
      previousCount = producedCount;
      for (let turn = 0; turn < 50; turn++) await once(await ping(), 'end');
    }
  };
  /** A request to another server: sockets have their turn meanwhile. */
  const ping = async () => {
    const otherServer = createServer((_, response) => response.end());
    otherServer.listen(0, '127.0.0.1');
    await once(otherServer, 'listening');
    const [response] = (await once(
      get({ port: (otherServer.address() as AddressInfo).port, agent: false }),
      'response',
    )) as [IncomingMessage];
    otherServer.close();
    return response.resume();
  };

  it('a streamed body is produced no faster than it is read', async () => {
    const response = await ask();
    response.pause();
    await standstill();
    expect(producedCount).toBeLessThan(pieces / 5);
    let readCount = 0;
    for await (const chunk of response as AsyncIterable<Buffer>) readCount += chunk.length;
    expect(readCount).toBe(pieces * piece.length);
  });

  it('a streamed body ends when the client leaves', async () => {
    const response = await ask();
    response.pause();
    await standstill();
    const producedBefore = producedCount;
    response.destroy();
    await streamEnd;
    expect(producedCount).toBeLessThan(producedBefore + 3);
  });
});
