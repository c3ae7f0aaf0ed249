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
  /** Only without --intrusive. */
  readonly unlessIntrusive?: true;
}

const titles = (file: string, ...tests: string[]): readonly ProductTest[] => tests.map((test) => ({ file, test }));
const service = (name: string, ...tests: string[]): readonly ProductTest[] =>
  titles(`service/test/${name}.test.ts`, ...tests);
const withoutExtensions = service(
  'hr/admin',
  'the administration, the connection and linking are not there, writing is switched off, and reading stays',
);

/** Documented statuses that the kit does not provoke, each with the reason. What is neither provoked nor named here fails. */
const statuses: readonly Unprovoked[] = [
  {
    of: / 500$/,
    why: 'a fault of the service itself, which no request can cause',
    checkedBy: service('extensions/webhooks', 'never go out unsigned'),
  },
  {
    of: / 503$/,
    why: 'needs an overloaded service, or one that is starting',
    checkedBy: service(
      'store/busy-pool',
      'that is held answers 503 with Retry-After to writes, goes on with reads, and works again once it is not',
    ),
  },
  {
    of: /^(pairTerminal|getTerminalStatus) 403$/,
    why: 'needs --intrusive: terminals are switched off for the whole deployment',
    unlessIntrusive: true,
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
    checkedBy: service('extensions/websocket', 'refuses a position that is older than 72 hours, or not one of its own'),
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
    checkedBy: service('access/oauth', 'has access for an hour'),
  },
  {
    of: /^authorize 400 unknown_app$/,
    why: 'is shown on a page for people, which has no code',
    checkedBy: service(
      'access/oauth',
      'returns to registered addresses alone, compared byte for byte, and shows a page otherwise',
    ),
  },
  {
    of: / 403 department_not_allowed$/,
    why: 'is decided with the proof, which the card completes in another request',
    checkedBy: service('terminals/terminals', 'stamps only where its department may, and is refused after the proof'),
  },
  {
    of: /^(clock|start|end|stamp)\w+ 409 month_closed$/,
    why: 'a month cannot be closed while it lasts',
    checkedBy: service('months/months', 'a stamp through the API, in every verb'),
  },
  {
    of: /^deleteAbsence 409 employment_ended$/,
    why: 'is only documented: an earlier version of the document promised it',
  },
  {
    of: /^stampAtTerminal 409 too_many_breaks$/,
    why: 'needs a hundred breaks of a person with a badge; startBreak shows the same rule',
    checkedBy: service('clock/clocking', 'refuses the hundred and first break of an entry, which can still be ended'),
  },
  {
    of: / 403 terminal_stopped$/,
    why: 'needs two devices with one key, which are found after minutes',
    checkedBy: service('terminals/copied-keys', 'stops both while they are idle, with one notice to the admins'),
  },
];

