import { describe, expect, it } from '@jest/globals';
import { document } from '../../../src/generated/app-document.js';
import { codesOutsidePages } from './problems.en.js';

describe('a code of a refusal', () => {
  it('each refusal code of a page operation has words', () => {
    const codes = new Set(
      [...JSON.stringify(document).matchAll(/"code":"([a-z_]+)","request_id"/g)].map(([, code]) => code),
    );
    expect(codes.size).toBeGreaterThan(50);
    expect(codesOutsidePages.filter((code) => codes.has(code))).toEqual([]);
  });
});
