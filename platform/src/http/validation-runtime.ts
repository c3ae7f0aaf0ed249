/**
 * What the generated validators stand on: formats, each with one meaning for the whole product, and two functions of
 * Ajv's own.
 */
import type { FormatDefinition } from 'ajv';
import deepEqual from 'ajv/dist/runtime/equal.js';
import codePointLength from 'ajv/dist/runtime/ucs2length.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { isName } from '../text/name.js';
import { parseInstant } from '../time/instant.js';
import { parseLocalDate } from '../time/local-date.js';

export const equal = deepEqual.default;
export const ucs2length = codePointLength.default;

const stock = (name: keyof typeof fullFormats): ((text: string) => boolean) => {
  const format = fullFormats[name] as unknown;
  const validate = (format as { validate?: unknown }).validate ?? format;
  return validate instanceof RegExp ? (text) => validate.test(text) : (validate as (text: string) => boolean);
};
const text = (validate: (value: string) => boolean): FormatDefinition<string> => ({ type: 'string', validate });

export const formats = {
  /** A date of the product's calendar (`time/calendar.ts`). */
  date: text((value) => parseLocalDate(value) !== undefined),
  /** RFC 3339 in UTC on the same calendar, written with `Z`: one spelling of every instant. */
  'date-time': text((value) => value.endsWith('Z') && value.length <= 24 && parseInstant(value) !== undefined),
  /** RFC 9110 §8.8.3 in the form that this product gives out, or `*`. */
  'entity-tag': text((value) => /^(?:\*|"[A-Za-z0-9_-]{1,64}")$/.test(value)),
  /** The one rule for names (`text/name.ts`). */
  name: text(isName),
  email: text(stock('email')),
  uri: text(stock('uri')),
  'uri-reference': text(stock('uri-reference')),
  int32: fullFormats.int32,
  int64: fullFormats.int64,
  double: fullFormats.double,
};
