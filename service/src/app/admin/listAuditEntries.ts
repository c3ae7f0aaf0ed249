import type { Handler } from '@clockproof/platform/http/operation';
import { pageOf } from '../../api/page.js';
import { listEntriesBack } from '../../audit/rows.js';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { auditFilterOf } from './audit-filter.js';
import { presentAuditEntries } from './present-audit.js';

export function listAuditEntries({
  db,
  cursors,
}: Pick<AppNeeds, 'db' | 'cursors'>): Handler<operations['listAuditEntries'], PersonCaller> {
  return async ({ caller, query }) => {
    const { cursor, limit = 100 } = query;
    const filter = auditFilterOf(caller, query);
    const binding = ['listAuditEntries', caller.person.id, filter];
    const before = cursor === undefined ? undefined : cursors.read<number>(binding, cursor);
    const rows = await listEntriesBack(db, filter, before, limit + 1);
    const page = pageOf(
      rows,
      limit,
      (row) => row,
      (last) => cursors.write(binding, last.sequence),
    );
    return { status: 200, body: { ...page, data: await presentAuditEntries(db, page.data) } };
  };
}
