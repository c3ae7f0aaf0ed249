/** Violations that remember or calculate something, which a row names by `by`. */
import { refuseWebhook } from '../peers/receiver.js';

/** A request, an answer, a delivery or a message of the event connection. Bodies are read byte by byte, as Latin 1. */
export interface Message {
  method: string;
  /** With the query. */
  path: string;
  headers: Record<string, string | string[] | undefined>;
  /** 0 unless it is an answer, or if that was lost. */
  status: number;
  body: string;
  /** Length of the first piece in which the body came. */
  firstPiece?: number;
  /** To be signed with another nonce. */
  resign?: boolean;
}

/** Receivers of the product's examples and of the violations verify with this secret. */
export const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';

/** Changes a request, and returns what becomes of its answer. */
type Deviation = (request: Message, memory: Map<string, number>) => ((answer: Message) => void) | undefined;

/** What lists of removals named is listed with the entries again. */
const listRemovedEntries: Deviation =
  ({ path }, memory) =>
  (answer) => {
    const { data } = JSON.parse(answer.body) as { readonly data: { readonly id: number }[] };
    if (path.includes('/removed')) for (const { id } of data) memory.set(String(id), id);
    else data.push(...[...memory.values()].map((id) => ({ id })));
    answer.body = JSON.stringify({ ...JSON.parse(answer.body), data });
  };

const idOf = ({ headers }: Message) => String(headers['webhook-id']);
const secondsOf = ({ headers }: Message) => Number(headers['webhook-timestamp']);
const eventOf = ({ body }: Message) => JSON.parse(body) as { readonly sequence: number; readonly epoch: string };
const refuse = (answer: Message) => {
  if (answer.status === 204) answer.status = 409;
};

export const functions: Readonly<Record<string, Deviation>> = {
  listRemovedEntries,
  writeAgain(request) {
    request.body = JSON.stringify(JSON.parse(request.body));
    return undefined;
  },
  normalise(request) {
    const text = Buffer.from(request.body, 'latin1').toString();
    request.body = Buffer.from(text.normalize('NFC')).toString('latin1');
    return undefined;
  },
  ignoreTime(request) {
    const at = secondsOf(request) * 1_000;
    const fault = refuseWebhook(request.headers, Buffer.from(request.body, 'latin1'), secret, at);
    return (answer) => {
      if (fault === undefined) answer.status = 204;
    };
  },
  refuseHalfMinute: (request) => (Date.now() / 1_000 - secondsOf(request) > 30 ? refuse : undefined),
  refuseLate(request, memory) {
    const { sequence } = eventOf(request);
    const newest = memory.get('newest');
    memory.set('newest', sequence);
    return newest !== undefined && sequence === newest - 1 ? refuse : undefined;
  },
  refuseNewEpoch(request, memory) {
    const { epoch } = eventOf(request);
    if (memory.size === 0) memory.set(epoch, 1);
    return memory.has(epoch) ? undefined : refuse;
  },
  rememberForged: (request, memory) => (answer) => {
    if (answer.status === 401) memory.set(idOf(request), 1);
    else if (memory.has(idOf(request))) answer.status = 401;
  },
};
