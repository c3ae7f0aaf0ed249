import type { Migration } from '@clockproof/platform/database/database';

/** `link.ended` is for the extension whose link ended, so the event row names it. */
export const eventsOfExtensions: Migration = {
  id: '0320-events-of-extensions',
  statements: () => [
    'ALTER TABLE events ADD COLUMN extension_id TEXT REFERENCES extensions (id)',
    // The payload of older events names the link.
    `UPDATE events SET extension_id = (SELECT l.extension_id FROM links l WHERE l.person_id = events.person_id AND events.payload LIKE '%"' || l.id || '"%')
     WHERE type = 'link.ended'`,
    'CREATE INDEX events_by_extension ON events (extension_id, sequence) WHERE extension_id IS NOT NULL',
  ],
};
