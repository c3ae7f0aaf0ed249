import { describe, expect, it } from '@jest/globals';
import { Connection, frameOf } from './connection.js';

const mebibyte = 1024 * 1024;

describe('a connection whose client does not read', () => {
  it('a connection with a stalled client buffers one megabyte and one message, and closes with 4429', () => {
    let unreadBytes = 0;
    const messages: string[] = [];
    const closings: unknown[] = [];
    const connection = new Connection({
      id: 'con_1',
      extensionId: 'ext_1',
      keyId: 'key_1',
      line: {
        get bufferedAmount() {
          return unreadBytes;
        },
        send(message) {
          unreadBytes += message.length;
          messages.push(message.subarray(0, 60).toString());
        },
        ping: () => undefined,
        close: (code, reason) => void closings.push([code, reason]),
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
    expect(unreadBytes).toBeLessThan(mebibyte + 2 * 61_000);
    expect(closings).toEqual([[4429, 'slow_reader']]);
    expect(messages.at(-1)).toBe('{"type":"disconnect","reason":"slow_reader"}');
    const unreadBytesBefore = unreadBytes;
    connection.take(frames, 200);
    connection.tick();
    expect(unreadBytes).toBe(unreadBytesBefore);
  });
});
