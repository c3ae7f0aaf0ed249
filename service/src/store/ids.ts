/**
 * Ids, each of its own type: a company's id does not compile where a person's is wanted. A plain number or text, as it
 * comes from a request, may still be assigned.
 */
import type { Flavoured } from '@clockproof/platform/flavour';

export type PersonId = Flavoured<number, 'PersonId'>;
export type CompanyId = Flavoured<number, 'CompanyId'>;
export type DepartmentId = Flavoured<number, 'DepartmentId'>;
export type EntryId = Flavoured<number, 'EntryId'>;
export type CorrectionId = Flavoured<number, 'CorrectionId'>;
export type AbsenceId = Flavoured<number, 'AbsenceId'>;
export type ApprovalId = Flavoured<number, 'ApprovalId'>;
export type UnresolvedStampId = Flavoured<number, 'UnresolvedStampId'>;
export type ScheduleId = Flavoured<number, 'ScheduleId'>;
export type CompanyHolidayId = Flavoured<number, 'CompanyHolidayId'>;
export type SpecialRuleId = Flavoured<number, 'SpecialRuleId'>;
export type NoticeId = Flavoured<number, 'NoticeId'>;

/** `ext_…` */
export type ExtensionId = Flavoured<string, 'ExtensionId'>;

/** An API key of an extension. */
export type KeyId = Flavoured<string, 'KeyId'>;
export type TerminalId = Flavoured<string, 'TerminalId'>;
export type BadgeId = Flavoured<string, 'BadgeId'>;
export type CardSessionId = Flavoured<string, 'CardSessionId'>;

/** A personal link: a person's grant to an extension. */
export type LinkId = Flavoured<string, 'LinkId'>;
export type ConsentId = Flavoured<string, 'ConsentId'>;
export type SessionId = Flavoured<string, 'SessionId'>;
export type PasskeyId = Flavoured<string, 'PasskeyId'>;

/** @public used by the generated row types */
export type EventId = Flavoured<string, 'EventId'>;

/** Position in the commit sequence: grows with every change, never has a gap. */
export type ChangeSequence = Flavoured<number, 'ChangeSequence'>;

/** Position in the audit log. @public used by the generated row types */
export type AuditSequence = Flavoured<number, 'AuditSequence'>;
