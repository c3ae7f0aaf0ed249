/** 501 is documented where the lists of operations to come say so, and nowhere else. */
import { describe, expect, it } from '@jest/globals';
import { document as appDocument } from '../src/generated/app-document.js';
import { document as serviceDocument } from '../src/generated/service-document.js';
import { notImplemented as appLater } from '../src/http/app/not-implemented.js';

interface Document {
  readonly paths: Record<string, Record<string, { readonly operationId?: string; readonly responses?: object }>>;
}

describe('501 in the document', () => {
  it.each([
    ['of the REST API', serviceDocument, []],
    ['of the pages', appDocument, appLater],
  ] as const)('%s is that of operations to come', (_, document, later) => {
    const documented = Object.values((document as Document).paths)
      .flatMap((item) => Object.values(item))
      .filter(({ responses }) => Object.hasOwn(responses ?? {}, '501'))
      .map(({ operationId }) => operationId);
    expect(documented.sort()).toEqual([...later].sort());
  });
});
