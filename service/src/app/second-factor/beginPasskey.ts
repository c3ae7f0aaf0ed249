import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { operations } from '../../generated/app-types.js';
import { beginPasskey as begin } from '../../sign-in/passkeys.js';
import { isFresh, nameOf, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function beginPasskey({
  db,
  sealingKeys,
  relyingParty,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'sealingKeys' | 'relyingParty' | 'randomBytes'>): Handler<
  operations['beginPasskey'],
  PersonCaller
> {
  return async ({ caller, at }) => {
    const { person, session } = caller;
    if (session.stage === 'complete') requireFreshFactor(caller, at);
    const adding = {
      personId: person.id,
      sessionId: session.id,
      proven: isFresh(session, at),
      relyingParty,
      account: person.email ?? nameOf(person),
      displayName: nameOf(person),
      keys: sealingKeys,
    };
    const { options, expiresAt } = await db.write((tx) => begin(tx, adding, randomBytes, at));
    return { status: 200, body: { public_key: options, expires_at: formatInstant(expiresAt) } };
  };
}
