/** Writes to the tables of the service by typed row; see `generated/tables.ts`. */
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
