import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { presentSession } from '../present-session.js';

export function showSession({
  db,
  extensionsEnabled,
}: Pick<AppNeeds, 'db' | 'extensionsEnabled'>): Handler<operations['showSession'], PersonCaller> {
  return async ({ caller, at }) => ({ status: 200, body: await presentSession(db, caller, extensionsEnabled, at) });
}
