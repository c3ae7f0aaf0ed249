/**
 * One OpenAPI document, ready to serve: its operations, the validators generated from it, and (for tests) a check that
 * what goes out is what the document says.
 */

import type { ErrorObject } from 'ajv';
import type { RefusalDetail } from './refusal.js';
import { createMatcher, type Match, type ParameterKinds, typed } from './request-target.js';

export interface OperationInfo {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Alternatives of security schemes; one alternative without schemes means open. */
  readonly security: readonly (readonly string[])[];
  /** The `x-scope` of the operation. */
  readonly scope: string | null;
  readonly pathKinds: ParameterKinds;
  readonly queryKinds: ParameterKinds;
  /** Names of header parameters, lower case. */
  readonly headerNames: readonly string[];
  readonly body: { readonly required: boolean; readonly mediaTypes: readonly string[] } | undefined;
  /** Where names stand in the body (`format: name`), each as the members on the way to it. */
  readonly names: readonly (readonly string[])[];
}

export interface RequestParts {
  readonly path: unknown;
  readonly query: unknown;
  readonly header: unknown;
  readonly requestBody?: unknown;
}

export interface Contract {
  readonly operations: ReadonlyMap<string, OperationInfo>;
  match(method: string, path: string): Match;
  /** What is wrong with a request; undefined if nothing. */
  validate(id: string, parts: RequestParts): RefusalDetail | undefined;
  /** What is wrong with an answer, by the document; undefined if nothing. Needs `responses`. */
  checkResponse(
    id: string,
    answer: { readonly status: number; readonly body: unknown; readonly headers: Readonly<Record<string, unknown>> },
  ): string | undefined;
}

/** A function that Ajv has made. After `false`, `errors` holds what was wrong, first things first. */
export interface Validator {
  (value: unknown): boolean;
  errors?: ErrorObject[] | null;
}

/** By operationId: what a request is held against, in this order. */
export type RequestValidators = Readonly<Record<string, readonly Validator[]>>;

/** By operationId and status (`getMe 200`): what an answer is held against. */
export type ResponseValidators = Readonly<
  Record<string, { readonly headers: Validator; readonly bodies: Readonly<Record<string, Validator | undefined>> }>
>;

/** By type: what an event is held against. */
export type EventValidators = Readonly<Record<string, Validator>>;

interface Reference {
  readonly $ref?: string;
}
interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema | Reference>>;
}
interface RawParameter {
  readonly in: string;
  readonly name: string;
  readonly schema?: Schema | Reference;
}
interface RawHeader {
  readonly schema?: Schema;
}
interface RawResponse {
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, unknown>> }>>;
  readonly headers?: Readonly<Record<string, RawHeader>>;
}
interface WrittenOperation {
  readonly operationId: string;
  readonly 'x-scope'?: string | null;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (RawParameter | Reference)[];
  readonly requestBody?: {
    readonly required?: boolean;
    readonly content?: Readonly<Record<string, { readonly schema?: Schema | Reference }>>;
  };
  readonly responses?: Readonly<Record<string, RawResponse | Reference>>;
}
interface RawDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, WrittenOperation | undefined>>>>;
}
interface RawOperation extends Omit<WrittenOperation, 'parameters'> {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
}

/**
 * @param source the bundled document (3.1, portable profile), as generated
 * @throws Error if an operation has no validators: the document and what was generated from it do not belong together
 */
