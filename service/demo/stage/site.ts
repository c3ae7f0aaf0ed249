/** The server of the demo page: on the loopback address only, and for its own page only. */
import { existsSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { TargetUser } from '../target.js';
import type { Audience } from './play.js';
import type { SignInLinks } from './sign-in-links.js';

export interface SiteNeeds {
  readonly url: string;
  readonly serviceUrl: string;
  /** The folder of the built page. */
  readonly pageFolder: string;
  readonly users: readonly TargetUser[];
  readonly links: SignInLinks;
  readonly audience: Audience;
  /** @returns true if the webhook has a valid signature */
  readonly receiveWebhook: (headers: IncomingHttpHeaders, body: string) => boolean;
  /** The actions of the page, by name. */
  readonly acts: Readonly<Record<string, (body: Readonly<Record<string, string>>) => Promise<unknown>>>;
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export function createSite(needs: SiteNeeds): Express {
  const { url, links, audience, acts } = needs;
  const site = express();
  site.disable('x-powered-by');
  site.post('/webhooks', express.text({ type: () => true }), (request, response) => {
    response.status(needs.receiveWebhook(request.headers, String(request.body)) ? 204 : 401).end();
  });
  site.use(refuseOtherPages(url));
  site.get('/sign-in/:link', signIn(links, needs.serviceUrl));
  site.get('/scene', (_, response) => audience.watch(response));
  site.post('/ask/:what', express.json(), async (request, response) => {
    const act = acts[String(request.params['what'])];
    if (act === undefined) return void response.status(404).end();
    try {
      await act((request.body ?? {}) as Record<string, string>);
      response.status(204).end();
    } catch (error) {
      response.status(409).json({ error: error instanceof Error ? error.message : String(error) });
    }
  });
  site.post('/links', (_, response) => {
    response.json(
      needs.users.map(({ id, first_name: firstName, role }) => ({
        first_name: firstName,
        role,
        url: `${url}/sign-in/${links.issue(id)}`,
      })),
    );
  });
  site.get('/demo', (_, response) => response.redirect('/'));
  if (existsSync(needs.pageFolder)) site.use(express.static(needs.pageFolder));
  return site;
}

/** Another page in the same browser, also one whose name leads here, may not touch the demo. */
const refuseOtherPages = (url: string) => (request: Request, response: Response, next: NextFunction) => {
  response.set({ 'content-security-policy': policy, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' });
  const { host, origin } = request.headers;
  const foreign = host !== new URL(url).host || (request.method !== 'GET' && origin !== url);
  if (foreign) response.status(403).end();
  else next();
};

const signIn = (links: SignInLinks, serviceUrl: string) => async (request: Request, response: Response) => {
  const token = await links.redeem(String(request.params['link']), request.headers['user-agent']);
  if (token === undefined) {
    response.status(410).type('text/plain').send('This link has been used. The demo page makes new ones.\n');
    return;
  }
  response.set('set-cookie', `session=${token}; Path=/; HttpOnly; SameSite=Lax`).redirect(303, `${serviceUrl}/`);
};
