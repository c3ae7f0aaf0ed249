import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { renewRecoveryCodes as renewCodes } from '../../sign-in/second-factor.js';
import { actorOf, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function renewRecoveryCodes({
  db,
  sealingKeys,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'sealingKeys' | 'randomBytes'>): Handler<operations['renewRecoveryCodes'], PersonCaller> {
  return async ({ caller, at }) => {
    requireFreshFactor(caller, at);
    const { person } = caller;
    const codes = await db.write((tx) =>
      renewCodes(
        tx,
        { personId: person.id, companyId: person.company_id, keys: sealingKeys },
        actorOf(caller),
        randomBytes,
        at,
      ),
    );
    return { status: 200, body: { recovery_codes: codes } };
  };
}
