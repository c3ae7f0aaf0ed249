/** A body in pieces, as they come and as fast as the client reads them. */
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/**
 * Ends the source when the client goes. A source that fails breaks the connection, so that nobody takes the part for the
 * whole.
 */
export async function sendStream(response: ServerResponse, stream: AsyncIterable<string>): Promise<void> {
  const pieces = stream[Symbol.asyncIterator]();
  const gone = new Promise<'gone'>((resolve) => response.once('close', () => resolve('gone')));
  response.flushHeaders();
  try {
    while (!response.destroyed) {
      const next = await Promise.race([pieces.next(), gone]);
      if (next === 'gone') break;
      if (next.done === true) return void response.end();
      if (!response.write(next.value)) await Promise.race([once(response, 'drain'), gone]);
    }
  } catch {
    response.destroy();
  } finally {
    // Not awaited: a source that waits for its next piece ends when that comes.
    Promise.resolve(pieces.return?.()).catch(() => undefined);
  }
}
