/**
 * Open pages learn that something changed: a stream of server-sent events for each, without content. It names the
 * families of changes that the person may see, as their roles are now, and ends with the session, which it does not
 * prolong. The page asks its queries again, so permissions are checked in the lists alone. A WebSocket would need
 * another credential in browsers.
 */
import type { Reader } from '@clockproof/platform/database/database';
import type { Log } from '@clockproof/platform/log';
import { singleFlight } from '@clockproof/platform/single-flight';
import { type Instant, second } from '@clockproof/platform/time/instant';
import { type Authority, authorityOf, grantsOf } from '../absences/deciders/authority.js';
import { isInApproverScope } from '../inbox/approvals.js';
import { everyone } from '../inbox/notices.js';
import type { PersonCaller } from '../people/caller.js';
import type { RoleGrant } from '../people/roles.js';
import { findPersonAnywhere, type PersonRow } from '../people/rows.js';
import type { Change, Hub } from '../store/hub.js';
import type { CompanyId, PersonId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import { type SeenOfColleagues, seenOfColleagues } from '../working-time/colleagues.js';
import { permitOf } from '../working-time/evaluations.js';
import { authenticatePerson } from './authenticate-person.js';

/** Anything may have changed. */
const anyChange = '*';
/** Changes that approvers see of the people they decide for. */
const seenByApprovers: ReadonlySet<string> = new Set([
  'absence',
  'clock',
  'correction',
  'entry',
  'month',
  'offline_stamp',
]);

/** Changes that a substitute without a role of their own sees: requests. */
const seenBySubstitutes: ReadonlySet<string> = new Set(['absence', 'correction', 'offline_stamp']);

/** Changes that people see of their department, if the company shows them. */
const seenByColleagues: ReadonlyMap<string, keyof SeenOfColleagues> = new Map([
  ['absence', 'absences'],
  ['clock', 'presence'],
  ['entry', 'presence'],
]);

/** Proxies and the server itself end connections that are silent for a minute. */
const maxSilence = 25 * second;
/** Changes within this time share a message and a look at the rights. Milliseconds. */
const batchMs = 100;
const maxPerSession = 10;
/** Above this number, the message is "anything". */
const maxChanges = 1_000;

export interface LiveOptions {
  readonly db: Reader;
  readonly hub: Hub;
  readonly clock: () => Instant;
  readonly log: Log;
}

export interface Live {
  /** The stream of a session. It ends when the session does. @param token of the session */
  follow(caller: PersonCaller, token: string): AsyncIterable<string>;
  /**
   * Keeps silent streams open, ends those of ended sessions, and tells pages that missed a change. A fault of the
   * database leaves them for the next time.
   */
  tick(): Promise<void>;
  close(): void;
}

export function createLive({ db, hub, clock, log }: LiveOptions): Live {
  const openStreams = new Set<Stream>();
  let changes: Change[] | undefined = [];
  let timer: NodeJS.Timeout | undefined;

  const unsubscribe = hub.subscribe((notification) => {
    if (openStreams.size === 0) return;
    changes = notification.changes === undefined ? undefined : changes?.concat(notification.changes);
    timer ??= setTimeout(() => {
      timer = undefined;
      void tellAll();
    }, batchMs);
  });

  /** One round at a time; changes in the meantime go into the next. */
  const tellAll = singleFlight(
    async () => {
      const limitedChanges = changes !== undefined && changes.length > maxChanges ? undefined : changes;
      changes = [];
      await tell(limitedChanges);
    },
    log,
    'telling pages of changes failed',
  );

  async function tell(changes: readonly Change[] | undefined): Promise<void> {
    const facts = createFacts(db);
    for (const stream of [...openStreams]) {
      try {
        const families = changes === undefined ? [anyChange] : await visibleFamilies(stream, changes, facts);
        if (families.length === 0 || !(await renew(stream))) continue;
        stream.say(changes === undefined ? families : await visibleFamilies(stream, changes, facts));
      } catch (error) {
        stream.hasMissed = true;
        log.warn({ err: error }, 'telling a page of changes failed');
      }
    }
  }

  /** Reads session and roles again. @returns false if the stream has ended with the session */
  async function renew(stream: Stream): Promise<boolean> {
    try {
      stream.caller = await authenticatePerson(db, stream.token, clock());
      stream.follow(await authorityOf(db, stream.caller.person, clock()));
      stream.sees = await seenOfColleagues(db, stream.caller.person);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      stream.end();
      return false;
    }
  }

  return {
    follow(caller, token) {
      const sessionStreams = [...openStreams].filter((stream) => stream.caller.session.id === caller.session.id);
      if (sessionStreams.length >= maxPerSession) sessionStreams[0]!.end();
      // Its roles are read before the first message: no grants show no one else.
      const stream: Stream = new Stream(caller, token, clock, () => openStreams.delete(stream));
      openStreams.add(stream);
      Promise.all([authorityOf(db, caller.person, clock()), seenOfColleagues(db, caller.person)]).then(
        ([authority, sees]) => {
          stream.follow(authority);
          stream.sees = sees;
          stream.begin();
        },
        () => stream.end(),
      );
      return stream;
    },
    async tick() {
      for (const stream of [...openStreams]) {
        if (!stream.hasMissed && clock() - stream.spokeAt < maxSilence) continue;
        try {
          if (!(await renew(stream))) continue;
          if (stream.hasMissed) stream.say([anyChange]);
          else stream.keepOpen();
          stream.hasMissed = false;
        } catch (error) {
          log.warn({ err: error }, 'a look at the session of an open page failed');
          return;
        }
      }
    },
    close() {
      unsubscribe();
      clearTimeout(timer);
      for (const stream of [...openStreams]) stream.end();
    },
  };
}

/** Facts for all streams of a round, looked up once. */
interface Facts {
  personOf(id: PersonId): Promise<PersonRow | undefined>;
  /** True if the company shows presence to anyone. */
  showsPresence(companyId: CompanyId): Promise<boolean>;
}

function createFacts(db: Reader): Facts {
  const people = new Map<PersonId, ReturnType<typeof findPersonAnywhere>>();
  const presence = new Map<CompanyId, ReturnType<typeof permitOf>>();
  return {
    personOf(id) {
      const person = people.get(id) ?? findPersonAnywhere(db, id);
      people.set(id, person);
      return person;
    },
    async showsPresence(companyId) {
      const permit = presence.get(companyId) ?? permitOf(db, companyId, 'presence');
      presence.set(companyId, permit);
      return (await permit) !== undefined;
    },
  };
}

/** The families of changes that a stream's person may see. */
async function visibleFamilies(
  { caller: { person }, sees, grants, substitutedGrants }: Stream,
  changes: readonly Change[],
  { personOf, showsPresence }: Facts,
): Promise<string[]> {
  const families = new Set<string>();
  for (const { family, company, parties } of changes) {
    if (families.has(family)) continue;
    const administers = grants.some(
      (grant) =>
        grant.role === 'super_admin' ||
        (grant.role === 'company_admin' && company !== null && grant.companyId === company),
    );
    const isConcerned =
      parties.includes(`person ${person.id}`) || (company === person.company_id && parties.includes(everyone));
    // A stamp shows that a person came or went.
    const isHidden = family === 'clock' && company !== null && !(await showsPresence(company));
    if (isHidden && !isConcerned) continue;
    if (administers || isConcerned) {
      families.add(family);
      continue;
    }
    const isForApprovers = seenByApprovers.has(family) && grants.some(({ role }) => role === 'approver');
    const colleagueRule = seenByColleagues.get(family);
    const isFollowed = colleagueRule !== undefined && sees[colleagueRule] && grants.length === 0;
    const substitutes = seenBySubstitutes.has(family) && substitutedGrants.length > 0;
    if (!isForApprovers && !isFollowed && !substitutes) continue;
    for (const party of parties) {
      const id = /^person (\d+)$/.exec(party)?.[1];
      const subject = id === undefined ? undefined : await personOf(Number(id));
      if (subject === undefined) continue;
      if (
        isInApproverScope(grants, subject) ||
        (isFollowed && isColleague(person, subject)) ||
        (substitutes && isInApproverScope(substitutedGrants, subject))
      )
        families.add(family);
    }
  }
  return [...families];
}

function isColleague(a: PersonRow, b: PersonRow): boolean {
  return a.company_id === b.company_id && a.department_id !== null && a.department_id === b.department_id;
}

/** The unread changes of one page: at most a name for each family. */
class Stream implements AsyncIterable<string>, AsyncIterator<string> {
  grants: readonly RoleGrant[] = [];
  /** Grants of the approvers in whose place a person without a role decides. */
  substitutedGrants: readonly RoleGrant[] = [];
  sees: SeenOfColleagues = { absences: false, presence: false };
  /** A fault of the database kept a change from the page. */
  hasMissed = false;
  spokeAt: Instant;
  readonly #families = new Set<string>();
  #hasBegun = false;
  #hasComment = false;
  #hasEnded = false;
  #wake: () => void = () => undefined;

  constructor(
    public caller: PersonCaller,
    readonly token: string,
    readonly clock: () => Instant,
    readonly onEnd: () => void,
  ) {
    this.spokeAt = clock();
  }

  /** Sets the people whose changes the page follows from now on. */
  follow(authority: Authority): void {
    const { ownGrants } = authority;
    this.grants = ownGrants.length === 0 ? [] : grantsOf(authority);
    this.substitutedGrants = ownGrants.length === 0 ? grantsOf(authority) : [];
  }

  /** The page reads at the first line, so changes are sent from then on, and none before. */
  begin(): void {
    this.#hasBegun = true;
    this.keepOpen();
  }

  say(families: readonly string[]): void {
    for (const family of families) this.#families.add(family);
    this.#wake();
  }

  keepOpen(): void {
    this.#hasComment = true;
    this.#wake();
  }

  end(): void {
    this.#hasEnded = true;
    this.onEnd();
    this.#wake();
  }

  async next(): Promise<IteratorResult<string>> {
    while (!this.#hasEnded && !(this.#hasBegun && (this.#hasComment || this.#families.size > 0)))
      await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#hasEnded) return { done: true, value: undefined };
    this.spokeAt = this.clock();
    if (this.#hasComment) {
      this.#hasComment = false;
      return { done: false, value: ':\n\n' };
    }
    const families = [...this.#families];
    this.#families.clear();
    return { done: false, value: `event: changed\ndata: ${JSON.stringify({ families })}\n\n` };
  }

  async return(): Promise<IteratorResult<string>> {
    this.end();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return this;
  }
}
