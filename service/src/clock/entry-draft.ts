import { type Instant, parseInstant } from '@clockproof/platform/time/instant';
import type { components } from '../generated/app-types.js';
import { invalidField } from '../store/refusal.js';
import type { EntryDraft } from './corrections.js';

/** @throws Refusal `invalid_request` members contradict each other or are missing */
export function draftOf({ entry_id: entryId, remove, start, end, breaks }: Body): EntryDraft {
  if (remove === true) {
    if (entryId === undefined) throw invalidField('entry_id', 'missing', 'Say which entry to strike out.');
    if (start !== undefined || end !== undefined || breaks !== undefined)
      throw invalidField('remove', 'contradiction', 'An entry that is struck out has no times.');
    return { entryId, remove: true };
  }
  return {
    entryId,
    times: {
      start: instant('start', start),
      end: instant('end', end),
      breaks: (breaks ?? []).map((interval, index) => ({
        start: instant(`breaks[${index}].start`, interval.start),
        end: instant(`breaks[${index}].end`, interval.end),
      })),
    },
  };
}

/** The input of the form for a correction. */
export type Body = Omit<components['schemas']['CorrectionRequest'], 'reason'>;
export function instant(field: string, text: string | undefined): Instant {
  const at = text === undefined ? undefined : parseInstant(text);
  if (at === undefined)
    throw invalidField(
      field,
      text === undefined ? 'missing' : 'wrong_format',
      text === undefined ? 'Say when.' : 'Write an RFC 3339 instant.',
    );
  return at;
}
