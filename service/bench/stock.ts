/**
 * The ceiling of a read: an Express application as its manual shows it, with openapi-backend's validation of the same
 * operation, no authentication, no limits and no log.
 */
import addFormats from 'ajv-formats';
import express, { type Express } from 'express';
import { type Document, OpenAPIBackend } from 'openapi-backend';
import { document } from '../src/generated/service-document.js';

/** @param answer the body, for a query with values of the contract's types */
export async function createStock(
  operationId: string,
  answer: (query: Record<string, unknown>) => Promise<unknown>,
): Promise<Express> {
  const backend = new OpenAPIBackend({
    definition: document as Document,
    quick: true,
    coerceTypes: true,
    customizeAjv: (ajv) => addFormats.default(ajv),
  });
  await backend.init();
  const operation = backend.router.getOperation(operationId)!;
  return express().get(operation.path, express.json(), async ({ method, path, headers, query }, response) => {
    const request = {
      method,
      path,
      headers: headers as Record<string, string>,
      query: query as Record<string, string>,
    };
    const { valid, coerced, errors } = backend.validator.validateRequest(request, operation);
    if (valid) response.json(await answer(coerced!.query as Record<string, unknown>));
    else response.status(400).json({ errors });
  });
}
