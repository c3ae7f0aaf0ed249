import type { Handler } from '@clockproof/platform/http/operation';
import { formatInstant } from '@clockproof/platform/time/instant';
import { readFeatures } from '../../extensions/features.js';
import type { operations } from '../../generated/app-types.js';
import { showConsent as show } from '../../oauth/consent.js';
import { destinationOf } from '../../oauth/redirect.js';
import { scopeText } from '../../oauth/scope-texts.js';
import { Refusal } from '../../refusal.js';
import { isFresh, nameOf, type PersonCaller } from '../caller.js';
import type { AppNeeds } from '../needs.js';

export function showConsent({
  db,
  cookies,
  extensionsEnabled,
}: Pick<AppNeeds, 'db' | 'cookies' | 'extensionsEnabled'>): Handler<operations['showConsent'], PersonCaller> {
  return async ({ caller: { person, session }, path: { id }, headers, at }) => {
    if (!(await readFeatures(db, extensionsEnabled)).personal_links) throw new Refusal('feature_disabled');
    const { request, extension, scopes } = await db.write((tx) =>
      show(tx, id, { person, sessionId: session.id, browserMark: cookies.browser(headers) }, at),
    );
    return {
      status: 200,
      body: {
        id: request.id,
        extension: { id: extension.id, name: extension.name },
        person: { id: person.id, name: nameOf(person) },
        scopes: scopes.map((scope) => ({ scope, ...scopeText(scope, person.language) })),
        redirect_host: destinationOf(request.redirect_uri),
        lifetime_days: extension.link_days,
        second_factor_needed: !isFresh(session, at),
        expires_at: formatInstant(request.expires_at),
      },
    };
  };
}
