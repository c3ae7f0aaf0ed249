/** From method and path to an operation: Express routes, made from the operations of a document. */
import { type RequestHandler, Router } from 'express';
import type { Api } from './api.js';
import { exchangeOf, type Reached } from './exchange.js';
import type { Contract, OperationInfo } from './operations.js';
import type { RefuseOtherMethods } from './unmatched.js';

const noBody = Buffer.alloc(0);

/** @param steps the steps of every request of an operation */
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

  // Of two paths that match, the one without templates wins.
  for (const [path, operations] of byPath(contract.operations)) {
    const route = router.route(patternOf(path));
    for (const operation of operations) {
      const target = { api, contract, operation, readableAnywhere: readableAnywhere(operation) };
      route[operation.method.toLowerCase() as 'get'](reach(target), steps);
    }
    const methods = operations.map(({ method }) => method);
    route.all(
      refuseOtherMethods({
        allow: methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)),
        readableAnywhere: operations.some(readableAnywhere),
      }),
    );
  }
  return router;
}

/**
 * A path with templates. Express takes longer to make one of `/things/:id`, and would refuse broken percent-encoding
 * here; `parse` does so after the caller is known.
 */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

function byPath(operations: readonly OperationInfo[]): readonly (readonly [string, readonly OperationInfo[]])[] {
  const paths = [...new Set(operations.map(({ path }) => path))];
  return paths
    .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
    .map((path) => [path, operations.filter((operation) => operation.path === path)]);
}
