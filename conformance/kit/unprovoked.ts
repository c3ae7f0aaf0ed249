/** Documented statuses that the kit does not provoke, each with the reason. What is neither provoked nor named here fails. */
const statuses: readonly (readonly [RegExp, string])[] = [
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

/** The same of codes whose status is provoked by another one. */
const codes: readonly (readonly [RegExp, string])[] = [
  [/^connectExtension 403 feature_disabled$/, 'reserved: only what writes can be switched off today'],
  [/ 403 feature_disabled$/, 'needs --intrusive: it is switched off for the whole deployment'],
  [/^getMe 401 token_expired$/, 'needs an access token of an hour ago'],
  [/^authorize 400 unknown_app$/, 'is shown on a page for people'],
  [/ 403 department_not_allowed$/, 'is decided with the proof, which the card completes in another request'],
  [/^(clock|start|end|stamp)\w+ 409 month_closed$/, 'a month cannot be closed while it lasts'],
  [/^stampAtTerminal 409 employment_ended$/, 'a badge ends with the employment, before it can stamp'],
  [/^deleteAbsence 409 employment_ended$/, 'needs an employment that ended while a request was waiting'],
  [
    /^stampAtTerminal 409 too_many_breaks$/,
    'needs a hundred breaks of a person with a badge; startBreak shows the same rule',
  ],
];

type Reasons = readonly (readonly [RegExp, string])[];
const find = (reasons: Reasons, key: string) => reasons.find(([pattern]) => pattern.test(key))?.[1];
/** @param key `operation status` @returns undefined where there is none */
export const reasonFor = (key: string): string | undefined => find(statuses, key);
/** @param key `operation status code` @returns undefined where there is none */
export const reasonForCode = (key: string): string | undefined =>
  find(codes, key) ?? reasonFor(key.split(' ').slice(0, 2).join(' '));
