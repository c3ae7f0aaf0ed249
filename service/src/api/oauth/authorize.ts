import type { Database } from '@clockproof/platform/database/database';
import type { Handler } from '@clockproof/platform/http/operation';
import type { RandomBytes } from '../../extensions/keys.js';
import { findExtensionByClientId, readPeopleAccess } from '../../extensions/rows.js';
import type { operations } from '../../generated/service-types.js';
import { clientIdOf, judgeRequest, readParameters } from '../../oauth/authorization-request.js';
import { openConsent } from '../../oauth/consent.js';
import { withParameters } from '../../oauth/redirect.js';
import { Refusal } from '../../refusal.js';
import { authenticateSession } from '../../sign-in/sessions.js';
import type { Anyone } from '../caller.js';
import { refusalPage } from './refusal-page.js';

export interface AuthorizeNeeds {
  readonly db: Database;
  /** BASE_URL: the issuer, and where the page of consent is. */
  readonly baseUrl: string;
  /** The cookies of the web application. */
  readonly cookies: {
    session(headers: Readonly<Record<string, string | undefined>>): string | undefined;
    browser(headers: Readonly<Record<string, string | undefined>>): string | undefined;
    setBrowser(mark: string): string;
  };
  readonly randomBytes: RandomBytes;
}

const headersOfRedirect = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } as const;

export function authorize({
  db,
  baseUrl,
  cookies,
  randomBytes,
}: AuthorizeNeeds): Handler<operations['authorize'], Anyone> {
  return async ({ rawQuery, headers, at }) => {
    const parameters = readParameters(rawQuery);
    const clientId = parameters && clientIdOf(parameters);
    const extension = clientId === undefined ? undefined : await findExtensionByClientId(db, clientId);
    if (parameters === undefined || extension === undefined) return refusalPage(headers['accept-language']);
    const asking = {
      id: extension.id,
      linkable: extension.linkable === 1,
      redirectUris: JSON.parse(extension.redirect_uris) as string[],
      scopes: JSON.parse(extension.scopes) as string[],
    };
    const judged = judgeRequest(parameters, asking, (await readPeopleAccess(db)).personal_links === 1);
    if (judged.answer === 'page') return refusalPage(headers['accept-language']);
    if (judged.answer === 'redirect') {
      const { redirectUri, error, description, state } = judged;
      return {
        status: 303,
        headers: {
          ...headersOfRedirect,
          location: withParameters(redirectUri, { error, error_description: description, state, iss: baseUrl }),
        },
      };
    }
    const signedIn = await sessionOf(db, cookies.session(headers), at);
    const question = {
      extensionId: extension.id,
      redirectUri: judged.redirectUri,
      codeChallenge: judged.codeChallenge,
      state: judged.state,
      scopes: judged.scopes,
    };
    const { id, mark } = await db.write((tx) =>
      openConsent(tx, question, cookies.browser(headers), signedIn, randomBytes, at),
    );
    return {
      status: 303,
      headers: {
        ...headersOfRedirect,
        location: `${baseUrl}/link?request=${id}`,
        'set-cookie': cookies.setBrowser(mark),
      },
    };
  };
}

/** The complete session of this browser, if it has one: the request then belongs to that person from the start. */
async function sessionOf(
  db: Database,
  token: string | undefined,
  at: number,
): Promise<{ readonly sessionId: string; readonly personId: number } | undefined> {
  try {
    const session = await authenticateSession(db, token, at);
    return session.stage === 'complete' ? { sessionId: session.id, personId: session.person_id } : undefined;
  } catch (error) {
    if (error instanceof Refusal) return undefined;
    throw error;
  }
}
