/**
 * The kit's needs of a deployment beyond its public contract: fixtures, and the views of an administrator. An adapter
 * is a module whose default export is an {@link AdapterFactory}; `adapters/clockproof.ts` is the one for Clockproof.
 *
 * Members are spelled as in the public contract. An operation that a service does not have is left out: requirements
 * that need it are skipped. An operation that the service refuses throws {@link Refused}; any other error makes the
 * requirement inconclusive, never failed.
 */
import type { Browser } from '../peers/browser.js';
import type { Answer, Client } from './client.js';
import { Breach, Inconclusive, Refused, Skipped } from './outcome.js';
import type { Target } from './target.js';

/** Parts of the kit for an adapter, which then needs no import. */
export interface Kit {
  /** A client of the service; each comes from an address of its own where this machine has several. */
  readonly connect: () => Client;
  /** `new Refused(code, message)`. */
  readonly Refused: typeof Refused;
}
export type AdapterFactory = (target: Target, kit: Kit) => Adapter | Promise<Adapter>;

export interface NewCompany {
  readonly name: string;
  /** IANA name. */
  readonly time_zone: string;
  readonly country: string;
  readonly region: string;
  /** Names of departments. */
  readonly departments: readonly string[];
}
export interface NewPerson {
  readonly company_id: number;
  readonly department_id?: number | undefined;
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly language: string;
  /** First and last day. */
  readonly employment_start: string;
  readonly employment_end?: string;
  /** The day from which months of the person are closed; without it the service decides. */
  readonly tracked_from?: string;
}
export interface ExtensionSettings {
  readonly name: string;
  readonly mode: 'api' | 'webhooks' | 'websocket';
  readonly scopes: readonly string[];
  readonly acting: 'everyone' | 'personal_link';
  /** The one company that it is bound to. */
  readonly company_id?: number | undefined;
  readonly key_reads?: 'everyone' | 'linked_people' | 'nothing';
  /** An instant at which the key expires. */
  readonly expires_at?: string;
  /** Its requests are approved at once. */
  readonly absences_count_as_approved?: boolean;
  readonly webhook_url?: string;
  /** All that its scopes allow unless given. */
  readonly event_types?: readonly string[];
  /** True if people may link it. */
  readonly linking?: boolean;
  readonly redirect_uris?: readonly string[];
  readonly link_lifetime_days?: number;
}
export interface NewExtension {
  readonly id: string;
  readonly client_id: string;
  readonly key: string;
  /** `whsec_…`, in the mode webhooks. */
  readonly webhook_secret?: string;
}
/** An extension as an administrator sees it. */
export interface ShownExtension {
  readonly client_id: unknown;
  readonly scopes: readonly unknown[];
  /** `disabled` once the service has given up its endpoint. */
  readonly delivery_state: unknown;
  /** The instant of its last change. */
  readonly updated_at: unknown;
  /** The number of its working keys. */
  readonly keys: number;
  /** The last use of the newest key; undefined if there was none. */
  readonly last_used_at: unknown;
  /** The instant of the last delivery of an event; undefined if there was none. */
  readonly last_delivered_at: unknown;
  /** Everything that is shown, as text. */
  readonly text: string;
}
export interface ShownDelivery {
  readonly event_id: unknown;
  readonly attempts: readonly { readonly status: unknown }[];
}
export interface AbsenceType {
  readonly key: string;
  readonly label: string;
  readonly half_day: boolean;
  readonly requires_approval: boolean;
  readonly counts_as_vacation: boolean;
  readonly away: boolean;
}
export interface TerminalSettings {
  readonly company_id: number;
  readonly name: string;
  readonly location: string;
  /** True if badges are issued at it. */
  readonly issuing_allowed: boolean;
  readonly repeat_lock_seconds?: number;
  readonly show_info?: boolean;
  readonly info_without_pin?: boolean;
  readonly badge_and_pin?: boolean;
  /** Everyone of the company unless given. */
  readonly department_ids?: readonly number[];
}
/** Switches of the whole deployment. */
export interface Features {
  /** Extensions write for people. */
  readonly extensions_write: boolean;
  readonly personal_links: boolean;
  readonly terminals: boolean;
}
/** A person who is signed in: everything that the adapter needs to act as them. */
export type Session = object;
export interface Consent {
  readonly app_name: unknown;
  readonly scopes: readonly unknown[];
  readonly lifetime_days: unknown;
}

