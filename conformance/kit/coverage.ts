/** The provoked share of everything that the documents name, the rest, and the reasons. */
import type { Contract } from './contract.js';
import { Breach, Skipped } from './outcome.js';
import type { World } from './world.js';

/** Documented statuses that no request of the kit provokes, each with the reason. */
const unprovokedStatuses: readonly (readonly [operationAndStatus: RegExp, reason: string])[] = [
  [/ 500$/, 'a fault of the service itself, which no request can cause'],
  [/ 503$/, 'needs an overloaded service, or one that is starting'],
  [/^connectExtension 200$/, 'needs a proxy that takes WebSockets over HTTP/2 (RFC 8441)'],
  [/^(connectExtension|getAuthorizationServerMetadata) 404$/, 'needs a deployment with EXTENSIONS_ENABLED=false'],
  [/^getAuthorizationServerMetadata 400$/, 'its readers may add parameters of their own, so no request to it is wrong'],
  [
    /^authorize 200$/,
    'the service answers with a redirect (303) to the page; a deployment may answer with the page itself',
  ],
];
/** The same of codes whose status is provoked by another code. */
const unprovokedCodes: readonly (readonly [operationStatusAndCode: RegExp, reason: string])[] = [
  [/^connectExtension 410 sync_window_exceeded$/, 'needs events older than the window of 72 hours'],
  [/^listEvents 410 sync_window_exceeded$/, 'needs events older than the window of 30 days'],
  [/^connectExtension 403 feature_disabled$/, 'reserved: only what writes can be switched off today'],
  [/ 403 feature_disabled$/, 'needs --intrusive: it is switched off for the whole deployment'],
  [/^(getMe|listMyProofs|getMyProof) 401 token_expired$/, 'needs an access token of an hour ago'],
  [/^authorize 400 unknown_app$/, 'is shown on a page for people, which has no code'],
  [/ 403 department_not_allowed$/, 'is decided with the proof, which the card completes in another request'],
  [/^(clock|start|end|stamp)\w+ 409 month_closed$/, 'a month cannot be closed while it lasts'],
  [/^deleteAbsence 409 employment_ended$/, 'is only documented: an earlier version of the document promised it'],
  [
    /^stampAtTerminal 409 too_many_breaks$/,
    'needs a hundred breaks of a person with a badge; startBreak shows the rule',
  ],
  [/ 403 terminal_stopped$/, 'needs two devices with one key, which are found after minutes'],
];
/** Without `--intrusive`. */
const needsIntrusion = /^(pairTerminal|getTerminalStatus) 403$/;

const reasonAmong = (reasons: typeof unprovokedStatuses, key: string): string | undefined =>
  reasons.find(([pattern]) => pattern.test(key))?.[1];

/** @param key `operation status` @returns the reason why it is not provoked; undefined if it should be */
export const reasonFor = (key: string, intrusive: boolean): string | undefined =>
  !intrusive && needsIntrusion.test(key)
    ? 'needs --intrusive: terminals are switched off for the whole deployment'
    : reasonAmong(unprovokedStatuses, key);

/** @param key `operation status code` */
const reasonForCode = (key: string, intrusive: boolean): string | undefined =>
  reasonAmong(unprovokedCodes, key) ?? reasonFor(key.split(' ').slice(0, 2).join(' '), intrusive);

export interface Coverage {
  readonly operations: number;
  readonly operationsCalled: number;
  readonly statuses: number;
  readonly statusesProvoked: number;
  /** Each with the reason, if there is one. */
  readonly missing: readonly string[];
  readonly codes: number;
  readonly codesProvoked: number;
  readonly codesMissing: readonly string[];
  readonly answers: number;
}

/** `operation status`. */
const documentedStatuses = ({ operations }: Contract): readonly string[] =>
  operations.flatMap(({ id, statuses }) => statuses.map((status) => `${id} ${status}`));
const statusesNotSeen = (contract: Contract) => documentedStatuses(contract).filter((key) => !contract.seen.has(key));

export function coverageOf({ contract, intrusive }: Pick<World, 'contract' | 'intrusive'>): Coverage {
  const missingStatuses = statusesNotSeen(contract);
  const codesMissing = contract.codesNotSeen();
  const [statuses, codes] = [documentedStatuses(contract).length, contract.documentedCodes().length];
  const calledOperations = new Set([...contract.seen.keys()].map((key) => key.split(' ')[0]));
  return {
    operations: contract.operations.length,
    operationsCalled: calledOperations.size,
    statuses,
    statusesProvoked: statuses - missingStatuses.length,
    missing: missingStatuses.map((key) => `${key}: ${reasonFor(key, intrusive) ?? 'not provoked'}`),
    codes,
    codesProvoked: codes - codesMissing.length,
    codesMissing: codesMissing.map((key) => `${key}: ${reasonForCode(key, intrusive) ?? 'not provoked'}`),
    answers: [...contract.seen.values()].reduce((sum, count) => sum + count, 0),
  };
}

export const unexplainedStatuses = ({ contract, intrusive }: World): readonly string[] =>
  statusesNotSeen(contract).filter((key) => reasonFor(key, intrusive) === undefined);
export const unexplainedCodes = ({ contract, intrusive }: World): readonly string[] =>
  contract.codesNotSeen().filter((key) => reasonForCode(key, intrusive) === undefined);

/** @throws Breach something is missing. @throws Skipped it may be missing because requirements were not judged */
export function needNone({ notJudged }: World, names: readonly string[], subject: string): void {
  if (names.length === 0) return;
  const message = `${names.length} ${subject}: ${names.join(', ')}`;
  if (notJudged.size === 0) throw new Breach(message);
  throw new Skipped(`${notJudged.size} requirements were not judged, which may provoke them: ${message}`);
}
