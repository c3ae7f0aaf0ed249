import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import type { operations } from '../../generated/app-types.js';
import { requestPasskey as request } from '../../sign-in/passkeys.js';
import type { PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function requestPasskey({
  db,
  relyingParty,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'relyingParty' | 'randomBytes'>): Handler<operations['requestPasskey'], PersonCaller> {
  return async ({ caller: { person, session }, at }) => {
    const { options, expiresAt } = await db.write((tx) =>
      request(tx, { personId: person.id, sessionId: session.id, relyingParty }, randomBytes, at),
    );
    return { status: 200, body: { public_key: options, expires_at: formatInstant(expiresAt) } };
  };
}