/** The web pages of Clockproof, which requirements about them name. Another service has none of these. */
export interface Pages {
  /** Nobody is signed in. */
  newBrowser(): Invited;
  /** The browser behind a session. */
  browserOf(session: Session): Browser;
  /** @returns the address of an invitation */
  invite(personId: number): Promise<string>;
  readonly superAdmin: { readonly email: string; readonly password: string };
}
export interface Invited extends Browser {
  /** Test key of the second factor, once it is set up. */
  readonly totpSecret: string;
  /** Accepts an invitation: password and second factor. @returns which thirty seconds since 1970 its code was of */
  accept(url: string, password: string): Promise<number>;
}

export interface Adapter {
  /** Stands in reports. */
  readonly name: string;
  readonly pages?: Pages;

  // Companies
  /** Creates a company, with departments in the given order. */
  createCompany(company: NewCompany): Promise<{ readonly id: number; readonly departments: readonly number[] }>;
  /** Deactivates a company, or activates it again. */
  setCompanyActive?(companyId: number, active: boolean): Promise<void>;
  /** Adds a department to a company. */
  createDepartment?(companyId: number, name: string): Promise<void>;
  /** Lists the kinds of absence that a company offers, each with its rules. */
  listAbsenceTypes?(companyId: number): Promise<readonly unknown[]>;
  /** Adds a kind of absence to a company. */
  createAbsenceType?(companyId: number, type: AbsenceType): Promise<void>;
  /** Closes a month, `2026-10`, of everyone in a company. */
  closeMonth?(companyId: number, month: string): Promise<void>;

  // People
  /** Creates a person, who cannot sign in yet. @returns the name as the service shows it */
  createPerson(person: NewPerson): Promise<{ readonly id: number; readonly name: string; readonly email: string }>;
  /** Changes the last name of a person, or the department. */
  changePerson?(
    personId: number,
    members: { readonly last_name?: string; readonly department_id?: number },
  ): Promise<void>;
  /** Ends the employment of a person on a day, and erases them. */
  erasePerson?(personId: number, lastDay: string): Promise<void>;
  /** Records an entry of a person afterwards, as an administrator does. */
  addEntry?(personId: number, entry: { readonly start: string; readonly end: string; reason: string }): Promise<void>;
  /** Pays minutes of a time account out: a booking of the kind `payout`, of fewer than 0 minutes. */
  addBooking?(
    personId: number,
    booking: { readonly date: string; readonly minutes: number; readonly reason: string },
  ): Promise<void>;
  /** Approves a waiting absence as its approver. @returns the request as the approver saw it before */
  approveAbsence?(absence: {
    readonly id: number;
    readonly company_id: number;
    readonly user_id: number;
  }): Promise<{ readonly absence: unknown; readonly person_id: unknown }>;
  /** Gives a person credentials and the PIN 012345, and signs them in. */
  signIn?(personId: number): Promise<Session>;
  /**
   * Lists the badges of the person who is signed in: their state, and the name of the terminal where each was issued.
   */
  listBadges?(session: Session): Promise<readonly { readonly works: boolean; readonly issued_at: unknown }[]>;
  /** Blocks every badge of the person who is signed in. */
  blockBadges?(session: Session): Promise<void>;

