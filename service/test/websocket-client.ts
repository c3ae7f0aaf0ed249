/** A client of the event connection. It holds every message against the AsyncAPI document. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { formats } from '@clockproof/platform/http/formats';
import { Ajv, type ValidateFunction } from 'ajv';
import { WebSocket } from 'ws';

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly sequence: number;
  readonly epoch: string;
  readonly data: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
export interface Message {
  readonly type: string;
  readonly event?: ReceivedEvent;
  readonly [member: string]: unknown;
}

export interface SocketClient {
  readonly socket: WebSocket;
  readonly messages: readonly Message[];
  /** The events received. */
  events(): ReceivedEvent[];
  /** Resolves when the received messages fit. */
  until(condition: (client: SocketClient) => boolean): Promise<void>;
  /** Code and reason of the end. */
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

export interface ConnectOptions {
  readonly key?: string;
  readonly after?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with each event. */
  readonly onEvent?: (event: ReceivedEvent) => void;
  readonly autoPong?: boolean;
}

/** The refusal of a request to connect. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly headers: IncomingMessage['headers'],
    readonly body: Readonly<Record<string, unknown>>,
  ) {
    super(`refused with ${status}`);
  }
}

let validators: Readonly<Record<string, ValidateFunction>> | undefined;

function validatorFor(type: string): ValidateFunction | undefined {
  if (validators === undefined) {
    const document = JSON.parse(
      readFileSync(new URL('../../dist/asyncapi/events.json', import.meta.url), 'utf8'),
    ) as object;
    const ajv = new Ajv({ strict: false, formats });
    ajv.addSchema({ ...document, $id: 'asyncapi' });
    validators = Object.fromEntries(
      ['Hello', 'Event', 'Disconnect'].map((name) => [
        name.toLowerCase(),
        ajv.compile({ $ref: `asyncapi#/components/messages/${name}/payload` }),
      ]),
    );
  }
  return validators[type];
}

/** @throws Error the message is not in the document */
function check(text: string): Message {
  const message = JSON.parse(text) as Message;
  const validate = validatorFor(message.type);
  if (validate === undefined) throw new Error(`no such message in the document: ${text}`);
  if (!validate(message)) throw new Error(`${text}: ${JSON.stringify(validate.errors)}`);
  return message;
}

/** @throws Refused */
export function connect(
  url: string,
  { key, after, headers = {}, onEvent, autoPong = true }: ConnectOptions,
): Promise<SocketClient> {
  const socket = new WebSocket(
    `${url.replace(/^http/, 'ws')}/api/v1/extension/connect${after === undefined ? '' : `?after=${after}`}`,
    {
      headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
      perMessageDeflate: false,
      autoPong,
    },
  );
  const messages: Message[] = [];
  const waiters = new Set<() => void>();
  let failure: Error | undefined;
  const client: SocketClient = {
    socket,
    messages,
    events: () => messages.flatMap(({ event }) => (event === undefined ? [] : [event])),
    until: (condition) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (failure !== undefined) reject(failure);
          else if (!condition(client)) return;
          waiters.delete(look);
          resolve();
        };
        waiters.add(look);
        look();
      }),
    closed: new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }));
    }),
  };
  socket.on('message', (data, isBinary) => {
    try {
      if (isBinary) throw new Error('a binary frame');
      const message = check((data as Buffer).toString());
      messages.push(message);
      if (message.event !== undefined) onEvent?.(message.event);
    } catch (error) {
      failure = error as Error;
    }
    for (const look of [...waiters]) look();
  });
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(client));
    socket.on('unexpected-response', (_, response) => {
      const chunks: Uint8Array[] = [];
      response.on('data', (chunk: Uint8Array) => chunks.push(chunk));
      response.on('end', () =>
        reject(
          new Refused(
            response.statusCode!,
            response.headers,
            JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>,
          ),
        ),
      );
    });
    socket.on('error', (error) => reject(error));
  });
}
