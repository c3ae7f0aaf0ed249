import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { listPasskeyRows } from '../../sign-in/passkey-rows.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { presentPasskey } from './present-passkey.js';

export function listPasskeys({ db }: Pick<AppNeeds, 'db'>): Handler<operations['listPasskeys'], PersonCaller> {
  return async ({ caller: { person } }) => ({
    status: 200,
    body: { data: (await listPasskeyRows(db, person.id)).map(presentPasskey) },
  });
}