  // Personal links
  /**
   * Sends the person to an address of the authorization endpoint, without following a redirect to an app.
   * @returns its answer, and what identifies the question if the person is asked for consent
   */
  authorize?(session: Session, path: string): Promise<{ readonly answer: Answer; readonly question?: string }>;
  /** Reads what the person is asked. */
  showConsent?(session: Session, question: string): Promise<Consent>;
  /** Allows these scopes, or declines. @returns the address to which the browser is sent */
  decideConsent?(session: Session, question: string, scopes: readonly string[] | 'declined'): Promise<string>;
  /** Lists the links of the person. */
  listLinks?(session: Session): Promise<readonly { readonly id: unknown; readonly scopes: unknown }[]>;
  /** Ends a link of the person, which the service lists for them. */
  endLink?(session: Session, linkId: string): Promise<void>;

  // Extensions
  /** Creates an extension with a key. */
  createExtension(settings: ExtensionSettings): Promise<NewExtension>;
  /** Changes settings of an extension. @returns the extension as shown afterwards */
  changeExtension?(id: string, settings: Partial<ExtensionSettings>): Promise<ShownExtension>;
  /** Removes an extension; its keys end at once. */
  removeExtension?(id: string): Promise<void>;
  /** Shows an extension to an administrator. */
  showExtension?(id: string): Promise<ShownExtension>;
  /** Makes a new key. The one before it goes on for an hour. @returns the new key */
  rotateKey?(id: string): Promise<string>;
  /** Ends the key before the newest at once. */
  endOldKey?(id: string): Promise<void>;
  /** Makes a new secret for webhooks. The one before it goes on for a while. @returns the new secret */
  rotateSecret?(id: string): Promise<string>;
  /** Sends a ping to the endpoint of an extension. */
  ping?(id: string): Promise<void>;
  /** Lists deliveries that succeeded, latest first. */
  listDeliveries?(id: string): Promise<readonly ShownDelivery[]>;
  /** Sends the delivery of an event again. */
  resendDelivery?(id: string, eventId: string): Promise<void>;
  /** Enables an endpoint, and sends what failed or was not sent since an instant. */
  recoverDeliveries?(id: string, since: string): Promise<void>;

  // Terminals
  /** Adds a terminal. @returns its pairing code */
  createTerminal?(settings: TerminalSettings): Promise<{ readonly id: string; readonly code: string }>;
  /** Makes a new pairing code. @returns the code, and when it expires */
  renewPairingCode?(id: string): Promise<{ readonly code: string; readonly expires_at: string }>;
  /** Shows a terminal to an administrator: also the highest number of an offline stamp that it has uploaded. */
  showTerminal?(id: string): Promise<{ readonly fingerprint: unknown; readonly offline_last_number: unknown }>;
  /** Confirms the fingerprint of a terminal that was paired. */
  confirmTerminal?(id: string, fingerprint: string): Promise<void>;
  /** Removes a terminal. */
  removeTerminal?(id: string): Promise<void>;
  /** Waits at a terminal for a card that becomes the badge of a person. */
  startIssuing?(terminalId: string, personId: number): Promise<void>;
  /** Ends the wait for a card. */
  endIssuing?(terminalId: string): Promise<void>;
  /** Tells what came of the last wait for a card. */
  showIssuing?(terminalId: string): Promise<{ readonly issued: boolean }>;

  // The deployment
  /** Reads switches of the deployment, and whether it can keep keys of cards (`data_key`). */
  readFeatures?(): Promise<Partial<Features> & { readonly data_key?: unknown }>;
  /** Changes switches of the deployment. */
  changeFeatures?(features: Partial<Features>): Promise<void>;
  /**
   * Lists up to 500 entries of the audit log of these days, latest first. An entry leaves out what it does not have.
   * - `sequence`: a number that grows; `place`: among the sealed entries, counted from 1, null before
   * - `at`: an instant; `action`: such as `clock.in`, `absence.requested`, `card.refused`, `badge.blocked`
   * - `actor`: `kind` (person, extension, personal_link, terminal or service), `id` and `name`
   * - `subject`: `kind`, `id`, `name`, and `person_id` of the person that it belongs to; `company_id`; `reason`
   * - `changes`: `member`, `old` and `new` of each, as texts
   * - `mac`: `sha256:` or `hmac-sha256:` and 64 hexadecimal digits, another for each entry
   * @param action a full action, or its beginning
   */
  listAuditEntries?(filter: { readonly action?: string }): Promise<readonly unknown[]>;
}

