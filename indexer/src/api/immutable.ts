/**
 * Answers that may be kept for ever. A proof on the ledger never changes, so an answer that states nothing else gets a
 * strong entity tag over its bytes.
 * An answer may be kept only once the index has passed the proofs' checkpoint, and the node has delivered all of the
 * transaction by its digest and listed its proofs twice: until then another event of it, or the time, may still come in,
 * or turn out to be a mistake of the node.
 */
import { hash } from 'node:crypto';

export const immutable = 'public, max-age=31536000, immutable';

/**
 * @returns headers, the body as the text that was hashed, and whether the client's copy still stands (RFC 9110 §13.1.2,
 * by weak comparison)
 */
export function immutableAnswer(
  body: object,
  ifNoneMatch: string | undefined,
): { readonly headers: Readonly<Record<string, string>>; readonly serialised: string; readonly unchanged: boolean } {
  const serialised = JSON.stringify(body);
  const etag = `"${hash('sha256', serialised, 'base64url').slice(0, 27)}"`;
  return {
    headers: { etag, 'cache-control': immutable },
    serialised,
    unchanged: ifNoneMatch !== undefined && names(ifNoneMatch, etag),
  };
}

function names(list: string, etag: string): boolean {
  if (list.trim() === '*') return true;
  return list.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}
