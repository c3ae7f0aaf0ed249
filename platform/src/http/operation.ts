/**
 * A handler's view of HTTP: a typed request in, a status and a body out. Everything else (parsing, authentication,
 * limits, errors, headers) stands in the steps of `app.ts`. Types come from the contract by way of openapi-typescript:
 * an operation without a handler, a status that the document does not know and a body of another shape are compile
 * errors.
 */

import type { WebSocket } from 'ws';
import type { Authorize } from './api.js';

/** openapi-typescript's `operations` interface. */
export type Operations = object;

type Parameter<Operation, Kind extends string> = Operation extends { parameters: { [K in Kind]?: infer P } }
  ? NonNullable<P>
  : Record<string, never>;
type JsonBody<Operation> = Operation extends { requestBody?: { content: infer C } }
  ? C[keyof C] | OptionalBody<Operation>
  : undefined;
type OptionalBody<Operation> = Operation extends { requestBody: unknown } ? never : undefined;
type Responses<Operation> = Operation extends { responses: infer R } ? R : never;
type Content<Response> = Response extends { content: infer C } ? C[keyof C] : undefined;

/** One request for a handler. `caller` is the result of the operation's authentication. */
export interface OperationRequest<Operation, Caller> {
  readonly caller: Caller;
  /** Absent if no credential was asked for. */
  readonly authorize?: Authorize | undefined;
  /** The method in upper case. */
  readonly method: string;
  readonly path: Parameter<Operation, 'path'>;
  readonly query: Parameter<Operation, 'query'>;
  /** The text behind `?`, for operations that read their query themselves; `query` is empty there. */
  readonly rawQuery: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: JsonBody<Operation>;
  /** The one instant of this request, at which it was whole: milliseconds since 1970. */
  readonly at: number;
  /** Address of the client, IPv4-mapped addresses unmapped. */
  readonly address: string;
  readonly requestId: string;
  /**
   * Aborted when the client closes the connection before it has the answer, or a second after it closed its side. Its
   * reason ends the request without an answer.
   */
  readonly signal: AbortSignal;
  /** The request is a WebSocket handshake, which an answer with status 101 accepts. */
  readonly isHandshake: boolean;
}

/** One answer. Only statuses and bodies of the document; refusals are thrown as {@link Refusal}. */
export type OperationResponse<Operation> = {
  [Status in keyof Responses<Operation> & number]: {
    readonly status: Status;
    readonly headers?: Readonly<Record<string, string>>;
    /** `body` as JSON text, if the handler has made it already (for an ETag): it goes out as it is. */
    readonly serialised?: string;
  } & (Content<Responses<Operation>[Status]> extends undefined
    ? { readonly body?: undefined }
    : Content<Responses<Operation>[Status]> extends string
      ?
          | { readonly body: Content<Responses<Operation>[Status]> | Buffer }
          | { readonly body?: never; readonly stream: AsyncIterable<string> }
      : { readonly body: Content<Responses<Operation>[Status]> }) &
    (Status extends 101 ? { readonly opened: (webSocket: WebSocket) => void } : unknown);
}[keyof Responses<Operation> & number];

export type Handler<Operation, Caller> = (
  request: OperationRequest<Operation, Caller>,
) => Promise<OperationResponse<Operation>> | OperationResponse<Operation>;

/** A handler for every operation of a document. */
export type Handlers<All extends Operations, Caller> = { readonly [Id in keyof All]: Handler<All[Id], Caller> };
