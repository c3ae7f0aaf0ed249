/** The formats of the contract for Ajv, each with one meaning for the whole product; the rest are ajv-formats' own. */
import type { Format, FormatDefinition } from 'ajv';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { isBase58Digest } from '../bytes/base58.js';
import { isName, isNote } from '../text/name.js';
import { parseInstant } from '../time/instant.js';
import { parseLocalDate } from '../time/local-date.js';

const text = (validate: (value: string) => boolean): FormatDefinition<string> => ({ type: 'string', validate });

export const formats = {
  ...fullFormats,
  /** A date of the product's calendar (`time/calendar.ts`). */
  date: text((value) => parseLocalDate(value) !== undefined),
  /** RFC 3339 in UTC on the same calendar, written with `Z`: one spelling of every instant. */
  'date-time': text((value) => value.endsWith('Z') && value.length <= 24 && parseInstant(value) !== undefined),
  /** 32 bytes, as ledgers write the digest of a transaction. */
  'base58-digest': text(isBase58Digest),
  /** RFC 9110 §8.8.3 in the form that this product gives out, or `*`. */
  'entity-tag': text((value) => /^(?:\*|"[A-Za-z0-9_-]{1,64}")$/.test(value)),
  /** The one rule for names (`text/name.ts`). */
  name: text(isName),
  /** A text with something to read in it (`text/name.ts`). */
  note: text(isNote),
} satisfies Readonly<Record<string, Format>>;
