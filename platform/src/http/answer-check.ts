/** Tests only: holds an answer against the document: its status, headers, media type, JSON and code. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Reached } from './exchange.js';
import { formats } from './formats.js';
import { kindOf, type Schema } from './operations.js';
import { convert } from './parameters.js';

interface Header {
  readonly required?: boolean;
  readonly schema: Schema;
}
interface Media {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, unknown>>;
}
interface Response {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, Media>>;
}

/** Headers of the connection rather than of the answer; RFC 9110 §15.1 and OpenAPI's own `content` speak for them. */
const transport = new Set(['content-type', 'content-length', 'connection']);

/** A string whose known values are listed has one of them, in an answer of this version. */
const ajv = new Ajv2020({ strict: false, validateSchema: false, formats, code: { optimize: false } }).addKeyword({
  keyword: 'x-extensible-enum',
  type: 'string',
  validate: (allowedValues: readonly unknown[], value: string) => allowedValues.includes(value),
});

/** @param headers the sent ones. @returns a sentence; undefined if nothing is wrong */
export function answerFault(
  { contract: { documented }, operation: { id } }: Reached,
  { status, body, stream }: { readonly status: number; readonly body?: unknown; readonly stream?: unknown },
  headers: Readonly<Record<string, string>>,
): string | undefined {
  const response = (documented.get(id)!.responses as Readonly<Record<string, Response>> | undefined)?.[status];
  if (response === undefined) return `${id}: status ${status} is not in the document`;
  // Ajv compiles a schema once, when an answer first needs it: operations of a document share their schemas.
  const faultOf = (place: string, schema: Schema, value: unknown) => {
    const validate = ajv.compile(schema);
    return validate(value)
      ? undefined
      : `${id}: ${status} ${place}${JSON.stringify(validate.errors![0])} in ${JSON.stringify(value).slice(0, 500)}`;
  };

  const documentedHeaders = new Map(
    Object.entries(response.headers ?? {}).map(([name, header]) => [name.toLowerCase(), header]),
  );
  for (const [name, { required }] of documentedHeaders)
    if (required === true && !(name in headers)) return `${id}: ${status} headers lack ${name}`;
  for (const [name, text] of Object.entries(headers)) {
    if (transport.has(name)) continue;
    const schema = documentedHeaders.get(name)?.schema;
    if (schema === undefined) return `${id}: ${status} header ${name} is not in the document`;
    const fault = faultOf(`header ${name} `, schema, convert(kindOf(schema), text));
    if (fault !== undefined) return fault;
  }

  // The contents of a stream are checked by its tests.
  if (body === undefined && stream === undefined)
    return response.content === undefined ? undefined : `${id}: ${status} has no body, the document has one`;
  const mediaType = String(headers['content-type'] ?? '').split(';')[0]!;
  const content = response.content?.[mediaType];
  if (content === undefined) return `${id}: ${status} answers ${mediaType || 'nothing'}, which is not in the document`;
  if (mediaType !== 'application/json' || stream !== undefined) return undefined;
  const fault = faultOf('', content.schema ?? {}, body);
  if (fault !== undefined) return fault;
  const { code = '' } = body as { readonly code?: string };
  return status >= 400 && !(code in (content.examples ?? {}))
    ? `${id}: ${status} ${code} is not among the codes that the document names here`
    : undefined;
}
