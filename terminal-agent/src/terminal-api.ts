import { z } from 'zod';
import { operations } from './generated/contract.js';
import type { components, operations as Operations } from './generated/service-types.js';
import type { Operation, Refused, ServiceClient, Unanswered } from './request.js';

type Schemas = components['schemas'];

/** A device's facts about itself in a question for its status. */
export type DeviceFacts = Readonly<NonNullable<Operations['getTerminalStatus']['parameters']['query']>>;

export type TerminalAction = Schemas['TerminalAction'];
export type ClockStateName = Schemas['TerminalStamp']['state'];
export type TerminalOffers = Pick<Schemas['TerminalOffers'], 'info' | 'info_without_pin' | 'badge_and_pin' | 'offline'>;
export type TerminalStatus = Pick<
  Schemas['TerminalStatus'],
  'confirmed' | 'name' | 'location' | 'stopped' | 'issuing' | 'server_time' | 'offline_last_number' | 'seal_key'
> & {
  readonly offers: TerminalOffers;
};
export type TerminalInfo = Schemas['TerminalInfo'];
/** Results of a later version may be words that this one does not know. */
export interface OfflineReceipt {
  readonly results: readonly { readonly number: number; readonly result: string }[];
  readonly last_number: number;
}
export type Pairing = Pick<Schemas['TerminalPairing'], 'terminal_id' | 'fingerprint'>;
export type Stamp = Pick<Schemas['TerminalStamp'], 'state' | 'server_time'> & {
  /** The recorded action; it can differ from the requested one if that would undo a stamp made a moment ago. */
  readonly action?: TerminalAction;
  /** Nothing new was recorded. */
  readonly repeated?: boolean;
  readonly warnings: readonly Pick<Schemas['Warning'], 'message'>[];
};

/** The card has proved that it holds its key. */
export interface Proof {
  readonly session: string;
  readonly firstName: string;
  readonly state: ClockStateName;
  readonly actions: readonly TerminalAction[];
  readonly pinRequired: boolean;
  /** The person is still clocked in from an earlier working day: nothing is stamped unless they choose. */
  readonly forgotten?: true;
  /** Since when the person is in this state. */
  readonly since?: string;
  /** The person's own language, or the one of the door's two that is closest. */
  readonly language?: 'de' | 'en';
  /** A stamp made a moment ago, to be shown in place of a choice. */
  readonly recorded?: { readonly action: TerminalAction; readonly at: string };
  /** The stamp that was named when the card was presented, made with the proof. */
  readonly stamp?: Stamp;
}

/** The badge is issued, and its holder is to choose a PIN. */
export interface PinChoice {
  readonly session: string;
  readonly firstName: string;
  readonly language?: 'de' | 'en';
}

/** The state of a card dialogue after an answer. */
export type CardAnswer =
  | { readonly next: 'command'; readonly session: string; readonly apdu: Uint8Array }
  | ({ readonly next: 'proved' } & Proof)
  | { readonly next: 'issued'; readonly pin?: PinChoice }
  /** The answer was lost; this is the outcome of the stamp that was named when the card was presented. */
  | { readonly next: 'recorded'; readonly stamp: Stamp }
  /** A result this version does not know: the session is over. */
  | { readonly next: 'over' };

/** With `pin_wrong`: the number of tries left before the PIN is locked. */
export function triesLeft({ body }: Refused): number | undefined {
  return z.object({ tries_left: z.number().int() }).safeParse(body).data?.tries_left;
}

export type CallResult<T> = { readonly kind: 'answered'; readonly body: T } | Refused | Unanswered;

