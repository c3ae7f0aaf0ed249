import type { Migration } from '@clockproof/platform/database/database';

/**
 * A stamp is decided from one read and written in one message, if nothing it rests on has changed. `revision` counts
 * the stamps of a clock; `optimistic` counts the places in the commit sequence that such writes took, so that
 * `sequence - optimistic` changes with every other write, older versions' writes included.
 */
export const optimisticStamps: Migration = {
  id: '0300-optimistic-stamps',
  statements: (d) => [
    `ALTER TABLE clock_states ADD COLUMN revision ${d.integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE event_head ADD COLUMN optimistic ${d.integer} NOT NULL DEFAULT 0`,
  ],
};
