import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { renamePasskey as rename } from '../../sign-in/passkeys.js';
import { actorOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';
import { presentPasskey } from './present-passkey.js';

export function renamePasskey({ db }: Pick<AppNeeds, 'db'>): Handler<operations['renamePasskey'], PersonCaller> {
  return async ({ caller, path: { id }, body: { name }, at }) => {
    const { person } = caller;
    return {
      status: 200,
      body: presentPasskey(
        await db.write((tx) =>
          rename(tx, { personId: person.id, companyId: person.company_id, id, name }, actorOf(caller), at),
        ),
      ),
    };
  };
}
