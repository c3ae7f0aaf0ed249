import type { Migration } from '@clockproof/platform/database/database';

/** Which types of events an extension receives by webhook and over the WebSocket: a JSON array, NULL for every type. */
export const eventTypesOfExtensions: Migration = {
  id: '0530-event-types-of-extensions',
  statements: () => ['ALTER TABLE extensions ADD COLUMN event_types TEXT'],
};
