/**
 * Answers that may be kept for ever. A proof on the ledger never changes, so an answer that states nothing else gets a
 * strong entity tag over its bytes.
 * An answer may be kept only once the index has passed the proofs' checkpoint, and the node has delivered all of the
 * transaction by its digest and listed its proofs twice: until then another event of it, or the time, may still come
 * in, or turn out to be a mistake of the node.
 */
import { entityTagOf, isNamed } from '@clockproof/platform/http/conditional';

export const immutable = 'public, max-age=31536000, immutable';

/**
 * @returns headers, the body as the text that was hashed, and whether the client's copy still stands
 */
export function immutableAnswer(
  body: object,
  ifNoneMatch: string | undefined,
): { readonly headers: Readonly<Record<string, string>>; readonly serialised: string; readonly unchanged: boolean } {
  const json = JSON.stringify(body);
  const etag = entityTagOf(json);
  return {
    headers: { etag, 'cache-control': immutable },
    serialised: json,
    unchanged: isNamed(etag, ifNoneMatch),
  };
}
