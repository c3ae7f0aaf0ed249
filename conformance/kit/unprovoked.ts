/** Documented statuses that the kit does not provoke, each with the reason. What is neither provoked nor named here fails. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/ 500$/, 'a fault of the service itself, which nobody outside can cause'],
  [/ 503$/, 'an overloaded service or one that is starting; the chaos runs of the product cause it'],
  [/^(listEvents|connectExtension) 410$/, 'needs events older than the window of 72 hours or 90 days'],
  [/^connectExtension 200$/, 'needs a proxy that takes WebSockets over HTTP/2 (RFC 8441)'],
  [/^connectExtension 404$/, 'needs a deployment with EXTENSIONS_ENABLED=false'],
  [/^getAuthorizationServerMetadata 404$/, 'needs a deployment with EXTENSIONS_ENABLED=false'],
  [/^getAuthorizationServerMetadata 400$/, 'its readers may add parameters of their own, so that none is wrong'],
  [/^authorize 200$/, 'the page is reached by a redirect (303), which the kit follows in the API of the page'],
  [/^stepCardSession 422$/, 'needs a card that turns out to be of another family during the dialogue'],
];

/** @param key `operation status` @returns undefined where there is none */
export const reasonFor = (key: string): string | undefined => reasons.find(([pattern]) => pattern.test(key))?.[1];
