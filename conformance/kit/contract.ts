/**
 * The published documents of the target, and their statements about an answer: documented status, body, members,
 * headers and code. Nothing is read from this repository.
 */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { at, isRecord } from './json.js';

export interface Operation {
  readonly document: 'service' | 'indexer';
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly statuses: readonly string[];
  readonly definition: Record<string, unknown>;
}

/** A document as it was published, with the SHA-256 of its bytes in hexadecimal. */
export interface JudgedDocument {
  readonly address: string;
  readonly sha256: string;
}

export type FindingKind = 'status' | 'body' | 'member' | 'header' | 'media' | 'code';
export interface Finding {
  readonly kind: FindingKind;
  readonly operation: string;
  readonly status: number;
  readonly what: string;
}

export interface Received {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

const formats: Record<string, RegExp> = {
  'date-time': /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
  'entity-tag': /^("[\x21\x23-\x7e]{1,64}"|\*)$/,
  email: /^[^@\s]+@[^@\s]+$/,
  uri: /^[a-z][a-z0-9+.-]*:/i,
  'uri-reference': /^\S+$/,
  name: /\S/,
  'base58-digest': /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
};
const pointerPart = (text: string) => text.replaceAll('~', '~0').replaceAll('/', '~1');
/** Headers of the transport, which no contract names. HAProxy adds the last to handshakes that are refused, too. */
const transport = new Set([
  'content-type',
  'content-length',
  'date',
  'connection',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'server',
  'via',
  'content-encoding',
  'alt-svc',
  'sec-websocket-accept',
]);

/** Headers that proxies add. */
const ofProxies = new RegExp(
  `^(${[
    ...['age', 'upgrade', 'nel', 'report-to', 'server-timing', 'strict-transport-security', 'content-security-policy'],
    ...['referrer-policy', 'permissions-policy', 'x-frame-options', 'x-xss-protection', 'x-served-by', 'x-timer'],
    '(x-cache|x-envoy|x-amz|x-amzn|x-azure|x-kong|x-varnish|cf)(-.+)?',
  ].join('|')})$`,
);

export class Contract {
  readonly operations: readonly Operation[];
  readonly documents: readonly JudgedDocument[];
  readonly findings: Finding[] = [];
  /** `operation status` and how often it was seen. */
  readonly seen = new Map<string, number>();
  /** `operation code`. */
  readonly codes = new Map<string, number>();
  readonly #documents: Readonly<Record<'service' | 'indexer', Record<string, unknown>>>;
  readonly #direct: boolean;
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  /** @param isDirect no proxy stands in front of the service */
  constructor(
    service: Record<string, unknown>,
    indexer: Record<string, unknown>,
    documents: readonly JudgedDocument[] = [],
    isDirect = false,
  ) {
    this.documents = documents;
    this.#direct = isDirect;
    this.#documents = { service, indexer };
    this.#ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: false, logger: false });
    for (const [name, format] of Object.entries(formats)) this.#ajv.addFormat(name, format);
    for (const name of ['int32', 'int64', 'double', 'float', 'password', 'binary']) this.#ajv.addFormat(name, true);
    for (const [name, document] of Object.entries(this.#documents))
      this.#ajv.addSchema({ ...document, $id: name }, name);
    this.operations = [...operationsOf('service', service), ...operationsOf('indexer', indexer)];
  }

  /** True if a proxy may answer in place of the deployment, or add headers. */
  mayBeProxied(document: 'service' | 'indexer'): boolean {
    return document === 'indexer' || !this.#direct;
  }

  /** True if the documents have a page for people as the answer. */
  hasPage(operation: Operation | undefined, status: number): boolean {
    if (operation === undefined) return false;
    const { document, path, method } = operation;
    const response = this.#resolve(document, ['paths', path, method.toLowerCase(), 'responses', String(status)]);
    return at(response?.value['content'], 'text/html') !== undefined;
  }

  operation(id: string): Operation {
    const operation = this.operations.find((operation) => operation.id === id);
    if (operation === undefined) throw new Error(`the documents do not name the operation ${id}`);
    return operation;
  }

  /** The operation that a request belongs to, if the documents have one. */
  operationAt(document: 'service' | 'indexer', method: string, path: string): Operation | undefined {
    const parts = (path.split('?')[0] ?? '').split('/');
    return this.operations.find((operation) => {
      if (operation.document !== document || operation.method !== method) return false;
      const template = operation.path.split('/');
      return (
        template.length === parts.length &&
        template.every((part, index) => (part.startsWith('{') ? parts[index] !== '' : part === parts[index]))
      );
    });
  }

  /** Compares an answer with the documents and keeps the differences. */
  judge(operation: Operation, { status, headers, text }: Received): void {
    const report = (kind: FindingKind, message: string) => {
      if (this.findings.length < 2_000) this.findings.push({ kind, operation: operation.id, status, what: message });
    };
    const key = `${operation.id} ${status}`;
    this.seen.set(key, (this.seen.get(key) ?? 0) + 1);
    const place = ['paths', operation.path, operation.method.toLowerCase(), 'responses', String(status)];
    const response = this.#resolve(operation.document, place);
    if (response === undefined) {
      report('status', `status ${status} is not documented`);
      return;
    }
    const headerDefinitions = isRecord(response.value['headers']) ? response.value['headers'] : {};
    const names = new Map(Object.keys(headerDefinitions).map((name) => [name.toLowerCase(), name]));
    for (const [name, definition] of Object.entries(headerDefinitions)) {
      const header = this.#dereference(operation.document, definition);
      const headerValue = headers[name.toLowerCase()];
      if (headerValue === undefined) {
        if (header['required'] === true) report('header', `the header ${name} is missing`);
        continue;
      }
      const schema = isRecord(header['schema']) ? header['schema'] : {};
      for (const value of [headerValue].flat()) {
        const typedValue = schema['type'] === 'integer' ? Number(value) : value;
        if (!this.#ajv.validate(schema, typedValue))
          report('header', `${name}: ${this.#ajv.errorsText()} (${String(value)})`);
      }
    }
    for (const name of Object.keys(headers))
      if (!names.has(name) && !transport.has(name) && !(this.mayBeProxied(operation.document) && ofProxies.test(name)))
        report('header', `the header ${name} is not documented`);
    const content = response.value['content'];
    if (!isRecord(content)) {
      if (text !== '' && status !== 101) report('body', 'a body came where none is documented');
      return;
    }
    const type = String(headers['content-type'] ?? '')
      .split(';')[0]!
      .trim();
    if (!isRecord(content[type])) {
      report('media', `the media type ${type || '(none)'} is not documented`);
      return;
    }
    if (!type.endsWith('json')) return;
    let body: unknown;
    try {
      body = JSON.parse(text);
    } catch {
      report('body', 'the body is no JSON');
      return;
    }
    const pointer = [...response.place, 'content', type, 'schema'];
    const reference = `${operation.document}#/${pointer.map(pointerPart).map(encodeURIComponent).join('/')}`;
    let validate = this.#validators.get(reference);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: reference });
      this.#validators.set(reference, validate);
    }
    if (!validate(body)) {
      const [error] = validate.errors ?? [];
      report('body', `${error?.instancePath || '/'} ${error?.message ?? 'does not match'}`);
    }
    const schema =
      at(this.#documents[operation.document], '') && isRecord(content[type]) ? content[type]['schema'] : {};
    for (const path of this.#undocumented(operation.document, schema, body, ''))
      report('member', `${path} is not documented`);
    if (status >= 400 && isRecord(body)) {
      const code = String(body['code']);
      this.codes.set(`${operation.id} ${code}`, (this.codes.get(`${operation.id} ${code}`) ?? 0) + 1);
      const vocabulary = operation.path.startsWith('/oauth/') ? 'x-oauth-errors' : 'x-errors';
      const expectedStatus = this.#statusOfCode(operation.document, vocabulary, code);
      if (expectedStatus !== undefined && expectedStatus !== status)
        report('code', `the code ${code} has the status ${expectedStatus}`);
      const examples = content[type]['examples'];
      if (isRecord(examples) && !(code in examples))
        report('code', `the code ${code} is not documented with ${status}`);
    }
  }

  /** Validates a value against a named schema. @returns the mismatch, or undefined */
  mismatch(document: 'service' | 'indexer', schema: string, value: unknown): string | undefined {
    const reference = `${document}#/components/schemas/${schema}`;
    if (this.#ajv.validate({ $ref: reference }, value)) return undefined;
    return this.#ajv.errorsText();
  }

  /** `operation status code`: the examples of the documents, where these name all codes. */
  documentedCodes(): readonly string[] {
    return this.operations.flatMap(({ document, id, path, method, statuses }) =>
      statuses
        .filter((status) => Number(status) >= 400)
        .flatMap((status) => {
          const response = this.#resolve(document, ['paths', path, method.toLowerCase(), 'responses', status]);
          const content = Object.values((response?.value['content'] ?? {}) as Record<string, Record<string, unknown>>);
          return content.flatMap(({ examples }) =>
            isRecord(examples) ? Object.keys(examples).map((code) => `${id} ${status} ${code}`) : [],
          );
        }),
    );
  }

  /** Those of {@link documentedCodes} that no operation has answered with. */
  codesNotSeen(): readonly string[] {
    return this.documentedCodes().filter((key) => {
      const [operation, , code] = key.split(' ');
      return !this.codes.has(`${operation} ${code}`);
    });
  }

  parametersOf({ document, definition, path }: Operation): Record<string, unknown>[] {
    const paths = at(this.#documents[document], 'paths') as Record<string, Record<string, unknown>>;
    const parameters = [...list(paths[path]?.['parameters']), ...list(definition['parameters'])];
    return parameters.map((parameter) => this.#dereference(document, parameter));
  }

  bodySchemaOf({ document, definition }: Operation): { readonly type: string; readonly schema: unknown } | undefined {
    if (definition['requestBody'] === undefined) return undefined;
    const content = this.#dereference(document, definition['requestBody'])['content'] as Record<
      string,
      { schema: unknown }
    >;
    const [type] = Object.keys(content);
    return type === undefined ? undefined : { type, schema: content[type]!.schema };
  }

  /** Follows references until there is a schema. */
  schema(document: 'service' | 'indexer', schema: unknown): Record<string, unknown> {
    return this.#dereference(document, schema);
  }

  /** The table of codes that the documents carry, if they do. */
  #statusOfCode(document: 'service' | 'indexer', vocabulary: string, code: string): number | undefined {
    const table = this.#documents[document][vocabulary];
    const entry = Array.isArray(table) ? table.find((entry) => at(entry, 'code') === code) : at(table, code);
    const status = at(entry, 'status');
    return typeof status === 'number' ? status : undefined;
  }

  #resolve(document: 'service' | 'indexer', place: readonly string[]) {
    let value: unknown = this.#documents[document];
    for (const step of place) {
      if (!isRecord(value) || !(step in value)) return undefined;
      value = value[step];
    }
    if (isRecord(value) && typeof value['$ref'] === 'string') {
      const target = value['$ref']
        .slice(2)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
      return { value: this.#dereference(document, value), place: target };
    }
    return { value: value as Record<string, unknown>, place };
  }

  #dereference(document: 'service' | 'indexer', value: unknown): Record<string, unknown> {
    let current = value;
    for (let depth = 0; isRecord(current) && typeof current['$ref'] === 'string' && depth < 10; depth++) {
      let next: unknown = this.#documents[document];
      for (const part of current['$ref'].slice(2).split('/'))
        next = (next as Record<string, unknown>)[part.replaceAll('~1', '/').replaceAll('~0', '~')];
      current = next;
    }
    return isRecord(current) ? current : {};
  }

  /** Members that no part of the schema names. An open map (`additionalProperties` with a schema) names all. */
  *#undocumented(document: 'service' | 'indexer', schema: unknown, value: unknown, path: string): Generator<string> {
    const parts = [...this.#parts(document, schema, 0)];
    if (Array.isArray(value)) {
      const items = parts.map((part) => part['items']).filter((item) => item !== undefined);
      for (const [index, item] of value.slice(0, 20).entries())
        if (items.length > 0) yield* this.#undocumented(document, { anyOf: items }, item, `${path}/${index}`);
      return;
    }
    if (!isRecord(value) || parts.some((part) => isRecord(part['additionalProperties']))) return;
    const propertySets = parts.flatMap((part) => (isRecord(part['properties']) ? [part['properties']] : []));
    if (propertySets.length === 0) return;
    for (const [name, member] of Object.entries(value)) {
      const schemas = propertySets.filter((properties) => name in properties).map((properties) => properties[name]);
      if (schemas.length === 0) yield `${path}/${name}`;
      else yield* this.#undocumented(document, { anyOf: schemas }, member, `${path}/${name}`);
    }
  }

  *#parts(document: 'service' | 'indexer', schema: unknown, depth: number): Generator<Record<string, unknown>> {
    if (depth > 12) return;
    const target = this.#dereference(document, schema);
    yield target;
    for (const word of ['allOf', 'anyOf', 'oneOf'])
      for (const part of list(target[word])) yield* this.#parts(document, part, depth + 1);
  }
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function operationsOf(document: 'service' | 'indexer', contents: Record<string, unknown>): Operation[] {
  const paths = (contents['paths'] ?? {}) as Record<string, Record<string, unknown>>;
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, definition]) =>
      isRecord(definition) && typeof definition['operationId'] === 'string'
        ? [
            {
              document,
              id: definition['operationId'],
              method: method.toUpperCase(),
              path,
              statuses: Object.keys((definition['responses'] ?? {}) as object),
              definition,
            },
          ]
        : [],
    ),
  );
}
