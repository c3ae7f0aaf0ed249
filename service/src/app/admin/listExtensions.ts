import type { Handler } from '@clockproof/platform/http/operation';
import { pageOf } from '../../api/page.js';
import { listExtensionRows } from '../../extensions/rows.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { presentExtension } from './present-extension.js';

export function listExtensions({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listExtensions'], PersonCaller> {
  return async ({ caller, query: { cursor, limit = 100 }, at }) => {
    const binding = ['listExtensions', caller.person.id];
    const after = cursor === undefined ? undefined : cursors.read<{ name: string; id: string }>(binding, cursor);
    const page = pageOf(
      await listExtensionRows(db, after, limit + 1),
      limit,
      (row) => row,
      (last) => cursors.write(binding, { name: last.name, id: last.id }),
    );
    return {
      status: 200,
      body: { ...page, data: await Promise.all(page.data.map((row) => presentExtension(db, row, at))) },
    };
  };
}
