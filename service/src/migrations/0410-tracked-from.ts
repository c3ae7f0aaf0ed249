import type { Migration } from '@clockproof/platform/database/database';

/**
 * Working time is tracked from 2000 on. An earlier tracking start date was a typing error that made every report walk
 * through decades, and a month before then that was closed kept all later ones from being finalised.
 */
export const trackedFrom: Migration = {
  id: '0410-tracked-from',
  statements: () => [
    "UPDATE people SET kept_from = '2000-01-01' WHERE kept_from < '2000-01-01'",
    "DELETE FROM month_balances WHERE month < '2000-01'",
    "DELETE FROM closed_months WHERE month < '2000-01'",
  ],
};