/** The terminal protocol, one function an operation. Answers are checked before anybody acts on them. */
export interface TerminalApi {
  pair(request: Schemas['TerminalPairingRequest']): Promise<CallResult<Pairing>>;
  status(facts?: DeviceFacts): Promise<CallResult<TerminalStatus>>;
  card(request: Schemas['CardSessionRequest']): Promise<CallResult<CardAnswer>>;
  /**
   * @param isRepeated a stamp was named beforehand: sent again like {@link TerminalApi.stamp} while its answer is lost
   */
  step(request: Schemas['CardStep'], isRepeated?: boolean): Promise<CallResult<CardAnswer>>;
  /** Sends the very same request again while its answer is lost: it is recorded once, and the answer says so. */
  stamp(request: Schemas['TerminalStampRequest']): Promise<CallResult<Stamp>>;
  info(request: Schemas['TerminalInfoRequest']): Promise<CallResult<TerminalInfo>>;
  /** Sent again while its answer is lost: the PIN is set once. */
  choosePin(request: Schemas['PinChoice']): Promise<CallResult<undefined>>;
  offline(request: Schemas['OfflineStampBatch']): Promise<CallResult<OfflineReceipt>>;
  endSession(request: Schemas['CardSessionEnd']): Promise<CallResult<undefined>>;
}

/** @param run names the running program with each card, by which the service notices a second device with this key. */
export function terminalApi(client: ServiceClient, run?: string): TerminalApi {
  const call = async <T>(
    operation: { readonly method: string; readonly path: string },
    schema: z.ZodType<T>,
    body?: object,
    outcome?: 'now' | 'later',
  ): Promise<CallResult<T>> => {
    const reply = await (outcome === undefined
      ? client.call(upper(operation), body)
      : client.callSurely(upper(operation), body, outcome));
    if (reply.kind !== 'answered') return reply;
    const result = schema.safeParse(reply.body);
    return result.success
      ? { kind: 'answered', body: result.data }
      : { kind: 'unanswered', reason: 'an answer that does not have the documented form' };
  };
  return {
    pair: (request) => call(operations.pairTerminal, pairing, request),
    status: (facts = {}) => {
      const { method, path } = operations.getTerminalStatus;
      return call({ method, path: path + queryOf(facts) }, status);
    },
    card: (request) => call(operations.openCardSession, cardAnswer, run === undefined ? request : { ...request, run }),
    async step(request, isRepeated = false) {
      const reply = await call(operations.stepCardSession, cardAnswer, request, isRepeated ? 'now' : undefined);
      return isRepeated ? outcomeOf(reply, (stamp) => ({ next: 'recorded', stamp })) : reply;
    },
    stamp: async (request) =>
      outcomeOf(await call(operations.stampAtTerminal, stamp, request, 'later'), (stamp) => stamp),
    info: (request) => call(operations.getTerminalInfo, info, request),
    async choosePin(request) {
      const reply = await call(operations.chooseTerminalPin, z.undefined(), request, 'now');
      const hasArrived = reply.kind === 'refused' && reply.code === 'nonce_reused';
      return hasArrived ? { kind: 'answered', body: undefined } : reply;
    },
    offline: (request) => call(operations.uploadOfflineStamps, receipt, request),
    endSession: (request) => call(operations.endTerminalSession, z.undefined(), request),
  };
}

/** Our own request may have arrived earlier, and its answer was lost. Then this tells its outcome. */
function outcomeOf<T>(reply: CallResult<T>, present: (stamp: Stamp) => T): CallResult<T> {
  if (reply.kind !== 'refused' || reply.code !== 'nonce_reused') return reply;
  const { data } = outcome.safeParse(reply.body);
  if (data?.outcome.result === 'recorded') return { kind: 'answered', body: present(data.outcome.stamp) };
  if (data?.outcome.result === 'refused') return { ...reply, code: data.outcome.code };
  return { kind: 'unanswered', reason: 'the answer to the stamp was lost' };
}

