/** The demo's message at the end of its start: addresses, ways to sign in, things to try. */
import { generateSync } from 'otplib';
import type { Anchored } from './stage/anchoring.js';
import type { Stage } from './stage/stage.js';
import type { Target } from './target.js';

const roles = [
  ['employee', 'her own time: clock, month, absences'],
  ['approver', 'her department: who is here, what waits for a decision'],
  ['company_admin', 'the company: people, months, terminals'],
  ['super_admin', 'everything, integrations too'],
] as const;

export interface WelcomeNeeds {
  readonly target: Target;
  readonly targetFile: string;
  readonly stage: Stage;
  readonly readerUrl: string;
  /** The key of the extension »Schichtplan«. */
  readonly key: string;
  readonly anchored: Anchored;
}

export function welcomeText({ target, targetFile, stage, readerUrl, key, anchored }: WelcomeNeeds): string {
  const [serviceUrl, indexerUrl] = [target.service.url, target.indexer.url];
  const { users } = target.companies[0]!;
  const links = roles.map(([role, view]) => {
    const { id, first_name: firstName } = users.find((user) => user.role === role)!;
    return `  ${firstName.padEnd(6)} ${stage.signInLink(id)}\n         ${view}`;
  });
  const { email, password, totp_secret: totpSecret } = target.super_admin;
  const code = generateSync({ strategy: 'totp', secret: totpSecret, epoch: Math.floor(Date.now() / 1_000) });
  const { proof, root } = anchored;
  return `
One stamp in four places – door, phone, supervisor, developer – side by side:

  ${stage.url}/

Or sign in (each link once; the page above makes new ones):

${links.join('\n')}

Or as everybody signs in, at ${serviceUrl}/:

  e-mail address   ${email}
  password         ${password}
  second factor    ${code} now, later from an authenticator app with the key ${totpSecret}

Or try the API. KEY is the key of the extension »Schichtplan«; every credential of the demo is in ${targetFile}.

  KEY=${key}

  curl ${serviceUrl}/api/v1/status
  curl -H "Authorization: Bearer $KEY" ${serviceUrl}/api/v1/users
  curl -H "Authorization: Bearer $KEY" "${serviceUrl}/api/v1/clock/states?limit=5"
  curl -X POST -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"user_id":${users[3]!.id}}' ${serviceUrl}/api/v1/clock/in
  curl -H "Authorization: Bearer $KEY" "${serviceUrl}/api/v1/events"

Hold a badge to the reader at the door (also "emre" and "ole"):
  curl -H 'Content-Type: application/json' -d '{"present":"jana","wait":true}' ${readerUrl}/
  curl -H 'Content-Type: application/json' -d '{"remove":true}' ${readerUrl}/

Ask the verification service, which knows nothing of the operator (a page for people:
${indexerUrl}/#tx=${proof.tx}&root=${root} ):
  curl ${indexerUrl}/api/v1/status
  curl "${indexerUrl}/api/v1/verify/${proof.tx}?root=${root}"

Ctrl-C stops everything; the data stays.`;
}
