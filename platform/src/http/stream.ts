/** Bodies that are sent in pieces, and connections that end while the client still sends. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/**
 * Sends a body in pieces, as they come and as fast as the client reads them. Ends the source when the client goes. A
 * source that fails breaks the connection, so that a client does not take the part for the whole.
 */
export async function sendStream(response: ServerResponse, stream: AsyncIterable<string>): Promise<void> {
  const pieces = stream[Symbol.asyncIterator]();
  const disconnect = new Promise<'gone'>((resolve) => response.once('close', () => resolve('gone')));
  response.flushHeaders();
  try {
    while (!response.destroyed) {
      const next = await Promise.race([pieces.next(), disconnect]);
      if (next === 'gone') break;
      if (next.done === true) return void response.end();
      if (!response.write(next.value)) await Promise.race([once(response, 'drain'), disconnect]);
    }
  } catch {
    response.destroy();
  } finally {
    // Not awaited: a source that waits for its next piece ends when the piece comes.
    Promise.resolve(pieces.return?.()).catch(() => undefined);
  }
}

/** Ends a stream that will not be read: its source would wait for a reader. */
export function leaveUnread(stream: AsyncIterable<string> | undefined): void {
  void stream?.[Symbol.asyncIterator]().return?.();
}

const lingerMilliseconds = 2_000;

/**
 * Ends a connection whose client may still be sending. Incoming bytes are dropped unread for two seconds: a connection
 * that is closed at once answers it with a reset, which takes the response along (RFC 9112 §9.6).
 */
export function endAndLinger(socket: Duplex): void {
  socket.resume();
  // In this turn of the event loop, but after Node has begun to read again, if an unread body had stopped it.
  process.nextTick(() => {
    // The parser would take the bytes after the body for further requests.
    socket.removeAllListeners('data');
    socket.on('data', () => undefined);
    socket.end(() => setTimeout(() => socket.destroy(), lingerMilliseconds).unref());
  });
}
