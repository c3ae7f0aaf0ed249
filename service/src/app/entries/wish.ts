/** What somebody writes into the form of a correction. */
import { type Instant, parseInstant } from '@clockproof/platform/time/instant';
import { invalid } from '../../api/page.js';
import type { Wish } from '../../clocking/corrections.js';
import type { components } from '../../generated/app-types.js';

type Body = components['schemas']['CorrectionRequest'];

/** @throws Refusal `invalid_request` members contradict each other or are missing */
export function wishOf({ entry_id: entryId, remove, start, end, breaks }: Body): Wish {
  if (remove === true) {
    if (entryId === undefined) throw invalid('entry_id', 'Say which entry to strike out.', 'missing');
    if (start !== undefined || end !== undefined || breaks !== undefined)
      throw invalid('remove', 'An entry that is struck out has no times.', 'contradiction');
    return { entryId, remove: true };
  }
  return {
    entryId,
    times: {
      start: instant('start', start),
      end: instant('end', end),
      breaks: (breaks ?? []).map((one, index) => ({
        start: instant(`breaks[${index}].start`, one.start),
        end: instant(`breaks[${index}].end`, one.end),
      })),
    },
  };
}

function instant(field: string, text: string | undefined): Instant {
  const at = text === undefined ? undefined : parseInstant(text);
  if (at === undefined)
    throw invalid(
      field,
      text === undefined ? 'Say when.' : 'Write an RFC 3339 instant.',
      text === undefined ? 'missing' : 'format',
    );
  return at;
}