/** Sentences of the specification that no client can check. */
export const invisible: readonly {
  readonly says: string;
  readonly why: string;
  readonly checkedBy: readonly ProductTest[];
}[] = [
  {
    says: 'IPv4-mapped addresses count as the IPv4 address, and IPv6 counts per /64.',
    why: 'needs clients in several networks',
    checkedBy: [
      ...titles(
        'platform/src/http/client-address.test.ts',
        'is one /64 of IPv6',
        'is every single IPv4 address, mapped ones too',
      ),
      ...titles(
        'indexer/test/verification-api.test.ts',
        'takes one /64 of IPv6 for one client and mapped IPv4 for many',
      ),
    ],
  },
  {
    says: 'Limits hold across replicas.',
    why: 'needs several processes of one deployment',
    checkedBy: titles(
      'service/test/extensions/limits-across-replicas.test.ts',
      'hold for a key',
      'hold for a personal link',
      'hold for a terminal',
      'hold for an address without a credential',
    ),
  },
  {
    says: 'Passwords are hashed with argon2id or scrypt, a bounded number at a time.',
    why: 'is not visible in answers',
    checkedBy: titles(
      'service/src/access/password.test.ts',
      'are hashed with argon2id above the parameters of OWASP, which stand in the hash',
      'runs two at once, lets fifty wait in turn and refuses the rest',
    ),
  },
  {
    says: 'The first start without people prints a link that works once for the first super admin.',
    why: 'needs an empty database',
    checkedBy: [
      ...titles(
        'service/test/process.test.ts',
        'prints a link to set up an empty installation, and stops on SIGTERM with 0',
      ),
      ...titles('service/test/access/sign-in.test.ts', 'is set up once, with the link'),
    ],
  },
  {
    says: 'audit verify names the first row that was tampered with.',
    why: 'needs access to the database',
    checkedBy: [
      ...titles(
        'service/test/store/audit.test.ts',
        'names an entry of which somebody changed %s, sealed or not',
        'names an entry that was moved or copied, sealed or not',
        'names an entry that was removed, and one that was added to the sealed part',
        'names what was cut off if a head of it was noted elsewhere',
      ),
      ...titles(
        'service/test/commands/audit-command.test.ts',
        'prints the head of an intact log, and takes it the next time',
      ),
    ],
  },
  {
    says: 'A delivery connects within 10 seconds and takes 15 at most; of the answer 64 KiB are read and 1 KiB is kept.',
    why: 'needs receivers that hold back an answer for long',
    checkedBy: titles(
      'service/test/extensions/webhook-requests.test.ts',
      'is given up when connecting takes too long, which is ten seconds',
      'may take nearly fifteen seconds, and not more',
      'may answer with up to 64 KiB',
      'keeps 1 KiB of the answer and what it says about coming back',
    ),
  },
  {
    says: 'An endpoint that fails for five days is disabled and the administrators get a notice; an attempt is repeated over three days.',
    why: 'takes days; the tests move the clock',
    checkedBy: titles(
      'service/test/extensions/deliveries.test.ts',
      'are disabled %s, which the page and the audit log show',
      'tell every super admin once that they were disabled, until it is read',
      'give up after ten attempts over three days, and go on with the next event',
    ),
  },
  {
    says: 'The connection says disconnect before a planned close, and closes with 4429 on a slow reader.',
    why: 'needs a deployment that stops, and a crowd of events',
    checkedBy: [
      ...titles(
        'service/test/extensions/websocket.test.ts',
        'ends when the service stops',
        'is closed for a client that does not read, which loses nothing',
      ),
      ...titles(
        'service/src/extensions/socket/connection.test.ts',
        'holds a megabyte and one message at most, and is closed with 4429',
      ),
    ],
  },
  {
    says: 'Nonces are spent durably, across replicas and restarts.',
    why: 'needs a second process and a restart of the deployment',
    checkedBy: titles(
      'service/test/terminals/terminals.test.ts',
      'are accepted once, whatever is tried with their bytes',
      'are accepted never when they were refused, also after a restart',
    ),
  },
  {
    says: 'The client address is the peer, or X-Forwarded-For walked from the right past trusted proxies.',
    why: 'needs proxies in front of the deployment',
    checkedBy: [
      ...titles(
        'platform/src/http/client-address.test.ts',
        'is found behind several listed hops',
        'never depends on what stands left of the first hop that is not listed',
      ),
      ...titles(
        'indexer/test/verification-api.test.ts',
        'refuses request 61 of a minute, whatever stands to the left in X-Forwarded-For',
        'skips listed proxies and ignores every other header that claims an address',
      ),
    ],
  },
  {
    says: 'A transaction may hold several proofs: one that is equal is a match.',
    why: 'needs a ledger that takes several proofs in one transaction',
    checkedBy: titles('indexer/test/verification-api.test.ts', 'matches any of several proofs in one transaction'),
  },
];

const find = (among: readonly Unprovoked[], key: string, intrusive: boolean) => {
  const found = among.find(({ of, unlessIntrusive }) => of.test(key) && !(intrusive && unlessIntrusive));
  if (found?.checkedBy === undefined) return found?.why;
  return `${found.why} (checked by ${namesOf(found.checkedBy)})`;
};

/** @param key `operation status` @returns undefined where there is none */
export const reasonFor = (key: string, intrusive: boolean): string | undefined => find(statuses, key, intrusive);
/** @param key `operation status code` @returns undefined where there is none */
export const reasonForCode = (key: string, intrusive: boolean): string | undefined =>
  find(codes, key, intrusive) ?? reasonFor(key.split(' ').slice(0, 2).join(' '), intrusive);
/** Every test that a reason points to. */
export const testsOfReasons: readonly ProductTest[] = [...statuses, ...codes, ...invisible].flatMap(
  ({ checkedBy = [] }) => checkedBy,
);
