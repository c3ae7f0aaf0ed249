/**
 * Path and query as the contract types them, without coercion: `limit=010`, `limit=1e2` and a repeated parameter are
 * mistakes, not numbers.
 * What cannot be read as its type stays text, so that validation names the field.
 */
import { Refusal } from './refusal.js';

type Kind = 'integer' | 'boolean' | 'array' | 'string';
export type ParameterKinds = Readonly<Record<string, Kind>>;
export type Typed = Record<string, unknown>;

const wholeNumber = /^(?:0|-?[1-9][0-9]{0,15})$/;

/** @returns the value of that kind; what cannot be read as it stays text */
export function typed(kind: Kind | undefined, text: string): unknown {
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

/** @param values percent-encoded. @throws Refusal `invalid_request` for a broken escape */
export function readPathParameters(values: Readonly<Record<string, string>>, kinds: ParameterKinds): Typed {
  const result: Typed = {};
  for (const name in values)
    result[name] = typed(kinds[name], refuseControl(name, percentDecoded(values[name]!, name)));
  return result;
}

/** @param query the raw text behind `?`. @throws Refusal `invalid_request` for a repeated name or a broken escape. */
export function readQuery(query: string, kinds: ParameterKinds): Typed {
  const result: Typed = Object.create(null) as Typed;
  if (query === '') return result;
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals < 0 ? pair : pair.slice(0, equals));
    if (name in result) throw invalid(name, 'repeated', 'The parameter stands more than once.');
    result[name] = typed(kinds[name], refuseControl(name, decode(equals < 0 ? '' : pair.slice(equals + 1))));
  }
  return result;
}

/** application/x-www-form-urlencoded: the same rules as a query. */
export function readForm(text: string): Typed {
  return { ...readQuery(text, {}) };
}

const escaped = /[%+]/;

function decode(text: string): string {
  return escaped.test(text) ? percentDecoded(text.replaceAll('+', ' '), text.slice(0, 64)) : text;
}

function percentDecoded(text: string, field: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid(field, 'wrong_encoding', 'The percent-encoding is broken.');
  }
}

function refuseControl(name: string, text: string): string {
  if (text.includes('\0')) throw invalid(name, 'nul', 'The value contains a NUL character.');
  return text;
}

function invalid(field: string, code: string, error: string): Refusal {
  return new Refusal('invalid_request', { details: [{ field, code, error }] });
}
