/** Violations as data: the form of the rows of `violations.yaml`, each of which breaks one requirement. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../kit/target.js';
import { functions } from './functions.js';

/** Another text, or a pattern and its replacement, wherever it matches. */
export type Edit = string | readonly [pattern: string, text: string];

/** Changes to JSON. Paths name members (`a.b`), `*` all items of a list. */
export interface Edits {
  /** Members and their values. In texts, `%1` is the first group of `if`, and `%now` the time in seconds. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Numbers and what is added to them. */
  readonly add?: Readonly<Record<string, number>>;
  readonly remove?: string;
}

/** Changes to a request, an answer, a delivery or a message. */
export interface Change extends Edits {
  readonly status?: number;
  readonly method?: string;
  /** With the query. */
  readonly path?: Edit;
  /** `null` leaves the header out; a pattern changes the header if it is there. */
  readonly header?: Readonly<Record<string, Edit | null>>;
  /** Another body. */
  readonly body?: unknown;
  /** Lists: without the first item, with the first item twice, in the opposite order. */
  readonly shift?: string;
  readonly duplicate?: string;
  readonly reverse?: string;
  /** In the text of the body. */
  readonly replace?: readonly [pattern: string, text: string];
  /** Keeps only the first piece in which the body came. */
  readonly cut?: true;
  /** Milliseconds before an answer. */
  readonly delay?: number;
  /** Deliveries and messages: never arrives, arrives after the next one, or a second time with a change. */
  readonly drop?: true;
  readonly hold?: true;
  readonly twice?: Change;
  /** Terminals: signs the request with another nonce. */
  readonly resign?: true;
}

export interface Row {
  /** What the subject does wrong, as a sentence without its subject. */
  readonly does: string;

  // Which requests, deliveries or messages; all of them unless something is given.
  /** Method and end of the path without the query, as patterns. */
  readonly at?: string;
  /** A pattern of the whole request, with its headers and its body. */
  readonly if?: string;
  /** A pattern; from the second request with the same match, or only the first one. */
  readonly again?: string;
  readonly first?: string;
  /** Only after so many requests. */
  readonly after?: number;
  /** Of these, answers with this status or code, as a pattern; `lost` if there is none. */
  readonly of?: string | number;
  /** Of these, answers whose body has this pattern. */
  readonly has?: string;

  // The change.
  readonly request?: Change;
  readonly answer?: Change;
  /** Answers with the code as if nothing were wrong: status 200 and `{}`, unless `answer` says otherwise. */
  readonly accept?: string;
  /** Another code for a code. */
  readonly recode?: readonly [from: string, to: string];
  /** Webhooks on their way to the kit. */
  readonly delivery?: Change;
  /** Messages of the event connection, and the code with which it closes. */
  readonly message?: Change;
  readonly closes?: number | 'never';
  /** A function of `functions.ts`. */
  readonly by?: string;

  // Terminals.
  /** The signed text, and the request after it was signed. */
  readonly signs?: Edit;
  readonly signed?: Change;
  /** Is not sent, but answered like this. */
  readonly instead?: { readonly status: number };
  /** After an answer: sends the same bytes, or signs the request again, so often; sends another request, in which `$name` is a member of the request or the answer; or sends nothing more. */
  readonly then?: {
    readonly repeat?: number;
    readonly resign?: number;
    readonly to?: string;
    readonly body?: Readonly<Record<string, unknown>>;
    readonly stop?: true;
  };
  /** The fingerprint that is shown. */
  readonly shows?: string;

  // How it is judged.
  /** Takes half a minute or longer: runs beside the others. */
  readonly slow?: true;
  /** Needs a feature of the whole deployment switched off for a moment. */
  readonly intrusive?: true;
  /** Shows in the published documents alone. */
  readonly published?: true;
  /** The suite whose requests show it, if its own requirement judges others; `time` unless given. */
  readonly during?: string;
}

export interface Violation extends Row {
  /** The requirement that must fail. */
  readonly breaks: string;
}

const ofRows =
  'does at if again first after of has request answer accept recode delivery message closes by signs signed instead then shows slow intrusive published during';
const ofEdits = 'set add remove';
const ofChanges = `${ofEdits} status method path header body shift duplicate reverse replace cut delay drop hold twice resign`;

/** @throws Error a row has a member that nothing reads, or does nothing */
function check<T extends Row>(place: string, row: T): T {
  const where = `${place} ${row.does}`;
  const needKnown = (of: object | undefined, names: string) => {
    for (const name of Object.keys(of ?? {}))
      if (!names.split(' ').includes(name)) throw new Error(`${where}: there is no ${name}`);
  };
  needKnown(row, ofRows);
  for (const change of [row.request, row.answer, row.delivery, row.message, row.signed]) needKnown(change, ofChanges);
  if (row.by !== undefined && functions[row.by] === undefined) throw new Error(`${where}: there is no ${row.by}`);
  const { accept, recode, ...rest } = row;
  if (accept !== undefined) return { ...(rest as T), of: accept, answer: { status: 200, body: {}, ...row.answer } };
  if (recode !== undefined)
    return { ...(rest as T), of: recode[0], answer: { replace: [`"${recode[0]}"`, `"${recode[1]}"`] } };
  return row;
}

const { requirements } = parse(readFileSync(join(root, 'violations/violations.yaml'), 'utf8')) as {
  readonly requirements: Readonly<Record<string, readonly Row[] | string>>;
};

export const violations: readonly Violation[] = Object.entries(requirements).flatMap(([id, rows]) =>
  typeof rows === 'string' ? [] : rows.map((row) => ({ ...check(id, row), breaks: id })),
);
/** Requirements without a violation, each with the reason. */
export const withoutViolation: ReadonlyMap<string, string> = new Map(
  Object.entries(requirements).flatMap(([id, rows]) => (typeof rows === 'string' ? [[id, rows] as const] : [])),
);
