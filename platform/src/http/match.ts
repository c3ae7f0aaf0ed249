/** From method and path to an operation: Express routes, made from the operations of a document. */
import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import type { Api } from './api.js';
import { exchangeOf, type Reached } from './exchange.js';
import type { Contract, OperationInfo } from './operations.js';
import type { RefuseOtherMethods } from './unmatched.js';

const noBody = Buffer.alloc(0);

/** @param steps what a request of an operation goes through */
export function routesOf(
  api: Api,
  contract: Contract,
  steps: RequestHandler,
  refuseOtherMethods: RefuseOtherMethods,
): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const reach =
    (target: Reached): RequestHandler =>
    (_, response, next) => {
      const { operation } = target;
      Object.assign(exchangeOf(response), { reached: target, operation, rawBody: noBody });
      next();
    };
  const readableAnywhere = (operation: OperationInfo) => operation.method === 'GET' && api.crossOriginGet(operation);
  const targets = new Map(
    contract.operations.map((operation) => [
      operation.id,
      { api, contract, operation, readableAnywhere: readableAnywhere(operation) },
    ]),
  );

  // Of two paths that match, the one without templates is meant.
  for (const [path, operations] of byPath(contract.operations)) {
    const route = router.route(path.replaceAll(/\{(\w+)\}/g, ':$1'));
    for (const operation of operations)
      route[operation.method.toLowerCase() as 'get'](reach(targets.get(operation.id)!), steps);
    const methods = operations.map(({ method }) => method);
    route.all(
      refuseOtherMethods({
        allow: methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)),
        readableAnywhere: operations.some(readableAnywhere),
      }),
    );
  }

  // Express refuses a path whose percent-encoding is broken before it has found a route. It is refused like any other
  // wrong parameter: after it is known who asks.
  const unreadable: ErrorRequestHandler = (error, request, response, next) => {
    if (!(error instanceof URIError)) return next(error);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const match = contract.backend.router.matchOperation({ method, path: request.path, headers: {} });
    if (match === undefined) next();
    else reach(targets.get(match.operationId!)!)(request, response, () => steps(request, response, next));
  };
  router.use(unreadable);
  return router;
}

function byPath(operations: readonly OperationInfo[]): readonly (readonly [string, readonly OperationInfo[]])[] {
  const paths = [...new Set(operations.map(({ path }) => path))];
  return paths
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map((path) => [path, operations.filter((operation) => operation.path === path)]);
}
