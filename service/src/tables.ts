/** Writes to the tables of the service by typed row (see `generated/tables.ts`), and lists of ids in statements. */
import { tableWrites } from '@clockproof/platform/database/table';
import type { Defaults, Tables } from './generated/tables.js';

export const {
  insert,
  insertReturning,
  insertIfAbsent,
  upsert,
  update,
  updateReturning,
  insertStatement,
  updateStatement,
} = tableWrites<Tables, Defaults>();

/**
 * A list of ids for `IN (…)`, with its parameters.
 * @param ids at least one: an empty list is no SQL
 */
export function among(ids: readonly number[]): {
  readonly list: string;
  readonly parameters: Readonly<Record<string, number>>;
} {
  return {
    list: ids.map((_, index) => `:id_${index}`).join(', '),
    parameters: Object.fromEntries(ids.map((id, index) => [`id_${index}`, id])),
  };
}
