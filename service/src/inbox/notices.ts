/**
 * Notices to people in the web application: one row for each of them, until they have read it and for 90 days. A kind
 * is a line of {@link NoticeFacts}, of the contract's enum, and of the words of the page.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { day, type Instant } from '@clockproof/platform/time/instant';
import type { LocalDate } from '@clockproof/platform/time/local-date';
import { keepValues } from '../people/personal-values.js';
import { activeAdminsOf, activeSuperAdmins, type PersonRow } from '../people/rows.js';
import type {
  ApprovalId,
  CompanyId,
  EntryId,
  ExtensionId,
  NoticeId,
  PersonId,
  TerminalId,
  UnresolvedStampId,
} from '../store/ids.js';
import type { Transaction } from '../store/tables.js';
import type { Write } from '../store/write.js';
import { enqueueNotice, enqueueNotices } from './mail/outbox.js';
import { saveChoice, unwantedKinds } from './mail/rows.js';
import type { AccessChange } from './mail/texts.js';
import {
  deleteNotices,
  insertNotice,
  insertNotices,
  type NoticeRow,
  updateRead,
  updateReadAbout,
} from './notice-rows.js';

/** Days for which a notice is kept. */
export const keptDays = 90;

/**
 * The reason why deliveries to an address were stopped: 410, five days of failures, or its secret was lost with
 * DATA_KEY.
 */
export type DisabledWhy = 'gone' | 'failing' | 'key_lost';

/** The reason why a personal link ended, if not by its person. */
export type LinkEndedWhy =
  | 'revoked_by_app'
  | 'revoked_by_admin'
  | 'token_reused'
  | 'expired'
  | 'switched_off'
  | 'extension_deleted'
  | 'extension_rebound'
  | 'linking_off';

type RequestKind = 'absence' | 'absence_cancellation' | 'correction' | 'offline_stamp';
type DecidedKind = RequestKind | 'unresolved_stamp';

/** The facts of a notice, by kind. */
export type NoticeFacts =
  | {
      readonly kind: 'webhooks_disabled';
      readonly extension: ExtensionId;
      readonly because: DisabledWhy;
    }
  /** Somebody can sign in as the person, or do more as them; it may not have been the person. */
  | { readonly kind: 'access_changed'; readonly change: AccessChange }
  | { readonly kind: 'proofs_stopped' | 'key_copied'; readonly terminal: TerminalId }
  /** Cards with the number of the person's badge have failed there many times. */
  | { readonly kind: 'badge_failing'; readonly terminal: TerminalId; readonly person: PersonId }
  | { readonly kind: 'pin_reset' }
  /** A decision by somebody else; the days are those of the request. */
  | {
      readonly kind: 'request_decided';
      readonly request: DecidedKind;
      readonly outcome: 'approved' | 'rejected';
      readonly from: LocalDate;
      readonly to: LocalDate;
    }
  /** To those who decide. */
  | {
      readonly kind: 'request_waiting';
      readonly approval: ApprovalId;
      readonly request: RequestKind;
      readonly person: PersonId;
      readonly from: LocalDate;
      readonly to: LocalDate;
    }
  /** About a month of everyone in the company. @param month `YYYY-MM` */
  | {
      readonly kind: 'month_reopened';
      readonly month: string;
      readonly by: PersonId | undefined;
      readonly reason: string;
    }
  | { readonly kind: 'link_ended'; readonly extension: ExtensionId; readonly reason: LinkEndedWhy }
  | { readonly kind: 'clock_out_missing'; readonly entry: EntryId; readonly day: LocalDate }
  /** Somebody else corrected the person's time on these days, without a request. */
  | {
      readonly kind: 'time_corrected';
      readonly by: PersonId;
      readonly from: LocalDate;
      readonly to: LocalDate;
      readonly reason: string;
    }
  /** An offline stamp could not become an entry. To its person. */
  | { readonly kind: 'stamp_unresolved'; readonly stamp: UnresolvedStampId; readonly day: LocalDate }
  /** To those who decide. */
  | { readonly kind: 'stamp_undecided'; readonly stamp: UnresolvedStampId }
  /** About a closed month, to everyone of the company. @param month `YYYY-MM` */
  | { readonly kind: 'proof_contradicted'; readonly month: string }
  /** To those who run it. */
  | { readonly kind: 'proof_overdue'; readonly month: string; readonly commitment: number }
  /** About the audit log of a day in UTC, to those who run the installation. */
  | { readonly kind: 'log_contradicted'; readonly day: LocalDate }
  | { readonly kind: 'log_overdue'; readonly day: LocalDate; readonly commitment: number }
  /** Soon the person can no longer sign in. @param day their last one */
  | { readonly kind: 'proofs_to_keep'; readonly day: LocalDate };

/** Kinds a person can have without e-mail. One about their access always comes by e-mail too. */
type ChosenKind = Exclude<NoticeFacts['kind'], 'access_changed'>;

/** The audience of each kind: the weakest role that gets it. */
const audience = {
  clock_out_missing: 'employee',
  time_corrected: 'employee',
  stamp_unresolved: 'employee',
  stamp_undecided: 'approver',
  request_waiting: 'approver',
  request_decided: 'employee',
  month_reopened: 'employee',
  proof_contradicted: 'employee',
  proofs_to_keep: 'employee',
  link_ended: 'employee',
  pin_reset: 'employee',
  proofs_stopped: 'company_admin',
  key_copied: 'company_admin',
  badge_failing: 'company_admin',
  proof_overdue: 'company_admin',
  webhooks_disabled: 'super_admin',
  log_contradicted: 'super_admin',
  log_overdue: 'super_admin',
} as const satisfies Readonly<Record<ChosenKind, PersonRow['role']>>;
const ranks: readonly PersonRow['role'][] = ['employee', 'approver', 'company_admin', 'super_admin'];

