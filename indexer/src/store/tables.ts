/** Writes to the tables of the index by typed row; see `generated/tables.ts`. */
import { tableWrites } from '@clockproof/platform/database/table';
import type { Defaults, Tables } from '../generated/tables.js';

export const { insertIfAbsent, update } = tableWrites<Tables, Defaults>();