/** Operations as infinitives, for the reasons in a report: “the adapter cannot …”. */
const infinitives: Readonly<Record<keyof Operations, string>> = {
  createCompany: 'create a company',
  setCompanyActive: 'deactivate a company',
  createDepartment: 'create a department',
  listAbsenceTypes: 'list kinds of absence',
  createAbsenceType: 'create a kind of absence',
  closeMonth: 'close a month',
  createPerson: 'create a person',
  changePerson: 'change a person',
  erasePerson: 'erase a person',
  addEntry: 'add an entry',
  addBooking: 'book minutes',
  approveAbsence: 'approve an absence',
  signIn: 'sign a person in',
  listBadges: 'list badges',
  blockBadges: 'block a badge',
  authorize: 'send a person to the authorization endpoint',
  showConsent: 'show a consent',
  decideConsent: 'decide a consent',
  listLinks: 'list links',
  endLink: 'end a link',
  createExtension: 'create an extension',
  changeExtension: 'change an extension',
  removeExtension: 'remove an extension',
  showExtension: 'show an extension',
  rotateKey: 'rotate a key',
  endOldKey: 'end an old key',
  rotateSecret: 'rotate a webhook secret',
  ping: 'ping an endpoint',
  listDeliveries: 'list deliveries',
  resendDelivery: 'send a delivery again',
  recoverDeliveries: 'recover deliveries',
  createTerminal: 'add a terminal',
  renewPairingCode: 'renew a pairing code',
  showTerminal: 'show a terminal',
  confirmTerminal: 'confirm a terminal',
  removeTerminal: 'remove a terminal',
  startIssuing: 'issue a badge',
  endIssuing: 'stop issuing a badge',
  showIssuing: 'show what was issued',
  readFeatures: 'read switches of the deployment',
  changeFeatures: 'change switches of the deployment',
  listAuditEntries: 'read the audit log',
};
type Operations = Required<Omit<Adapter, 'name' | 'pages'>>;

/**
 * Every operation, whether the adapter has it or not. None is ever a breach: they throw Skipped for one that is
 * missing, Refused if the service refuses, and otherwise Inconclusive.
 */
export type Fixtures = Operations;

export function fixturesOf(adapter: () => Promise<Adapter>): Fixtures {
  const operation = async (name: keyof Operations, parameters: unknown[]): Promise<unknown> => {
    const from = await adapter();
    const operationOfMaker = from[name] as ((...parameters: unknown[]) => Promise<unknown>) | undefined;
    if (operationOfMaker === undefined) throw new Skipped(`the adapter cannot ${infinitives[name]}`);
    try {
      return await operationOfMaker.apply(from, parameters);
    } catch (error) {
      if (error instanceof Skipped || error instanceof Inconclusive) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Inconclusive(`the adapter failed to ${infinitives[name]}: ${reason}`, { cause: error });
    }
  };
  const names = Object.keys(infinitives) as (keyof Operations)[];
  return Object.fromEntries(
    names.map((name) => [name, (...parameters: unknown[]) => operation(name, parameters)]),
  ) as unknown as Fixtures;
}

/** @throws Breach the service does what it has to refuse, or refuses it with another code */
export async function expectRefusal(
  request: Promise<unknown>,
  code: string | readonly string[],
  subject = 'it',
): Promise<void> {
  try {
    await request;
  } catch (error) {
    // A request that was accepted with an answer that the adapter failed to read was not refused.
    if (error instanceof Inconclusive && error.cause instanceof Breach && / answered 2\d\d /.test(error.cause.message))
      throw new Breach(`${subject} was not refused: ${error.message}`);
    if (!(error instanceof Refused)) throw error;
    if ([code].flat().includes(error.code)) return;
    throw new Breach(`${subject}: expected the refusal ${[code].flat().join(' or ')}, got ${error.message}`);
  }
  throw new Breach(`${subject} was accepted`);
}