export function kindsFor(role: PersonRow['role']): ChosenKind[] {
  return (Object.keys(audience) as ChosenKind[]).filter((kind) => ranks.indexOf(audience[kind]) <= ranks.indexOf(role));
}

/** A person says which kinds they want by e-mail too. */
export async function chooseMail(
  write: Write,
  { id, company_id: companyId }: Pick<PersonRow, 'id' | 'company_id'>,
  choices: ReadonlyMap<ChosenKind, boolean>,
): Promise<void> {
  for (const [kind, isWanted] of choices) await saveChoice(write, { person_id: id, kind, wanted: isWanted ? 1 : 0 });
  await write.audit({
    companyId,
    action: 'profile.changed',
    subject: `person ${id}`,
    details: await keepValues(write, id, Object.fromEntries(choices)),
  });
}

/**
 * In the transaction of the event: there is no notice without its event, and no event without its notice. A person gets
 * one notice for one request or entry.
 * @param email the address of the e-mail, if not the person's
 */
export async function notify(
  write: Write,
  people: readonly PersonId[],
  notice: NoticeFacts,
  email: string | null = null,
): Promise<void> {
  const { kind, ...facts }: { readonly kind: NoticeFacts['kind'] } = notice;
  const recipients: PersonId[] = [];
  for (const personId of people) {
    const isNew = await insertNotice(write, {
      person_id: personId,
      kind,
      facts: JSON.stringify(facts),
      about: subjectOf(notice),
      at: write.at,
      read_at: null,
    });
    if (!isNew) continue;
    recipients.push(personId);
    if (!(await unwantedKinds(write, personId)).has(kind)) await enqueueNotice(write, personId, notice, email);
  }
  // Their bells ring.
  if (recipients.length > 0)
    write.touch({ family: 'notice', company: null, parties: recipients.map((person) => `person ${person}`) });
}

/** Like {@link notify}, to everyone who is active in an active company, however many they are. */
export async function notifyCompany(write: Write, companyId: CompanyId, notice: NoticeFacts): Promise<void> {
  const { kind, ...facts }: { readonly kind: NoticeFacts['kind'] } = notice;
  await insertNotices(write, companyId, { kind, facts: JSON.stringify(facts), at: write.at });
  await enqueueNotices(write, companyId, notice);
  write.touch({ family: 'notice', company: companyId, parties: [everyone] });
}

/** The party of a change that concerns everyone in its company. */
export const everyone = 'everyone';

function subjectOf(notice: NoticeFacts): string | null {
  switch (notice.kind) {
    case 'request_waiting':
      return approvalSubject(notice.approval);
    case 'clock_out_missing':
      return entrySubject(notice.entry);
    case 'stamp_unresolved':
    case 'stamp_undecided':
      return stampSubject(notice.stamp);
    case 'proof_overdue':
    case 'log_overdue':
      return commitmentSubject(notice.commitment);
    case 'proofs_to_keep':
      return lastDaySubject(notice.day);
    default:
      return null;
  }
}

const approvalSubject = (id: ApprovalId) => `approval ${id}`;
const entrySubject = (id: EntryId) => `entry ${id}`;
const commitmentSubject = (id: number) => `commitment ${id}`;
const lastDaySubject = (day: LocalDate) => `last day ${day}`;
const stampSubject = (id: UnresolvedStampId) => `stamp ${id}`;

/** A request no longer waits: its notices count as read. */
export function markWaitingRead(write: Write, approval: ApprovalId): Promise<void> {
  return markReadAbout(write, approvalSubject(approval));
}

/** A commitment is on the ledger. */
export function markOverdueRead(write: Write, commitment: number): Promise<void> {
  return markReadAbout(write, commitmentSubject(commitment));
}

/** An unresolved stamp is decided. */
export function markStampRead(write: Write, stamp: UnresolvedStampId): Promise<void> {
  return markReadAbout(write, stampSubject(stamp));
}

async function markReadAbout(write: Write, subject: string): Promise<void> {
  const people = await updateReadAbout(write, subject, write.at);
  if (people.length > 0)
    write.touch({ family: 'notice', company: null, parties: people.map((person) => `person ${person}`) });
}

/** The admins of the installation. */
export function installationAdmins(reader: Reader): Promise<PersonId[]> {
  return activeSuperAdmins(reader);
}

/** The admins of a company; the super admins if it has none. */
export async function companyAdmins(reader: Reader, companyId: CompanyId): Promise<PersonId[]> {
  const companyAdmins = await activeAdminsOf(reader, companyId);
  return companyAdmins.length > 0 ? companyAdmins : activeSuperAdmins(reader);
}

/** The facts in a row. */
export function factsOf({ kind, facts }: NoticeRow): NoticeFacts {
  return { kind, ...(JSON.parse(facts) as object) } as NoticeFacts;
}

/** Marks notices of a person as read; those of others, and those read before, stay as they are. */
export async function markNoticesRead(write: Write, personId: PersonId, ids: readonly NoticeId[]): Promise<void> {
  write.unaudited('read');
  // Their other pages, too.
  write.touch({ family: 'notice', company: null, parties: [`person ${personId}`] });
  await updateRead(write, personId, ids, write.at);
}

/** @returns the number of notices that were too old */
export function purgeNotices(tx: Transaction, at: Instant, limit: number): Promise<number> {
  return deleteNotices(tx, at - keptDays * day, limit);
}
