/** A validator's complaints in the words of the contract: its own sentences are about schemas. */
import type { ErrorObject } from 'ajv';
import type { RefusalDetail } from './refusal.js';

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

/** The largest number of complaints: the contract's limit. */
const maxDetails = 100;

/** One complaint about each invalid member. Of several forms that a member may have, the first complaint alone. */
export function detailsOf(errors: readonly ErrorObject[]): RefusalDetail[] {
  const details = new Map<string, RefusalDetail>();
  const formOf = ({ schemaPath }: ErrorObject) => /^.*?[/](?:oneOf|anyOf)\b/.exec(schemaPath)?.[0];
  const forms = new Set<string>();
  for (const error of errors) {
    const form = formOf(error);
    if (form !== undefined && forms.has(form)) continue;
    if (form !== undefined) forms.add(form);
    const detail = detailOf(error);
    if (!details.has(detail.field)) details.set(detail.field, detail);
    if (details.size === maxDetails) break;
  }
  return [...details.values()];
}

/** A complaint of Ajv in the contract's words: `/requestBody/stamps/3/uid` becomes `stamps[3].uid`. */
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
  'base58-digest': 'Write 32 bytes in Base58.',
};

/** The sentence for a valid value. */
function sentenceOf({ keyword, params }: ErrorObject): string {
  const { limit, type, format, allowedValues } = params as {
    readonly limit?: number;
    readonly type?: string | readonly string[];
    readonly format?: string;
    readonly allowedValues?: readonly unknown[];
  };
  const count = (noun: string) => `${limit} ${limit === 1 ? noun : `${noun}s`}`;
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
