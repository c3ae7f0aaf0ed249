/** Writes `src/generated/tables.ts`, the rows of the migrated schema. */
import { writeTables } from '@clockproof/platform/tools/write-tables';
import { migrations } from '../src/store/migrations/migrations.js';
import { columnTypes } from './column-types.js';

await writeTables('service', new URL('../src/generated/', import.meta.url), migrations, columnTypes);
