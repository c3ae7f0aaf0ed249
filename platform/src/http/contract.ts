/**
 * One OpenAPI document, ready to serve: operations, compiled validators of openapi-backend, and (for tests) a check
 * that what goes out is what the document says.
 */

import type { ErrorObject } from 'ajv';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type Document, OpenAPIBackend, type Options } from 'openapi-backend';
import { parseLocalDate } from '../time/local-date.js';
import { createMatcher, type Match } from './match.js';
import type { ParameterKinds } from './parameters.js';
import type { RefusalDetail } from './refusal.js';

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
  /** What is wrong with an answer, by the document; undefined if nothing. Compiles on first use: meant for tests. */
  checkResponse(
    id: string,
    answer: { readonly status: number; readonly body: unknown; readonly headers: Readonly<Record<string, unknown>> },
  ): string | undefined;
  /** Compiles every request validator, so that the first caller does not wait for it. */
  warm(): void;
}

interface Schema {
  type?: string | string[];
}
interface MediaType {
  schema?: object;
  examples?: Record<string, { value?: unknown }>;
}
interface RawResponse {
  content?: Record<string, MediaType>;
  headers?: Record<string, unknown>;
}
interface RawOperation {
  operationId: string;
  method: string;
  path: string;
  'x-scope'?: string | null;
  security?: Record<string, string[]>[];
  parameters?: { in: string; name: string; schema?: Schema }[];
  requestBody?: { required?: boolean; content?: Record<string, MediaType> };
  responses?: Record<string, RawResponse>;
}

/** @param document the bundled document (3.1, portable profile), as generated. */
export async function loadContract(document: unknown): Promise<Contract> {
  // One instance for everything: a new one for each validator would cost more than compiling it.
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  addFormats.default(ajv);
  ajv.addFormat('date', { type: 'string', validate: (text: string) => parseLocalDate(text) !== undefined });
  // openapi-backend judges documents by the 3.0 metaschema; `quick` leaves that out, the contract's own lint has done
  // better before.
  const customizeAjv = (() => ajv) as unknown as NonNullable<Options['customizeAjv']>;
  const backend = new OpenAPIBackend({
    definition: structuredClone(document) as Document,
    quick: true,
    strict: true,
    customizeAjv,
  });
  await backend.init();
  const raw = new Map(
    (backend.router.getOperations() as unknown as RawOperation[]).map((operation) => [
      operation.operationId,
      operation,
    ]),
  );
  const operations = new Map([...raw].map(([id, operation]) => [id, infoOf(operation)]));
  const validators = new Map<string, ValidateFunction[]>();
  const responseValidators = new Map<string, ValidateFunction>();
  // The router rebuilds its list of operations at each look-up by id; the list never changes.
  const list = backend.router.getOperations();
  backend.router.getOperations = () => list;

  const validatorsOf = (id: string) => {
    let known = validators.get(id);
    if (known === undefined) {
      known = (backend.validator.getRequestValidatorsForOperation(id) ?? []) as unknown as ValidateFunction[];
      validators.set(id, known);
    }
    return known;
  };

  return {
    operations,
    match: createMatcher([...operations.values()]),
    validate(id, parts) {
      for (const validator of validatorsOf(id)) {
        if (!validator(parts)) return detailOf(validator.errors![0]!);
      }
      return undefined;
    },
    checkResponse(id, { status, body, headers }) {
      const response = raw.get(id)?.responses?.[String(status)];
      if (response === undefined) return `${id}: status ${status} is not in the document`;
      const contentType = String(headers['content-type'] ?? '').split(';')[0]!;
      const mediaType = response.content?.[contentType];
      if (body === undefined)
        return response.content === undefined ? undefined : `${id}: ${status} has no body, the document has one`;
      if (mediaType === undefined)
        return `${id}: ${status} answers ${contentType || 'nothing'}, which is not in the document`;
      for (const name of Object.keys(response.headers ?? {})) {
        if (
          (response.headers![name] as { required?: boolean }).required === true &&
          headers[name.toLowerCase()] === undefined
        )
          return `${id}: ${status} lacks the header ${name}`;
      }
      if (contentType !== 'application/json') return undefined;
      const key = `${id} ${status}`;
      const validate = responseValidators.get(key) ?? ajv.compile(mediaType.schema ?? {});
      responseValidators.set(key, validate);
      if (!validate(body))
        return `${id}: ${status} ${JSON.stringify(validate.errors?.[0])} in ${JSON.stringify(body).slice(0, 500)}`;
      if (status >= 400) {
        const code = (body as { code?: string }).code ?? '';
        if (!Object.keys(mediaType.examples ?? {}).includes(code))
          return `${id}: ${status} ${code} is not among the codes that the document names here`;
      }
      return undefined;
    },
    warm() {
      for (const id of operations.keys()) validatorsOf(id);
    },
  };
}

function infoOf(operation: RawOperation): OperationInfo {
  const kinds = (place: string): ParameterKinds =>
    Object.fromEntries(
      (operation.parameters ?? []).filter((one) => one.in === place).map((one) => [one.name, kindOf(one.schema)]),
    );
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
    headerNames: (operation.parameters ?? []).filter((one) => one.in === 'header').map((one) => one.name.toLowerCase()),
    body:
      operation.requestBody === undefined
        ? undefined
        : {
            required: operation.requestBody.required === true,
            mediaTypes: Object.keys(operation.requestBody.content ?? {}),
          },
  };
}

function kindOf(schema: Schema | undefined): 'integer' | 'boolean' | 'array' | 'string' {
  const type = Array.isArray(schema?.type) ? schema.type.find((one) => one !== 'null') : schema?.type;
  return type === 'integer' || type === 'boolean' || type === 'array' ? type : 'string';
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
  const place = [...steps, ...(last === undefined || last === 'requestBody' ? [] : [last])];
  const field = place
    .map((step, index) => (/^[0-9]+$/.test(step) ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join('');
  return {
    field: field.slice(0, 200) || 'body',
    code: words[error.keyword] ?? 'invalid',
    error: `The value ${error.message ?? 'is not valid'}.`,
  };
}
