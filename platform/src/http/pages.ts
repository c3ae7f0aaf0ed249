/**
 * Pages, files and documents beside the operations. They are for GET and HEAD, their addresses are exact: case and a
 * final slash count. No limit counts them.
 */
import compression from 'compression';
import express, { type ErrorRequestHandler, type RequestHandler, Router } from 'express';

export type MountPages = (pages: Pick<Router, 'get' | 'use'>) => void;

/** @param mount adds the routes. Headers but for the encoding are the routes' own: the application adds none. */
export function pagesOf(mount: MountPages): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.use(onlyReads, compression());
  mount(router);
  router.use(unreadable);
  return router;
}

const onlyReads: RequestHandler = ({ method }, _, next) =>
  method === 'GET' || method === 'HEAD' ? next() : next('router');

/** Turns an address with unreadable percent-encoding into one without a page. */
const unreadable: ErrorRequestHandler = (error, _request, _response, next) =>
  next(error instanceof URIError ? undefined : error);

/** The files of a folder, each with these headers, a tag to ask again with, and the type of its name. */
export function filesIn(folder: string, headers: Readonly<Record<string, string>>): RequestHandler {
  return express.static(folder, {
    index: false,
    redirect: false,
    cacheControl: false,
    lastModified: false,
    setHeaders: (response) => {
      for (const [name, value] of Object.entries({ ...headers, 'x-content-type-options': 'nosniff' }))
        response.setHeader(name, value);
    },
  });
}
