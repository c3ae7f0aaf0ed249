/** Every operation that is documented works: none answers 501. */
import { describe, expect, it } from '@jest/globals';
import { document as appDocument } from '../src/generated/app-document.js';
import { document as serviceDocument } from '../src/generated/service-document.js';

interface Document {
  readonly paths: Record<string, Record<string, { readonly operationId?: string; readonly responses?: object }>>;
}

describe('501 in the document', () => {
  it.each([
    ['of the REST API', serviceDocument],
    ['of the pages', appDocument],
  ] as const)('%s is that of no operation', (_, document) => {
    const documented = Object.values((document as Document).paths)
      .flatMap((item) => Object.values(item))
      .filter(({ responses }) => Object.hasOwn(responses ?? {}, '501'))
      .map(({ operationId }) => operationId);
    expect(documented).toEqual([]);
  });
});
