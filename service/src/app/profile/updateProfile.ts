import type { Handler } from '@clockproof/platform/http/operation';
import { appendAudit } from '../../audit/audit.js';
import { takeSequence } from '../../events/events.js';
import type { operations } from '../../generated/app-types.js';
import { findPerson, updatePerson } from '../../people/rows.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { presentSession } from '../present-session.js';

export function updateProfile({
  db,
  extensionsEnabled,
}: Pick<AppNeeds, 'db' | 'extensionsEnabled'>): Handler<operations['updateProfile'], PersonCaller> {
  return async ({ caller, body, at }) => {
    const { language } = body;
    const person = await db.write(async (tx) => {
      const changed = await takeSequence(tx);
      const before = (await findPerson(tx, caller.person.id, null))!;
      if (language === undefined || language === before.language) return before;
      const after = { ...before, language, updated_at: at, changed };
      await updatePerson(tx, after);
      await appendAudit(tx, {
        at,
        companyId: before.company_id,
        actor: actorOf(caller),
        action: 'profile.changed',
        subject: `person ${before.id}`,
        details: { before: { language: before.language }, after: { language } },
      });
      return after;
    });
    return { status: 200, body: await presentSession(db, { ...caller, person }, extensionsEnabled, at) };
  };
}
