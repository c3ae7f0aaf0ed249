import { formatInstant } from '@clockproof/platform/time/instant';
import { readFeatures } from '../../extensions/features.js';
import type { components } from '../../generated/app-types.js';
import type { Scope } from '../../generated/contract.js';
import type { AppHandler } from '../../http/handler.js';
import { actorOf, nameOf } from '../../people/actor.js';
import { isFresh, requireFreshFactor } from '../../people/caller.js';
import { Refusal } from '../../store/refusal.js';
import { answerConsent, readConsent } from './consent.js';
import { destinationOf } from './redirect.js';
import { scopeText } from './scope-texts.js';

export const showConsent: AppHandler<'showConsent'> = async ({
  db,
  cookies,
  extensionsEnabled,
  caller: { person, session },
  path: { id },
  headers,
  at,
}) => {
  if (!(await readFeatures(db, extensionsEnabled)).personal_links) throw new Refusal('feature_disabled');
  const { request, extension, scopes } = await db.write({ actor: actorOf(person), at }, (write) => {
    write.unaudited('credential');
    return readConsent(write, id, { person, sessionId: session.id, browserMark: cookies.browser(headers) }, at);
  });
  return {
    status: 200,
    body: {
      id: request.id,
      extension: { id: extension.id, name: extension.name },
      person: { id: person.id, name: nameOf(person) },
      scopes: scopes.map((scope) => ({ scope, ...scopeText(scope, person.language) })),
      redirect_host: destinationOf(request.redirect_uri),
      lifetime_days: extension.link_days,
      key_reads: extension.key_reads,
      key_scopes: readScopesOf(extension),
      second_factor_needed: !isFresh(session, at),
      expires_at: formatInstant(request.expires_at),
    },
  };
};

export const decideConsent: AppHandler<'decideConsent'> = async ({
  db,
  cookies,
  baseUrl,
  extensionsEnabled,
  randomBytes,
  caller,
  path: { id },
  body,
  headers,
  at,
}) => {
  if (!extensionsEnabled) throw new Refusal('feature_disabled');
  // Saying no needs no proof.
  if (body.decision === 'allow') requireFreshFactor(caller, at);
  const decider = { person: caller.person, sessionId: caller.session.id, browserMark: cookies.browser(headers) };
  // If the process stops before the commit nothing was decided; after it the code stands, and the app has a minute to
  // fetch it.
  const redirectTo = await db.write({ actor: actorOf(caller.person), at }, (write) =>
    answerConsent(write, id, decider, body, { issuer: baseUrl, randomBytes }),
  );
  return { status: 200, body: { redirect_to: redirectTo } };
};

type KeyScope = components['schemas']['ConsentRequest']['key_scopes'][number];

/** The read scopes of an extension's key, about anyone. */
/** The read scopes about people: a commitment names no one. */
function readScopesOf({ scopes }: { readonly scopes: string }): KeyScope[] {
  return (JSON.parse(scopes) as Scope[]).filter(
    (scope): scope is KeyScope => scope.startsWith('read:') && scope !== 'read:commitments',
  );
}
