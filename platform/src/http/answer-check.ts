/**
 * Tests only: whether an answer is what the document says. openapi-backend judges headers and JSON; that a status, a
 * media type and a code stand in the document at all, it leaves to us.
 */
import type { ErrorObject } from 'ajv';
import { type Operation, SetMatchType } from 'openapi-backend';
import type { Reached } from './exchange.js';
import { kindOf } from './operations.js';
import { convert } from './parameters.js';

interface Header {
  readonly required?: boolean;
  readonly schema: Parameters<typeof kindOf>[0];
}
interface Response {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, { readonly examples?: Readonly<Record<string, unknown>> }>>;
}

/** Of the connection rather than of the answer; RFC 9110 §15.1 and OpenAPI's own `content` speak for them. */
const transport = new Set(['content-type', 'content-length', 'connection']);

/** @param headers what goes out. @returns a sentence; undefined if nothing is wrong */
export function answerFault(
  { contract: { backend, documented }, operation: { id } }: Reached,
  { status, body, stream }: { readonly status: number; readonly body?: unknown; readonly stream?: unknown },
  headers: Readonly<Record<string, string>>,
): string | undefined {
  const operation = documented.get(id)!;
  const response = (operation.responses as Readonly<Record<string, Response>> | undefined)?.[status];
  if (response === undefined) return `${id}: status ${status} is not in the document`;
  const describeFault = (what: string, value: unknown, errors: ErrorObject[] | null | undefined) =>
    errors === null || errors === undefined
      ? undefined
      : `${id}: ${status} ${what}${JSON.stringify(errors[0])} in ${JSON.stringify(value).slice(0, 500)}`;

  const documentedHeaders = Object.entries(response.headers ?? {});
  const kinds = Object.fromEntries(documentedHeaders.map(([name, { schema }]) => [name.toLowerCase(), kindOf(schema)]));
  const values = Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !transport.has(name))
      .map(([name, value]) => [name, convert(kinds[name], value)]),
  );
  const missing = documentedHeaders.find(
    ([name, { required }]) => required === true && !(name.toLowerCase() in values),
  );
  if (missing !== undefined) return `${id}: ${status} headers lack ${missing[0]}`;
  const { validator } = backend;
  const subset = { statusCode: status, setMatchType: SetMatchType.Subset };
  const wrongHeader = validator.validateResponseHeaders(values, operation as unknown as Operation, subset).errors;
  if (wrongHeader) return describeFault('headers ', values, wrongHeader);

  // What a stream will say is checked by its tests.
  if (body === undefined && stream === undefined)
    return response.content === undefined ? undefined : `${id}: ${status} has no body, the document has one`;
  const mediaType = String(headers['content-type'] ?? '').split(';')[0]!;
  const content = response.content?.[mediaType];
  if (content === undefined) return `${id}: ${status} answers ${mediaType || 'nothing'}, which is not in the document`;
  if (mediaType !== 'application/json' || stream !== undefined) return undefined;
  const wrongBody = validator.validateResponse(body, operation as unknown as Operation, status).errors;
  if (wrongBody) return describeFault('', body, wrongBody);
  const { code = '' } = body as { readonly code?: string };
  return status >= 400 && !(code in (content.examples ?? {}))
    ? `${id}: ${status} ${code} is not among the codes that the document names here`
    : undefined;
}
