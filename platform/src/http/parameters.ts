/**
 * Parameters as text become values: strictly, because coercion would let `1e2`, ` 5` and `TRUE` pass. A text that
 * cannot be read as its kind stays text, which validation then refuses.
 */
import { Refusal } from './refusal.js';

export type ParameterKinds = Readonly<Record<string, 'integer' | 'boolean' | 'array' | 'string'>>;
export type Parameters = Record<string, unknown>;

const wholeNumber = /^(?:0|-?[1-9][0-9]{0,15})$/;

export function convert(kind: ParameterKinds[string] | undefined, text: string): unknown {
  switch (kind) {
    case 'integer':
      return wholeNumber.test(text) ? Number(text) : text;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text;
    case 'array':
      return text === '' ? [] : text.split(',');
    default:
      return text;
  }
}

/**
 * @param template `/things/{id}`; @param path the matched path, percent-encoded
 * @throws Refusal `invalid_request` for a broken escape
 */
export function readPath(template: string, path: string, kinds: ParameterKinds): Parameters {
  const segments = path.split('/');
  const values: Parameters = {};
  for (const [index, part] of template.split('/').entries()) {
    const name = /^\{(.+)\}$/.exec(part)?.[1];
    if (name !== undefined) values[name] = convert(kinds[name], readable(name, decode(segments[index]!, name)));
  }
  return values;
}

/** @param query the raw text behind `?`. @throws Refusal `invalid_request` for a repeated name or a broken escape. */
export function readQuery(query: string, kinds: ParameterKinds): Parameters {
  const values: Parameters = Object.create(null) as Parameters;
  for (const pair of query.split('&').filter((text) => text !== '')) {
    const equals = pair.indexOf('=');
    const name = decodeForm(equals < 0 ? pair : pair.slice(0, equals));
    if (name in values) throw invalid(name, 'repeated', 'The parameter stands more than once.');
    values[name] = convert(kinds[name], readable(name, decodeForm(equals < 0 ? '' : pair.slice(equals + 1))));
  }
  return values;
}

/** application/x-www-form-urlencoded: the same rules as a query. */
export function readForm(text: string): Parameters {
  return { ...readQuery(text, {}) };
}

function decodeForm(text: string): string {
  return decode(text.replaceAll('+', ' '), text.slice(0, 64));
}

function decode(text: string, field: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(field, 'wrong_encoding', 'The percent-encoding is broken.');
  }
}

function readable(name: string, text: string): string {
  if (text.includes('\0')) throw invalid(name, 'nul', 'The value contains a NUL character.');
  return text;
}

function invalid(field: string, code: string, error: string): Refusal {
  return new Refusal('invalid_request', { details: [{ field, code, error }] });
}
