/** A client of the event connection. */
import type { IncomingHttpHeaders } from 'node:http';
import { WebSocket } from 'ws';
import { Inconclusive, NotArrived } from '../kit/outcome.js';

export interface Socket {
  readonly messages: Record<string, unknown>[];
  readonly closed: { readonly code: number } | undefined;
  send(message: unknown): void;
  message(fits: (message: Record<string, unknown>) => boolean, seconds: number): Promise<Record<string, unknown>>;
  close(): void;
}

/** What becomes of messages on their way; they arrive as they are unless the kit is tested by breaking things. */
export interface OnTheWay {
  readonly message?: ((message: Record<string, unknown>) => readonly Record<string, unknown>[]) | undefined;
  /** @returns undefined if the client never learns that the connection closed */
  readonly closes?: ((code: number) => number | undefined) | undefined;
}

/** @returns the open connection, or the status with which the upgrade was refused */
export function openSocket(
  url: string,
  headers: Record<string, string>,
  onResponse: (status: number, headers: IncomingHttpHeaders, text: string) => void = () => undefined,
  way: OnTheWay = {},
): Promise<Socket | { readonly refused: number }> {
  const socket = new WebSocket(url, { headers, perMessageDeflate: false });
  const messages: Record<string, unknown>[] = [];
  const listeners = new Set<() => void>();
  let closed: { code: number } | undefined;
  socket.on('message', (data) => {
    const message = JSON.parse(String(data)) as Record<string, unknown>;
    messages.push(...(way.message?.(message) ?? [message]));
    for (const listener of listeners) listener();
  });
  socket.on('close', (code) => {
    const closeCode = way.closes === undefined ? code : way.closes(code);
    if (closeCode === undefined) return;
    closed = { code: closeCode };
    for (const listener of listeners) listener();
  });
  const client: Socket = {
    messages,
    get closed() {
      return closed;
    },
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    message(fits, seconds) {
      return new Promise((resolve, reject) => {
        const end = () => {
          clearTimeout(timer);
          listeners.delete(listener);
        };
        const timer = setTimeout(() => {
          end();
          reject(new NotArrived(`no such message within ${seconds} s; ${messages.length} others came`));
        }, seconds * 1_000);
        const listener = () => {
          const message = messages.find(fits);
          if (message !== undefined) {
            end();
            resolve(message);
          } else if (closed !== undefined) {
            end();
            const what = `the connection closed with ${closed.code}`;
            // The service or a proxy restarted, or the network failed.
            reject([1001, 1006, 1012].includes(closed.code) ? new Inconclusive(what) : new Error(what));
          }
        };
        listeners.add(listener);
        listener();
      });
    },
    close: () => socket.close(),
  };
  return new Promise((resolve, reject) => {
    socket.once('open', () => resolve(client));
    socket.once('upgrade', (response) => onResponse(101, response.headers, ''));
    socket.once('unexpected-response', (_, response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += String(chunk);
      });
      response.on('end', () => {
        // Thrown in a listener it would end the program.
        try {
          onResponse(response.statusCode ?? 0, response.headers, text);
          resolve({ refused: response.statusCode ?? 0 });
        } catch (error) {
          reject(error);
        }
      });
    });
    socket.once('error', (error) => {
      if (!/unexpected server response|socket hang up/i.test(error.message)) reject(error);
    });
  });
}
