/**
 * What stands behind the edge beside the operations: pages, files and documents, served by express. Operations never
 * pass through here. Nothing but GET and HEAD is routed, and what has no route goes back to the edge for its 404.
 */
import express, { type Request, type Response, type Router } from 'express';
import type { Fallback } from './api.js';

/**
 * @param mount adds the routes. Addresses are exact: case and a final slash count.
 * Headers are the routes' own: the application adds none.
 */
export function createSite(mount: (routes: Pick<Router, 'get' | 'use'>) => void): Fallback {
  const site = express();
  site.disable('x-powered-by');
  site.disable('etag');
  site.enable('case sensitive routing');
  site.enable('strict routing');
  mount(site);
  return (request, response, unmatched) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return unmatched();
    site(request as Request, response as Response, (error?: unknown) =>
      // No page has an address whose percent-encoding cannot be read.
      error instanceof URIError ? unmatched() : unmatched(error),
    );
  };
}
