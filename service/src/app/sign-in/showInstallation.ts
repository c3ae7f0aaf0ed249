import type { Handler } from '@clockproof/platform/http/operation';
import { readFeatures } from '../../extensions/features.js';
import type { operations } from '../../generated/app-types.js';
import { superAdminExists } from '../../sign-in/rows.js';
import type { Visitor } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function showInstallation({
  db,
  version,
  extensionsEnabled,
}: Pick<AppNeeds, 'db' | 'version' | 'extensionsEnabled'>): Handler<operations['showInstallation'], Visitor> {
  return async () => ({
    status: 200,
    body: {
      version,
      set_up_needed: !(await superAdminExists(db)),
      languages: ['de', 'en'],
      features: await readFeatures(db, extensionsEnabled),
    },
  });
}