function queryOf(facts: DeviceFacts): string {
  const pairs = Object.entries(facts).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

const upper = ({ method, path }: Operation): Operation => ({ method: method.toUpperCase(), path });

// Members that are not used here are not looked at: the service may add some.
const action = z.enum(['in', 'out', 'break_start', 'break_end']);
const state = z.enum(['out', 'in', 'on_break']);
const instant = z.string().refine((text) => !Number.isNaN(Date.parse(text)));
const session = z.string().regex(/^csn_[0-9A-Za-z_-]+$/);

const pairing: z.ZodType<Pairing> = z.object({ terminal_id: z.string(), fingerprint: z.string() });
const stamp: z.ZodType<Stamp> = z.object({
  action: action.exactOptional(),
  repeated: z.boolean().exactOptional(),
  state,
  server_time: instant,
  warnings: z.array(z.object({ message: z.string() })),
});
const outcome = z.object({
  outcome: z.discriminatedUnion('result', [
    z.object({ result: z.literal('recorded'), stamp }),
    z.object({ result: z.literal('refused'), code: z.string() }),
  ]),
});
const apdu = z
  .string()
  .regex(/^(?:[0-9a-f]{2}){4,261}$/)
  .transform((text) => Uint8Array.from(Buffer.from(text, 'hex')));
const command = z.object({ session, apdu });
const status: z.ZodType<TerminalStatus> = z.object({
  confirmed: z.boolean(),
  name: z.string(),
  location: z.string().exactOptional(),
  server_time: instant,
  // A reason that a later version adds stops the terminal all the same.
  stopped: z.enum(['failed_proofs', 'key_copied']).catch('failed_proofs').exactOptional(),
  issuing: z.object({ person_first_name: z.string(), expires_at: instant }).exactOptional(),
  offers: z.object({
    info: z.boolean(),
    info_without_pin: z.boolean(),
    badge_and_pin: z.boolean(),
    offline: z.boolean(),
  }),
  offline_last_number: z.number().int().nonnegative(),
  seal_key: z
    .string()
    .regex(/^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/)
    .exactOptional(),
});
const info: z.ZodType<TerminalInfo> = z.object({
  worked_today_minutes: z.number(),
  balance_minutes: z.number(),
  vacation_days_left: z.number(),
});
const receipt: z.ZodType<OfflineReceipt> = z.object({
  results: z.array(z.object({ number: z.number().int(), result: z.string() })),
  last_number: z.number().int().nonnegative(),
});

/** The service's own rule for its texts: German for `de` and its regions, English for every other language. */
const doorLanguage = z.string().transform((tag) => (/^de(?:-|$)/i.test(tag) ? 'de' : 'en'));
// An action that a later version adds is none this terminal could offer.
const provedAnswer = z.object({
  session,
  first_name: z.string().min(1),
  state,
  actions: z.array(z.string()),
  pin_required: z.boolean(),
  clock_out_missing: z.boolean().exactOptional(),
  since: instant.exactOptional(),
  language: doorLanguage.exactOptional().catch(undefined as never),
  recorded: z.object({ action, at: instant }).exactOptional(),
  stamp: stamp.exactOptional(),
});

const pinChoice = z.object({
  session,
  choose_pin: z.literal(true),
  first_name: z.string().min(1),
  language: doorLanguage.exactOptional().catch(undefined as never),
});

const cardAnswer: z.ZodType<CardAnswer> = z.unknown().transform((body, context): CardAnswer => {
  const result = z.object({ result: z.string().optional() }).safeParse(body);
  const answer = result.success ? readAnswer(result.data.result, body) : undefined;
  if (answer !== undefined) return answer;
  context.addIssue({ code: 'custom', message: 'not the documented form' });
  return z.NEVER;
});

function readAnswer(result: string | undefined, body: unknown): CardAnswer | undefined {
  if (result === undefined) {
    const { data } = command.safeParse(body);
    return data && { next: 'command', ...data };
  }
  if (result === 'issued') {
    const { data } = pinChoice.safeParse(body);
    if (data === undefined) return { next: 'issued' };
    const { session, first_name: firstName, language } = data;
    return { next: 'issued', pin: { session, firstName, ...(language === undefined ? {} : { language }) } };
  }
  if (result !== 'proved') return { next: 'over' };
  const { data } = provedAnswer.safeParse(body);
  return (
    data && {
      next: 'proved',
      session: data.session,
      firstName: data.first_name,
      state: data.state,
      pinRequired: data.pin_required,
      actions: data.actions.flatMap((name) => action.safeParse(name).data ?? []),
      ...(data.clock_out_missing === true ? { forgotten: true } : {}),
      ...(data.since === undefined ? {} : { since: data.since }),
      ...(data.language === undefined ? {} : { language: data.language }),
      ...(data.recorded === undefined ? {} : { recorded: data.recorded }),
      ...(data.stamp === undefined ? {} : { stamp: data.stamp }),
    }
  );
}
