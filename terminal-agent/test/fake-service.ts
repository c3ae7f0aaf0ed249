/**
 * The service that the conformance kit plays, for tests of the agent: with badges of several people, which it reads
 * with the service's dialogues, and with faults at any request.
 */
import { randomBytes } from 'node:crypto';
import { type Dialogue, UnexpectedResponse } from '../../conformance/roles/terminal/dialogue.js';
import {
  type AnswerOverride,
  defaultSettings,
  type Json,
  type Opening,
  type Person,
  PlayedService,
  type ReceivedRequest,
  type Reply,
  refusal,
} from '../../conformance/roles/terminal/service.js';
import {
  type BadgeKeys,
  CardRefused,
  issueDesfire,
  issueNtag,
  proveDesfire,
  proveNtag,
  type Dialogue as ReaderDialogue,
} from './verifier.js';

export { fingerprintOf as fingerprint } from '../../conformance/peers/terminal.js';

export interface Holder extends Person {
  readonly family: 'desfire' | 'ntag424';
  readonly keys: BadgeKeys;
}

/** A fault of one request. `drop` loses the request, `lose` loses the answer after the effect. */
export type Fault =
  | 'drop'
  | 'lose'
  | 'hang'
  | { readonly status: number; readonly code?: string; readonly retryAfter?: number; readonly text?: string }
  | { readonly body: Json };

export const terminalId = 'trm_7Q2MZK4D';
const sentences: Readonly<Record<string, string>> = {
  card_refused: 'The card was refused.',
  rate_limited: 'Too many requests.',
  unavailable: 'The service cannot answer right now.',
};
const refuse: typeof refusal = (status, code, more = {}, headers) =>
  refusal(status, code, { error: sentences[code] ?? 'Refused.', ...more }, headers);

export class FakeService extends PlayedService {
  /** Badges by UID in lower-case hexadecimal. */
  readonly badges = new Map<string, Holder>();
  /** `card`, `card/step`, `stamp`, … in the order of arrival, faults included. */
  readonly seen: string[] = [];
  /** Bodies of requests that were not dropped, in order. */
  readonly bodies: { readonly operation: string; readonly body: Json }[] = [];
  /** The next card in factory state becomes this person's badge. */
  issuing: { readonly holder: Holder; readonly choosesPin?: boolean } | undefined;
  /** Faults by operation; the first applies to the next request of that operation. */
  readonly failures = new Map<string, (Fault | undefined)[]>();
  /** Called before an operation is carried out. */
  before: (operation: string) => void = () => undefined;
  sealKey: string | undefined;
  override terminalId = terminalId;
  override code = '7K3MQ9XT';
  override lastNumber = 0;
  override settings = {
    ...defaultSettings(),
    offers: { info: false, info_without_pin: false, badge_and_pin: false, offline: false },
    instead: (request: ReceivedRequest) => this.#instead(request),
  };
  readonly terminal = terminalOf(this);
  protected override readonly futureMembers = {};
  protected override refuse = refuse;

  get address(): URL {
    return new URL(this.url);
  }

  get offers() {
    return this.settings.offers;
  }

  /** Milliseconds by which the service's clock is ahead. */
  set ahead(milliseconds: number) {
    this.settings.ahead = milliseconds;
  }

  /** The device's facts in its last question for the status. */
  get facts(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.heard.findLast(({ operation }) => operation.endsWith('/status'))?.query ?? []);
  }

  /** Sealed offline stamps by number. */
  get offline(): ReadonlyMap<number, string> {
    return new Map(this.uploaded.map(({ number, stamp }) => [number, String(stamp['sealed'])]));
  }

  #instead({ operation, body }: ReceivedRequest): AnswerOverride | Promise<AnswerOverride> {
    const name = operation.replace(/^\w+ \/api\/v1\/terminal\//, '');
    this.seen.push(name);
    const fault = this.failures.get(name)?.shift();
    if (fault === 'drop') return 'unseen';
    if (fault === 'hang') return new Promise(() => undefined);
    if (typeof fault === 'object' && 'status' in fault) return replyOf(fault);
    this.before(name);
    this.bodies.push({ operation: name, body });
    if (fault === 'lose') return 'lost';
    return fault === undefined ? undefined : { rewritten: fault.body };
  }

  /** The agent's tests may send any request. */
  protected override formFault(): undefined {}

  protected override open(uid: string): Opening | undefined {
    const badge = this.badges.get(uid);
    const person = badge ?? this.issuing?.holder;
    if (person === undefined) return undefined;
    const { family, keys } = person;
    const [issue, prove] = family === 'desfire' ? [issueDesfire, proveDesfire] : [issueNtag, proveNtag];
    const dialogue = readCard(uid, (badge === undefined ? issue : prove)(keys, randomBytes));
    return { person, dialogue, apdu: dialogue.next().value as string, issuing: badge === undefined };
  }

  protected override issued(uid: string, session: string): Json {
    const { holder, choosesPin = false } = this.issuing!;
    this.badges.set(uid, holder);
    this.issuing = undefined;
    const { firstName, language = 'de' } = holder;
    return choosesPin ? { session, choose_pin: true, first_name: firstName, language } : {};
  }

  protected override paired(): void {
    this.settings.confirmed = false;
  }

  protected override needsPin({ pin }: Person): boolean {
    return pin !== undefined && this.offers.badge_and_pin;
  }

  protected override status(): Json {
    const { location: _, seal_key: __, ...status } = super.status();
    const expiresAt = this.instant(this.now() + 120_000);
    return {
      ...status,
      name: 'Main entrance',
      ...(this.sealKey === undefined ? {} : { seal_key: this.sealKey }),
      ...(this.issuing && { issuing: { person_first_name: this.issuing.holder.firstName, expires_at: expiresAt } }),
    };
  }
}

export async function startFakeService(): Promise<FakeService> {
  const service = new FakeService();
  await service.listen(0, '127.0.0.1');
  return service;
}

function replyOf({ status, code = '', retryAfter, text }: Extract<Fault, { status: number }>): Reply {
  if (text !== undefined) return { status, body: text };
  return refuse(status, code, {}, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
}

/** A dialogue as the kit leads one. */
function* readCard(uid: string, dialogue: ReaderDialogue<void>): Dialogue {
  try {
    let step = dialogue.next();
    while (step.done !== true) step = dialogue.next(yield step.value);
    return { uid };
  } catch (error) {
    throw error instanceof CardRefused ? new UnexpectedResponse(error.message) : error;
  }
}

/** The terminal as the service has recorded it. */
const terminalOf = (service: PlayedService) => ({
  get publicKey() {
    return service.key;
  },
  set publicKey(key) {
    service.key = key;
  },
  get confirmed() {
    return service.settings.confirmed;
  },
  set confirmed(confirmed) {
    service.settings.confirmed = confirmed;
  },
  get pairingCode() {
    return service.code;
  },
});
