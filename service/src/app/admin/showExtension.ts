import type { Handler } from '@clockproof/platform/http/operation';
import { findExtension } from '../../extensions/rows.js';
import type { operations } from '../../generated/app-types.js';
import { Refusal } from '../../refusal.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { presentExtension } from './present-extension.js';

export function showExtension({ db }: Pick<AppNeeds, 'db'>): Handler<operations['showExtension'], PersonCaller> {
  return async ({ path: { id }, at }) => {
    const row = await findExtension(db, id);
    if (row === undefined) throw new Refusal('not_found');
    return { status: 200, body: await presentExtension(db, row, at) };
  };
}
