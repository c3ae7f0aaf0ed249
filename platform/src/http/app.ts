/**
 * The whole way of a request, top to bottom. A step answers, hands on to the next one, or throws an error that
 * `problems` answers.
 */
import express, { type Express, Router } from 'express';
import { createAdmission } from './admission.js';
import { createFinish, httpsHeaders } from './answer.js';
import type { Api, AppOptions } from './api.js';
import { checkMediaType, readBody } from './body.js';
import { beginExchange } from './exchange.js';
import { handle } from './handle.js';
import { routesOf } from './match.js';
import { type Contract, readContract } from './operations.js';
import { pagesOf } from './pages.js';
import { parse, validate } from './parse.js';
import { createProblems } from './problem.js';
import { mountSockets, type TakeHandshake } from './sockets.js';
import { createUnmatched, onlyReads } from './unmatched.js';

export interface App {
  readonly express: Express;
  /** The receiver of WebSocket handshakes from `listen`. */
  readonly takeHandshake: TakeHandshake;
}

const defaultMaxBodyBytes = 256 * 1024;

/** @throws Error if an operation has no handler or a handler no operation */
export async function createApp(options: AppOptions): Promise<App> {
  const servedApis = await Promise.all(
    options.apis.map(async (api) => ({ api, contract: await readContract(api.document) })),
  );
  for (const { api, contract } of servedApis) requireHandlers(api, contract);
  const maxBodyBytes = options.maxBodyBytes ?? defaultMaxBodyBytes;
  const finish = createFinish(options);
  const admission = createAdmission(options);
  const { refuseOtherMethods, refuseUnknown } = createUnmatched(admission, finish);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.enable('case sensitive routing');
  app.enable('strict routing');
  const takeHandshake = mountSockets(
    app,
    servedApis.flatMap(({ contract }) => contract.webSocketPaths),
  );

  // An id, the instant, the address of the client.
  app.use(beginExchange(options));
  const steps = Router().use(
    // A body may take half a minute: the caller and the instant are determined once the request is whole.
    checkMediaType(maxBodyBytes),
    readBody(maxBodyBytes, options),
    admission.countUnread,
    admission.refuseWhileFailing,
    admission.admit,
    parse,
    validate,
    handle(admission, finish),
  );
  for (const { api, contract } of servedApis) app.use(routesOf(api, contract, steps, refuseOtherMethods));

  // Requests without an operation.
  app.use((_, response, next) => {
    response.set(httpsHeaders(options.httpsOnly));
    next();
  });
  for (const [path, answer] of Object.entries(options.routes ?? {}))
    app.route(path).get(answer).all(refuseOtherMethods(onlyReads));
  if (options.mountPages !== undefined) app.use(pagesOf(options.mountPages));
  app.use(refuseUnknown);

  app.use(createProblems(options, finish));
  return { express: app, takeHandshake };
}

function requireHandlers({ handlers }: Api, { operations }: Contract): void {
  const ids = new Set(operations.map(({ id }) => id));
  const missingIds = [...ids].filter((id) => handlers[id] === undefined);
  const unknownIds = Object.keys(handlers).filter((id) => !ids.has(id));
  if (missingIds.length + unknownIds.length > 0)
    throw new Error(
      `operations without handler: ${missingIds.join(', ')}; handlers without operation: ${unknownIds.join(', ')}`,
    );
}
