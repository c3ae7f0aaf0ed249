import type { Duplex } from 'node:stream';

const lingerMilliseconds = 2_000;

/**
 * Ends a connection whose client may still be sending. What comes is dropped unread for two seconds: a connection that is
 * closed at once answers it with a reset, which takes the response along (RFC 9112 §9.6).
 */
export function endAndLinger(socket: Duplex): void {
  socket.resume();
  // In this turn of the event loop, but after Node has begun to read again where a body that nobody read had stopped it.
  process.nextTick(() => {
    // The parser would take what follows the body for further requests.
    socket.removeAllListeners('data');
    socket.on('data', () => undefined);
    socket.end(() => setTimeout(() => socket.destroy(), lingerMilliseconds).unref());
  });
}
