/** The operations of one OpenAPI document, read by openapi-backend, which also makes request validators. */
import type { AnySchema, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Options as BackendOptions, type Document, OpenAPIBackend } from 'openapi-backend';
import { formats } from './formats.js';
import type { ParameterKinds, Parameters } from './parameters.js';
import type { RefusalDetail } from './refusal.js';
import { detailsOf } from './validation-words.js';

export interface OperationInfo {
  readonly id: string;
  /** The method in upper case. */
  readonly method: string;
  /** The path with templates: `/things/{id}`. */
  readonly path: string;
  /** Alternatives of security schemes; one alternative without schemes means open. */
  readonly security: readonly (readonly string[])[];
  /** The `x-scope` of the operation. */
  readonly scope: string | null;
  /** The `x-own-scope`: a permission that suffices for records which the caller created. */
  readonly ownScope: string | undefined;
  readonly pathKinds: ParameterKinds;
  readonly queryKinds: ParameterKinds;
  /** The media types of the body; undefined if there is none. */
  readonly mediaTypes: readonly string[] | undefined;
  /** Places of names in the body (`format: name`), each as the members on the way to it. */
  readonly names: readonly (readonly string[])[];
}

export interface Contract {
  /** Operations in the form of the document, by id. */
  readonly documented: ReadonlyMap<string, DocumentedOperation>;
  readonly operations: readonly OperationInfo[];
  /** Paths of operations that may open a WebSocket. */
  readonly webSocketPaths: readonly string[];
  /**
   * The faults of a request, its body before its parameters; empty if there are none. The validators of an operation
   * are compiled when it is first called.
   */
  faultsIn(operation: OperationInfo, parts: RequestParts): readonly RefusalDetail[];
}

export interface RequestParts {
  readonly path: Parameters;
  readonly query: Parameters;
  readonly header: Readonly<Record<string, unknown>>;
  /** Undefined for an empty body. */
  readonly requestBody?: Readonly<Record<string, unknown>>;
}

export interface Schema {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}
export interface DocumentedOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly 'x-scope'?: string | null;
  readonly 'x-own-scope'?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[];
  readonly responses?: Readonly<Record<string, unknown>>;
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}

/**
 * Nothing is coerced: `1e2` is no number. The linter has checked the schemas (`openapi/tools/lint.mjs`). Optimizing the
 * code of the validators would take two fifths of the time of compiling them.
 */
const ajv = compilingOnce(
  new Ajv2020({ strict: false, validateSchema: false, formats, allErrors: true, code: { optimize: false } }),
);

/** A schema is compiled once, even if several documents contain it: openapi-backend hands over copies. */
function compilingOnce(ajv: Ajv2020): Ajv2020 {
  const compile = ajv.compile.bind(ajv);
  const validators = new Map<string, ValidateFunction>();
  ajv.compile = ((schema: AnySchema) => {
    const text = JSON.stringify(schema);
    const validate = validators.get(text) ?? compile(schema);
    validators.set(text, validate);
    return validate;
  }) as Ajv2020['compile'];
  return ajv;
}

const contracts = new WeakMap<object, Promise<Contract>>();

/**
 * A document is read once, and its validators are compiled once, for all services of the process.
 * @param document the bundled document (3.1, portable profile)
 */
export function readContract(document: object): Promise<Contract> {
  const contract = contracts.get(document) ?? parseContract(document);
  contracts.set(document, contract);
  return contract;
}

async function parseContract(document: object): Promise<Contract> {
  const backend = new OpenAPIBackend({
    definition: document as Document,
    // No second check of the document, and no validator before it is needed.
    quick: true,
    strict: true,
    ignoreTrailingSlashes: false,
    customizeAjv: (() => ajv) as unknown as NonNullable<BackendOptions['customizeAjv']>,
  });
  await backend.init();
  const operations = backend.router.getOperations() as unknown as DocumentedOperation[];
  return {
    documented: new Map(operations.map((operation) => [operation.operationId, operation])),
    operations: operations.map(infoOf),
    webSocketPaths: operations.filter(({ responses }) => responses?.['101'] !== undefined).map(({ path }) => path),
    faultsIn({ id }, parts) {
      const validators = backend.validator.getRequestValidatorsForOperation(id) as ValidateFunction[];
      return detailsOf(validators.flatMap((validate) => (validate(parts) ? [] : validate.errors!)));
    },
  };
}

function infoOf({ security = [], parameters = [], requestBody, ...operation }: DocumentedOperation): OperationInfo {
  const kindsIn = (place: string): ParameterKinds =>
    Object.fromEntries(
      parameters.filter((parameter) => parameter.in === place).map(({ name, schema }) => [name, kindOf(schema)]),
    );
  return {
    id: operation.operationId,
    method: operation.method.toUpperCase(),
    path: operation.path,
    security: security.length === 0 ? [[]] : security.map((alternative) => Object.keys(alternative)),
    scope: operation['x-scope'] ?? null,
    ownScope: operation['x-own-scope'],
    pathKinds: kindsIn('path'),
    queryKinds: kindsIn('query'),
    mediaTypes: requestBody === undefined ? undefined : Object.keys(requestBody.content),
    names: [...namesIn(requestBody?.content['application/json']?.schema ?? {}, [])],
  };
}

function* namesIn({ format, properties = {} }: Schema, path: readonly string[]): Generator<readonly string[]> {
  if (format === 'name') yield path;
  for (const [member, schema] of Object.entries(properties)) yield* namesIn(schema, [...path, member]);
}

export function kindOf(schema: Schema): ParameterKinds[string] {
  const name = typeof schema.type === 'object' ? schema.type.find((type) => type !== 'null') : schema.type;
  return name === 'integer' || name === 'boolean' || name === 'array' ? name : 'string';
}
