import { day, formatInstant } from '@clockproof/platform/time/instant';
import { readableEvents } from '../../extensions/readable-events.js';
import { findExtension } from '../../extensions/rows.js';
import { eventReaderOf, keptDays } from '../../extensions/webhooks/endpoints.js';
import type { EventType } from '../../generated/contract.js';
import type { AppHandler } from '../../http/handler.js';
import { listNames } from '../../people/rows.js';
import { eventId, eventText } from '../../store/events.js';
import { settledPosition } from '../../store/position.js';
import { Refusal } from '../../store/refusal.js';

/** For the page that shows an extension's events as they happen. */
export const listExtensionEvents: AppHandler<'listExtensionEvents'> = async ({
  db,
  path: { id },
  query: { after, limit = 50 },
  at,
}) => {
  const extension = await findExtension(db, id);
  if (extension === undefined) throw new Refusal('not_found');
  const { place: upTo } = await settledPosition(db);
  if (after === undefined) return { status: 200, body: { data: [], next_after: upTo, has_more: false } };
  if (after > upTo) throw new Refusal('history_changed');
  const walk = { after, upTo, since: at - keptDays * day, limit: limit + 1 };
  const events = await readableEvents(db, eventReaderOf(extension, at), walk);
  const rows = events.slice(0, limit);
  const names = await listNames(
    db,
    rows.flatMap(({ person_id: person }) => (person === null ? [] : [person])),
  );
  const hasMore = events.length > limit;
  return {
    status: 200,
    body: {
      data: rows.map((row) => {
        const person = row.person_id === null ? undefined : names.get(row.person_id);
        return {
          id: eventId({ epoch: row.epoch, place: row.sequence }),
          type: row.type as EventType,
          sequence: row.sequence,
          timestamp: formatInstant(row.at),
          person,
          payload: eventText(row),
        };
      }),
      next_after: hasMore ? rows.at(-1)!.sequence : upTo,
      has_more: hasMore,
    },
  };
};