export function loadContract(
  source: unknown,
  requests: RequestValidators,
  responses: ResponseValidators | undefined,
): Contract {
  const document = source as RawDocument;
  const { raw, operations, match } = partsOf(document);
  const bare = [...operations.keys()].filter((id) => requests[id] === undefined);
  if (bare.length > 0) throw new Error(`operations without validators: ${bare.join(', ')}`);

  return {
    operations,
    match,
    validate(id, parts) {
      for (const validate of requests[id]!) if (!validate(parts)) return detailOf(validate.errors![0]!);
      return undefined;
    },
    checkResponse(id, { status, body, headers }) {
      const response = responseOf(document, raw.get(id)?.responses?.[String(status)]);
      const validators = responses?.[`${id} ${status}`];
      if (response === undefined || validators === undefined) return `${id}: status ${status} is not in the document`;
      const wrong = breachOf(validators.headers, documentedHeaders(headers, response));
      if (wrong !== undefined) return `${id}: ${status} headers ${wrong}`;
      const contentType = String(headers['content-type'] ?? '').split(';')[0]!;
      if (body === undefined)
        return response.content === undefined ? undefined : `${id}: ${status} has no body, the document has one`;
      const mediaType = response.content?.[contentType];
      if (mediaType === undefined)
        return `${id}: ${status} answers ${contentType || 'nothing'}, which is not in the document`;
      const validate = validators.bodies[contentType];
      if (validate === undefined) return undefined;
      const breach = breachOf(validate, body);
      if (breach !== undefined) return `${id}: ${status} ${breach}`;
      const code = (body as { code?: string }).code ?? '';
      return status >= 400 && !Object.keys(mediaType.examples ?? {}).includes(code)
        ? `${id}: ${status} ${code} is not among the codes that the document names here`
        : undefined;
    },
  };
}

interface DocumentParts extends Pick<Contract, 'operations' | 'match'> {
  readonly raw: ReadonlyMap<string, RawOperation>;
}
const parts = new WeakMap<RawDocument, DocumentParts>();

/** A process may serve one document many times: tests do. */
function partsOf(document: RawDocument): DocumentParts {
  const known = parts.get(document);
  if (known !== undefined) return known;
  const raw = new Map(operationsOf(document).map((operation) => [operation.operationId, operation]));
  const operations = new Map([...raw].map(([id, operation]) => [id, infoOf(operation, document)]));
  const made = { raw, operations, match: createMatcher([...operations.values()]) };
  parts.set(document, made);
  return made;
}

/** Of the connection rather than of the answer; RFC 9110 §15.1 and OpenAPI's own `content` speak for them. */
const transport = new Set(['content-type', 'content-length', 'connection']);

/** Headers as their schemas type them. */
function documentedHeaders(headers: Readonly<Record<string, unknown>>, response: RawResponse): object {
  const kinds = new Map(
    Object.entries(response.headers ?? {}).map(([name, header]) => [name.toLowerCase(), kindOf(header.schema)]),
  );
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !transport.has(name))
      .map(([name, value]) => [name, typed(kinds.get(name), String(value))]),
  );
}

function breachOf(validate: Validator, value: unknown): string | undefined {
  if (validate(value)) return undefined;
  return `${JSON.stringify(validate.errors?.[0])} in ${JSON.stringify(value).slice(0, 500)}`;
}

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

/** What a node says, or the one it refers to. */
function here<T>(document: RawDocument, node: T | Reference): T {
  const reference = (node as Reference).$ref;
  if (reference === undefined) return node as T;
  const steps = reference.slice(2).split('/');
  return here(document, steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], document) as T);
}

/** An answer with its headers in place of references to them. Resolved when it is asked for: only tests ask. */
function responseOf(document: RawDocument, node: RawResponse | Reference | undefined): RawResponse | undefined {
  if (node === undefined) return undefined;
  const { headers = {}, ...rest } = here<RawResponse>(document, node);
  return {
    ...rest,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, header]) => [name, here<RawHeader>(document, header)]),
    ),
  };
}

/** Every operation, with its parameters in place of references to them. */
function operationsOf(document: RawDocument): RawOperation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      if (operation === undefined) return [];
      const { parameters = [], ...rest } = operation;
      return {
        ...rest,
        method,
        path,
        parameters: parameters
          .map((parameter) => here<RawParameter>(document, parameter))
          .map((parameter) => ({ ...parameter, schema: here<Schema>(document, parameter.schema ?? {}) })),
      };
    }),
  );
}

