import type { Handler } from '@clockproof/platform/http/operation';
import { appendAudit, canonicalOf } from '../../audit/audit.js';
import { listEntriesOn } from '../../audit/rows.js';
import type { operations } from '../../generated/app-types.js';
import { actorOf, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { auditFilterOf } from './audit-filter.js';
import { presentAuditEntries } from './present-audit.js';

const atOnce = 1_000;

export function exportAuditLog({ db }: Pick<AppNeeds, 'db'>): Handler<operations['exportAuditLog'], PersonCaller> {
  return async ({ caller, query, at }) => {
    requireFreshFactor(caller, at);
    const filter = auditFilterOf(caller, query);
    const lines: string[] = [];
    for (let after = 0; ; ) {
      const rows = await listEntriesOn(db, filter, after, atOnce);
      // `canonical` is the text the hash covers: hash = SHA-256(previous hash, as bytes, then canonical).
      (await presentAuditEntries(db, rows)).forEach((entry, index) =>
        lines.push(`${JSON.stringify({ ...entry, canonical: canonicalOf(rows[index]!) })}\n`),
      );
      if (rows.length < atOnce) break;
      after = rows.at(-1)!.sequence;
    }
    await db.write((tx) =>
      appendAudit(tx, {
        at,
        companyId: filter.companyId ?? undefined,
        actor: actorOf(caller),
        action: 'audit.exported',
        details: { from: query.from, to: query.to, entries: lines.length },
      }),
    );
    return {
      status: 200,
      headers: {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': `attachment; filename="audit-${query.from}-${query.to}.ndjson"`,
      },
      body: lines.join(''),
    };
  };
}
