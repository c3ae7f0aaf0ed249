/** Answers that a client may ask for again only if they changed (RFC 9110 §8.8.3 and §13.1.2). */
import { hash } from 'node:crypto';

/** A strong entity tag over the bytes of an answer. */
export function entityTagOf(bytes: string | Buffer): string {
  return `"${hash('sha256', bytes, 'base64url').slice(0, 27)}"`;
}

/** Reports whether `If-None-Match` names the tag: `*` or a list of tags, by weak comparison. */
export function isNamed(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag);
}

/** One record with its tag, or 304 if the client's copy is current. */
export function recordAnswer<Body extends object>(
  body: Body,
  ifNoneMatch: string | undefined,
  tagOf: (serialised: string) => string = entityTagOf,
) {
  const json = JSON.stringify(body);
  const headers = { etag: tagOf(json) };
  return isNamed(headers.etag, ifNoneMatch)
    ? ({ status: 304, headers } as const)
    : ({ status: 200, headers, serialised: json, body } as const);
}
