/** What arrives on the wire beside well-formed messages: frames that break the protocol, and requests for other protocols. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AddedExtension } from '../../src/extensions/extensions.js';
import { installExtension } from '../builders.js';
import { connect as openSocket } from '../websocket-client.js';
import { createWorld, type World } from '../world.js';

describe('frames of the event connection', () => {
  let world: World;
  let board: AddedExtension;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    world = await createWorld('sqlite');
    board = await installExtension(world, { name: 'Board', mode: 'websocket', scopes: ['read:leave_entries'] });
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await world.close();
  });

  const dial = async () => {
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  /** The code with which the service closes after these bytes. */
  const codeAfter = async (...frames: readonly Buffer[]): Promise<number> => {
    const socket = await dial();
    let receivedBytes: Buffer = Buffer.alloc(0);
    let look = () => {};
    socket.on('data', (chunk: Buffer) => {
      receivedBytes = Buffer.concat([receivedBytes, chunk]);
      look();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => look());
    const until = <Value>(find: () => Value | undefined) =>
      new Promise<Value>((resolve, reject) => {
        look = () => {
          const value = find();
          if (value !== undefined) resolve(value);
          else if (socket.closed) reject(new Error(`closed after ${receivedBytes.toString('latin1')}`));
        };
        look();
      });
    socket.write(
      `GET /api/v1/extension/connect HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\nAuthorization: Bearer ${board.key}\r\n\r\n`,
    );
    const start = await until(() => {
      const end = receivedBytes.indexOf('\r\n\r\n');
      return end < 0 ? undefined : end + 4;
    });
    const answer = receivedBytes.toString('latin1', 0, start);
    expect(answer).toMatch(/^HTTP\/1\.1 101 /);
    expect(answer).toContain('Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n');
    expect(answer).toMatch(/x-request-id: req_/);
    expect(answer.toLowerCase()).not.toContain('sec-websocket-extensions');
    for (const frame of frames) socket.write(frame);
    return until(() => {
      for (let at = start; at + 4 <= receivedBytes.length; ) {
        if (receivedBytes[at] === 0x88) return receivedBytes.readUInt16BE(at + 2);
        const length = receivedBytes[at + 1]!;
        at += length < 126 ? 2 + length : 4 + receivedBytes.readUInt16BE(at + 2);
      }
      return undefined;
    });
  };
  it('a refused handshake does not delay the stop of the service', async () => {
    const replica = await world.replica();
    const socket = connect({ port: Number(new URL(replica.url).port), host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(socket);
    socket.write(
      'GET /nothing HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString('latin1')).toMatch(/^HTTP\/1\.1 404 /);
    await world.stop(replica);
  });

  const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

  it.each([
    ['not masked', '81 05 68 65 6c 6c 6f', 1002],
    ['text that is not UTF-8', '81 82 00000000 C3 28', 1007],
    ['a length of 2^63', '82 FF 7FFFFFFFFFFFFFFF 00000000', 1009],
    ['a length of 64 KiB and one', '81 FF 0000000000010001 00000000', 1009],
    ['a reserved bit', 'C1 80 00000000', 1002],
    ['an unknown opcode', '83 80 00000000', 1002],
    ['a fragmented ping', '09 80 00000000', 1002],
    ['a ping of 126 bytes', '89 FE 007E 00000000', 1002],
    ['a continuation of nothing', '80 80 00000000', 1002],
    ['a close with one byte', '88 81 00000000 03', 1002],
    ['a close with a forbidden code', '88 82 00000000 03ED', 1002],
  ])('the event connection closes after %s', async (_, frame, code) => {
    expect(await codeAfter(hex(frame))).toBe(code);
  });

  it('frames do not accumulate without limit', async () => {
    const firstFrame = hex('01 81 00000000 61');
    const nextFrame = hex('00 81 00000000 61');
    expect(await codeAfter(firstFrame, Buffer.concat(Array.from({ length: 20_000 }, () => nextFrame)))).toBe(1008);
  });

  it('frames are not compressed, for any offer of the client', async () => {
    const client = await openSocket(world.url, {
      key: board.key,
      headers: { 'sec-websocket-extensions': 'permessage-deflate' },
    });
    expect(client.socket.extensions).toBe('');
    client.socket.terminate();
  });

  it('the event connection ignores requests for other protocols', async () => {
    const socket = await dial();
    let receivedText = '';
    socket.on('data', (chunk: Buffer) => (receivedText += chunk.toString()));
    const answers = () => receivedText.split('HTTP/1.1 ').slice(1);
    const until = async (count: number) => {
      while (answers().length < count || !receivedText.endsWith('}')) await once(socket, 'data');
    };
    const h2c = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\n';
    socket.write(`GET /api/v1/status HTTP/1.1\r\nHost: x\r\n${h2c}\r\n`);
    await until(1);
    expect(answers()[0]).toMatch(/^200 OK/);
    const body = JSON.stringify({ user_id: world.people.ada });
    const post = (headers: string) =>
      `POST /api/v1/clock/in HTTP/1.1\r\nHost: x\r\n${headers}Authorization: Bearer ${world.planner.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    // The body comes later.
    socket.write(post(h2c));
    socket.write(body);
    await until(2);
    expect(answers()[1]).toMatch(/^200 OK/);
    socket.write(post('') + body);
    await until(3);
    expect(answers()[2]).toMatch(/^409 Conflict/);
  });

  it('an event connection needs a path that accepts it', async () => {
    const socket = await dial();
    let receivedText = '';
    socket.on('data', (chunk: Buffer) => (receivedText += chunk.toString()));
    socket.write(
      'GET /api/v1/status HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    );
    await once(socket, 'data');
    expect(receivedText).toMatch(/^HTTP\/1\.1 200 OK/);
  });
});

describe('an installation without extensions', () => {
  it('without extensions there is no event connection', async () => {
    const world = await createWorld('sqlite', { env: { EXTENSIONS_ENABLED: 'false' } });
    const refusal = await openSocket(world.url, { key: world.planner.key }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: 404, body: { code: 'not_found' } });
    await world.close();
  });
});
