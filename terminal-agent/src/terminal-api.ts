import { z } from 'zod';
import { operations } from './generated/contract.js';
import type { components } from './generated/service-types.js';
import type { Operation, Refused, ServiceClient, Unanswered } from './request.js';

type Schemas = components['schemas'];

export type TerminalAction = Schemas['TerminalAction'];
export type ClockStateName = Schemas['TerminalStamp']['state'];
export type TerminalStatus = Pick<Schemas['TerminalStatus'], 'confirmed' | 'name' | 'location' | 'issuing'>;
export type Pairing = Pick<Schemas['TerminalPairing'], 'terminal_id' | 'fingerprint'>;
export type Stamp = Pick<Schemas['TerminalStamp'], 'state' | 'server_time'> & {
  readonly warnings: readonly Pick<Schemas['Warning'], 'message'>[];
};

/** The card has proved that it holds its key. */
export interface Proof {
  readonly session: string;
  readonly firstName: string;
  readonly state: ClockStateName;
  readonly actions: readonly TerminalAction[];
  readonly pinRequired: boolean;
}

/** Where a card dialogue stands after an answer. */
export type CardAnswer =
  | { readonly next: 'command'; readonly session: string; readonly apdu: Uint8Array }
  | ({ readonly next: 'proved' } & Proof)
  | { readonly next: 'issued' }
  /** A result this version does not know: the session is over. */
  | { readonly next: 'over' };

export type Called<T> = { readonly kind: 'answered'; readonly body: T } | Refused | Unanswered;

/** The terminal protocol, one function an operation. Answers are checked before anybody acts on them. */
export interface TerminalApi {
  pair(request: Schemas['TerminalPairingRequest']): Promise<Called<Pairing>>;
  status(): Promise<Called<TerminalStatus>>;
  card(request: Schemas['CardSessionRequest']): Promise<Called<CardAnswer>>;
  step(request: Schemas['CardStep']): Promise<Called<CardAnswer>>;
  stamp(request: Schemas['TerminalStampRequest']): Promise<Called<Stamp>>;
  endSession(request: Schemas['CardSessionEnd']): Promise<Called<undefined>>;
}

export function terminalApi(client: ServiceClient): TerminalApi {
  const call = async <T>(
    operation: { readonly method: string; readonly path: string },
    schema: z.ZodType<T>,
    body?: object,
  ): Promise<Called<T>> => {
    const reply = await client.call(upper(operation), body);
    if (reply.kind !== 'answered') return reply;
    const parsed = schema.safeParse(reply.body);
    return parsed.success
      ? { kind: 'answered', body: parsed.data }
      : { kind: 'unanswered', reason: 'an answer that does not have the documented form' };
  };
  return {
    pair: (request) => call(operations.pairTerminal, pairing, request),
    status: () => call(operations.getTerminalStatus, status),
    card: (request) => call(operations.openCardSession, cardAnswer, request),
    step: (request) => call(operations.stepCardSession, cardAnswer, request),
    stamp: (request) => call(operations.stampAtTerminal, stamp, request),
    endSession: (request) => call(operations.endTerminalSession, z.undefined(), request),
  };
}

const upper = ({ method, path }: Operation): Operation => ({ method: method.toUpperCase(), path });

// Members that are not used here are not looked at: the service may add some.
const action = z.enum(['in', 'out', 'break_start', 'break_end']);
const state = z.enum(['out', 'in', 'on_break']);
const instant = z.string().refine((text) => !Number.isNaN(Date.parse(text)));
const session = z.string().regex(/^csn_[0-9A-Za-z_-]+$/);

const pairing: z.ZodType<Pairing> = z.object({ terminal_id: z.string(), fingerprint: z.string() });
const stamp: z.ZodType<Stamp> = z.object({
  state,
  server_time: instant,
  warnings: z.array(z.object({ message: z.string() })),
});
const status: z.ZodType<TerminalStatus> = z.object({
  confirmed: z.boolean(),
  name: z.string(),
  location: z.string().exactOptional(),
  issuing: z.object({ person_first_name: z.string(), expires_at: instant }).exactOptional(),
});

const command = z.object({ session, apdu: z.string().regex(/^(?:[0-9a-f]{2}){4,261}$/) });
// An action that a later version adds is none this terminal could offer.
const proved = z.object({
  session,
  first_name: z.string().min(1),
  state,
  actions: z.array(z.string()),
  pin_required: z.boolean(),
});

const cardAnswer: z.ZodType<CardAnswer> = z.unknown().transform((body, context): CardAnswer => {
  const result = z.object({ result: z.string().optional() }).safeParse(body);
  const parsed = result.success ? read(result.data.result, body) : undefined;
  if (parsed !== undefined) return parsed;
  context.addIssue({ code: 'custom', message: 'not the documented form' });
  return z.NEVER;
});

function read(result: string | undefined, body: unknown): CardAnswer | undefined {
  if (result === undefined) {
    const { data } = command.safeParse(body);
    return data && { next: 'command', session: data.session, apdu: Uint8Array.from(Buffer.from(data.apdu, 'hex')) };
  }
  if (result === 'issued') return { next: 'issued' };
  if (result !== 'proved') return { next: 'over' };
  const { data } = proved.safeParse(body);
  return (
    data && {
      next: 'proved',
      session: data.session,
      firstName: data.first_name,
      state: data.state,
      pinRequired: data.pin_required,
      actions: data.actions.flatMap((name) => action.safeParse(name).data ?? []),
    }
  );
}