function infoOf(operation: RawOperation, document: RawDocument): OperationInfo {
  const parametersIn = (location: string) => operation.parameters.filter((parameter) => parameter.in === location);
  const kinds = (location: string): ParameterKinds =>
    Object.fromEntries(parametersIn(location).map(({ name, schema }) => [name, kindOf(schema)]));
  return {
    id: operation.operationId,
    method: operation.method.toUpperCase(),
    path: operation.path,
    security:
      operation.security === undefined || operation.security.length === 0
        ? [[]]
        : operation.security.map((alternative) => Object.keys(alternative)),
    scope: operation['x-scope'] ?? null,
    pathKinds: kinds('path'),
    queryKinds: kinds('query'),
    headerNames: parametersIn('header').map(({ name }) => name.toLowerCase()),
    body:
      operation.requestBody === undefined
        ? undefined
        : {
            required: operation.requestBody.required === true,
            mediaTypes: Object.keys(operation.requestBody.content ?? {}),
          },
    names: [...namesIn(document, operation.requestBody?.content?.['application/json']?.schema, [])],
  };
}

function* namesIn(
  document: RawDocument,
  node: Schema | Reference | undefined,
  path: readonly string[],
): Generator<readonly string[]> {
  if (node === undefined) return;
  const { format, properties = {} } = here<Schema>(document, node);
  if (format === 'name') yield path;
  for (const [member, part] of Object.entries(properties)) yield* namesIn(document, part, [...path, member]);
}

function kindOf(schema: Schema | undefined): 'integer' | 'boolean' | 'array' | 'string' {
  const name = typeof schema?.type === 'object' ? schema.type.find((type) => type !== 'null') : schema?.type;
  return name === 'integer' || name === 'boolean' || name === 'array' ? name : 'string';
}

const words: Readonly<Record<string, string>> = {
  required: 'missing',
  additionalProperties: 'unknown_field',
  unevaluatedProperties: 'unknown_field',
  type: 'wrong_type',
  format: 'wrong_format',
  pattern: 'wrong_format',
  enum: 'not_allowed',
  const: 'not_allowed',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  minLength: 'too_short',
  maxLength: 'too_long',
  minItems: 'too_few',
  maxItems: 'too_many',
};

/** Ajv's first complaint in the contract's words: `/requestBody/stamps/3/uid` becomes `stamps[3].uid`. */
function detailOf(error: ErrorObject): RefusalDetail {
  const steps = error.instancePath.split('/').slice(2);
  const extra = error.params as { missingProperty?: string; additionalProperty?: string };
  const last = extra.missingProperty ?? extra.additionalProperty;
  const path = [...steps, ...(last === undefined || last === 'requestBody' ? [] : [last])];
  const field = path
    .map((step, index) => (/^[0-9]+$/.test(step) ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
  return {
    field: field.slice(0, 200) || 'body',
    code: words[error.keyword] ?? 'invalid',
    error: sentenceOf(error),
  };
}

const formats: Readonly<Record<string, string>> = {
  date: 'Write a date such as 2026-11-23.',
  'date-time': 'Write an instant such as 2026-11-23T07:00:00Z.',
  email: 'Write an e-mail address.',
  uri: 'Write an absolute address.',
};

/** What to write instead: the validator's own sentences are about schemas. */
function sentenceOf({ keyword, params }: ErrorObject): string {
  const { limit, type, format, allowedValues } = params as {
    readonly limit?: number;
    readonly type?: string | readonly string[];
    readonly format?: string;
    readonly allowedValues?: readonly unknown[];
  };
  const count = (things: string) => `${limit} ${limit === 1 ? things : `${things}s`}`;
  switch (keyword) {
    case 'required':
      return 'A value is required.';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'Nothing here has this name.';
    case 'type':
      return `Write a value of type ${[type].flat().join(' or ').replaceAll(',', ' or ')}.`;
    case 'format':
      return formats[format ?? ''] ?? 'The value does not have the documented form.';
    case 'enum':
      return `Write one of ${allowedValues?.join(', ')}.`.slice(0, 300);
    case 'minimum':
      return `Write a number of at least ${limit}.`;
    case 'maximum':
      return `Write a number of at most ${limit}.`;
    case 'minLength':
      return `Write at least ${count('character')}.`;
    case 'maxLength':
      return `Write at most ${count('character')}.`;
    case 'minItems':
      return `Give at least ${count('item')}.`;
    case 'maxItems':
      return `Give at most ${count('item')}.`;
    default:
      return 'The value does not have the documented form.';
  }
}
