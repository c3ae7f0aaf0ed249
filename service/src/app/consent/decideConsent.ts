import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../../generated/app-types.js';
import { decideConsent as decide } from '../../oauth/consent.js';
import { Refusal } from '../../refusal.js';
import { actorOf, type PersonCaller, requireFreshFactor } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function decideConsent({
  db,
  cookies,
  baseUrl,
  extensionsEnabled,
  randomBytes,
}: Pick<AppNeeds, 'db' | 'cookies' | 'baseUrl' | 'extensionsEnabled' | 'randomBytes'>): Handler<
  operations['decideConsent'],
  PersonCaller
> {
  return async ({ caller, path: { id }, body, headers, at }) => {
    if (!extensionsEnabled) throw new Refusal('feature_disabled');
    // Saying no needs no proof.
    if (body.decision === 'allow') requireFreshFactor(caller, at);
    const decider = { person: caller.person, sessionId: caller.session.id, browserMark: cookies.browser(headers) };
    // If the process stops before the commit nothing was decided; after it the code stands, and the app has a minute to
    // fetch it.
    const redirectTo = await db.write((tx) => decide(tx, id, decider, body, baseUrl, actorOf(caller), randomBytes, at));
    return { status: 200, body: { redirect_to: redirectTo } };
  };
}
