import { describe, expect, it } from '@jest/globals';
import { Connection, frameOf } from './connection.js';

const mebibyte = 1024 * 1024;

describe('a connection whose client does not read', () => {
  it('a connection with a stalled client buffers one megabyte and one message, and closes with 4429', () => {
    let unread = 0;
    const said: string[] = [];
    const closed: unknown[] = [];
    const connection = new Connection({
      id: 'con_1',
      extensionId: 'ext_1',
      keyId: 'key_1',
      line: {
        get bufferedAmount() {
          return unread;
        },
        send(message) {
          unread += message.length;
          said.push(message.subarray(0, 60).toString());
        },
        ping: () => undefined,
        close: (code, reason) => void closed.push([code, reason]),
        terminate: () => undefined,
      },
      clock: () => 0,
      position: 0,
      newest: 'evt_3f9a7c2100000000000fff',
    });
    const payload = JSON.stringify({ text: 'x'.repeat(60_000) });
    const frames = Array.from({ length: 100 }, (_, index) =>
      frameOf({ sequence: index + 1, epoch: '3f9a7c21', type: 'ping', at: 0, payload } as Parameters<
        typeof frameOf
      >[0]),
    );
    connection.take(frames, 100);
    expect(unread).toBeLessThan(mebibyte + 2 * 61_000);
    expect(closed).toEqual([[4429, 'slow_reader']]);
    expect(said.at(-1)).toBe('{"type":"disconnect","reason":"slow_reader"}');
    const before = unread;
    connection.take(frames, 200);
    connection.tick();
    expect(unread).toBe(before);
  });
});
