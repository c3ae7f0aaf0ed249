/**
 * With EXTENSIONS_ENABLED=false, the operations of extensions do not exist: they are removed from the documents before
 * the documents are served.
 */
import { appOperations, operations } from '../generated/contract.js';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
}

/** Personal links, the event connection, and the administration of extensions. */
const extensionPaths = [
  /^\/oauth\//,
  /^\/\.well-known\/oauth-authorization-server$/,
  /^\/api\/v1\/extension\//,
  /^\/app\/admin\/extensions(\/|$)/,
  /^\/app\/consent\//,
  /^\/app\/linked-apps(\/|$)/,
];

export function featureGatedDocument(document: object, extensionsEnabled: boolean): object {
  if (extensionsEnabled) return document;
  const { paths, ...rest } = document as Document;
  return { ...rest, paths: Object.fromEntries(Object.entries(paths).filter(([path]) => !belongsToExtensions(path))) };
}

export function featureGatedHandlers<Handlers extends object>(
  handlers: Handlers,
  extensionsEnabled: boolean,
): Partial<Handlers> {
  if (extensionsEnabled) return handlers;
  const operationsById: Readonly<Record<string, { readonly path: string }>> = { ...operations, ...appOperations };
  return Object.fromEntries(
    Object.entries(handlers).filter(([id]) => !belongsToExtensions(operationsById[id]!.path)),
  ) as Partial<Handlers>;
}

function belongsToExtensions(path: string): boolean {
  return extensionPaths.some((pattern) => pattern.test(path));
}
