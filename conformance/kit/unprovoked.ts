/** A test of the product itself, for what cannot be seen from outside. */
export interface ProductTest {
  /** From the root of the repository. */
  readonly file: string;
  /** Its title, as it is written there. */
  readonly test: string;
}

/** Each file once, with the titles in it. */
export const namesOf = (tests: readonly ProductTest[] = []): string =>
  [...new Set(tests.map(({ file }) => file))]
    .map((file) => {
      const titles = tests.filter((one) => one.file === file).map(({ test }) => `“${test}”`);
      return `\`${file}\` ${titles.join(', ')}`;
    })
    .join('; ');

/** What the kit does not provoke, why, and the tests of the product that do, if there are any. */
interface Unprovoked {
  readonly of: RegExp;
  readonly why: string;
  readonly checkedBy?: readonly ProductTest[];
}

const service = (name: string, ...titles: string[]): readonly ProductTest[] =>
  titles.map((test) => ({ file: `service/test/${name}.test.ts`, test }));
const withoutExtensions = service(
  'admin',
  'the administration, the connection and linking are not there, writing is switched off, and reading stays',
);

/** Documented statuses that the kit does not provoke, each with the reason. What is neither provoked nor named here fails. */
const statuses: readonly Unprovoked[] = [
  {
    of: / 500$/,
    why: 'a fault of the service itself, which no request can cause',
    checkedBy: service('webhooks', 'never go out unsigned'),
  },
  {
    of: / 503$/,
    why: 'needs an overloaded service, or one that is starting',
    checkedBy: service(
      'busy-pool',
      'that is held answers 503 with Retry-After to writes, goes on with reads, and works again once it is not',
    ),
  },
  { of: /^connectExtension 200$/, why: 'needs a proxy that takes WebSockets over HTTP/2 (RFC 8441)' },
  {
    of: /^(connectExtension|getAuthorizationServerMetadata) 404$/,
    why: 'needs a deployment with EXTENSIONS_ENABLED=false',
    checkedBy: withoutExtensions,
  },
  {
    of: /^getAuthorizationServerMetadata 400$/,
    why: 'its readers may add parameters of their own, so no request to it is wrong',
  },
  {
    of: /^authorize 200$/,
    why: 'the service answers with a redirect (303) to the page; a deployment may answer with the page itself',
  },
];

/** The same of codes whose status is provoked by another one. */
const codes: readonly Unprovoked[] = [
  {
    of: /^connectExtension 410 sync_window_exceeded$/,
    why: 'needs events older than the window of 72 hours',
    checkedBy: service('websocket', 'refuses a position that is older than 72 hours, or not one of its own'),
  },
  {
    of: /^listEvents 410 sync_window_exceeded$/,
    why: 'needs events older than the window of 30 days',
    checkedBy: service('reading', 'lets events be pulled by who may read what is in them'),
  },
  { of: /^connectExtension 403 feature_disabled$/, why: 'reserved: only what writes can be switched off today' },
  {
    of: / 403 feature_disabled$/,
    why: 'needs --intrusive: it is switched off for the whole deployment',
    checkedBy: withoutExtensions,
  },
  {
    of: /^getMe 401 token_expired$/,
    why: 'needs an access token of an hour ago',
    checkedBy: service('oauth', 'has access for an hour'),
  },
  {
    of: /^authorize 400 unknown_app$/,
    why: 'is shown on a page for people, which has no code',
    checkedBy: service(
      'oauth',
      'returns to registered addresses alone, compared byte for byte, and shows a page otherwise',
    ),
  },
  {
    of: / 403 department_not_allowed$/,
    why: 'is decided with the proof, which the card completes in another request',
    checkedBy: service('terminals', 'stamps only where its department may, and is refused after the proof'),
  },
  {
    of: /^(clock|start|end|stamp)\w+ 409 month_closed$/,
    why: 'a month cannot be closed while it lasts',
    checkedBy: service('months', 'a stamp through the API, in every verb'),
  },
  {
    of: /^deleteAbsence 409 employment_ended$/,
    why: 'is only documented: an earlier version of the document promised it',
  },
  {
    of: /^stampAtTerminal 409 too_many_breaks$/,
    why: 'needs a hundred breaks of a person with a badge; startBreak shows the same rule',
    checkedBy: service('clocking', 'refuses the hundred and first break of an entry, which can still be ended'),
  },
];

const find = (among: readonly Unprovoked[], key: string) => {
  const found = among.find(({ of }) => of.test(key));
  if (found?.checkedBy === undefined) return found?.why;
  return `${found.why} (checked by ${namesOf(found.checkedBy)})`;
};
/** @param key `operation status` @returns undefined where there is none */
export const reasonFor = (key: string): string | undefined => find(statuses, key);
/** @param key `operation status code` @returns undefined where there is none */
export const reasonForCode = (key: string): string | undefined =>
  find(codes, key) ?? reasonFor(key.split(' ').slice(0, 2).join(' '));
/** Every test that a reason points to. */
export const testsOfReasons: readonly ProductTest[] = [...statuses, ...codes].flatMap(
  ({ checkedBy = [] }) => checkedBy,
);
