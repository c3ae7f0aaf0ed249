/**
 * Evaluations of people's data that a company can switch off, as a works council may agree with it (BetrVG §87 (1) no.
 * 6). A switch hides values from everyone but the person they are about. Functions that show nothing else take a {@link
 * Permit}, and only asking for the switch gives one; functions that show them among other values ask {@link
 * revealedTo}.
 */
import type { Reader } from '@clockproof/platform/database/database';
import { day, type Instant } from '@clockproof/platform/time/instant';
import type { CompanyId, PersonId } from '../store/ids.js';
import { Refusal } from '../store/refusal.js';
import type { Write } from '../store/write.js';
import { countExtensions, countRoles, findSwitch, listSwitches, saveSwitch } from './evaluation-rows.js';

export const evaluations = [
  'presence',
  'month_reports',
  'findings',
  'sheet_exports',
  'payroll_export',
  'balance_at_the_door',
] as const;
export type Evaluation = (typeof evaluations)[number];

declare const permit: unique symbol;

/** The company has not switched the evaluation off. */
export interface Permit<Of extends Evaluation> {
  readonly companyId: CompanyId;
  readonly evaluation: Of;
  readonly [permit]: true;
}

function permitFor<Of extends Evaluation>(companyId: CompanyId, evaluation: Of): Permit<Of> {
  return { companyId, evaluation } as Permit<Of>;
}

/** Undefined if the company has switched the evaluation off. */
export async function permitOf<Of extends Evaluation>(
  reader: Reader,
  companyId: CompanyId,
  evaluation: Of,
): Promise<Permit<Of> | undefined> {
  const row = await findSwitch(reader, companyId, evaluation);
  return row?.enabled === 0 ? undefined : permitFor(companyId, evaluation);
}

/** @throws Refusal `evaluation_off` */
export async function requirePermit<Of extends Evaluation>(
  reader: Reader,
  companyId: CompanyId,
  evaluation: Of,
): Promise<Permit<Of>> {
  const permit = await permitOf(reader, companyId, evaluation);
  if (permit === undefined) throw new Refusal('evaluation_off');
  return permit;
}

/**
 * A permit that people always have for their own data, even if the evaluation is off.
 * @throws Refusal `evaluation_off` the data is somebody else's and the evaluation is off
 */
export async function requirePermitFor<Of extends Evaluation>(
  reader: Reader,
  {
    caller,
    person,
  }: { readonly caller: PersonId; readonly person: { readonly id: PersonId; readonly company_id: CompanyId } },
  evaluation: Of,
): Promise<Permit<Of>> {
  return caller === person.id
    ? permitFor(person.company_id, evaluation)
    : requirePermit(reader, person.company_id, evaluation);
}

/** Classes of values that a switch hides from everyone but the person they are about. */
export interface Revealed {
  /** Presence at work now: shown by an open entry, for a day at most. */
  readonly presence: boolean;
  /** Sums and balances. */
  readonly balances: boolean;
  /** Breaches of working-time rules. */
  readonly findings: boolean;
}

/** The classes of values of a person that the caller sees. Everything that shows a person to others asks here. */
export async function revealedTo(
  reader: Reader,
  caller: PersonId,
  person: { readonly id: PersonId; readonly company_id: CompanyId },
): Promise<Revealed> {
  const switches = caller === person.id ? [] : await listSwitches(reader, person.company_id);
  const isOn = (evaluation: Evaluation) => switches.every((row) => row.evaluation !== evaluation || row.enabled === 1);
  return { presence: isOn('presence'), balances: isOn('month_reports'), findings: isOn('findings') };
}

/** An entry that is open for longer was forgotten: it says nothing about now, and has to be corrected. */
const presenceLasts = day;

/** The earliest start of an open entry that still shows presence at work. */
export const presentSince = (at: Instant): Instant => at - presenceLasts;

export const isPresence = (entry: { readonly status: string; readonly start_at: Instant }, at: Instant): boolean =>
  entry.status === 'open' && entry.start_at > presentSince(at);

/** Switches an evaluation on or off. Its row and its audit entry are written together. */
export async function setEvaluation(
  write: Write,
  {
    companyId,
    evaluation,
    enabled,
    by,
  }: {
    readonly companyId: CompanyId;
    readonly evaluation: Evaluation;
    readonly enabled: boolean;
    readonly by: PersonId;
  },
): Promise<EvaluationState> {
  await write.lock({ company: companyId });
  await saveSwitch(write, {
    company_id: companyId,
    evaluation,
    enabled: enabled ? 1 : 0,
    changed_at: write.at,
    changed_by: by,
  });
  await write.audit({
    companyId,
    action: 'evaluation.switched',
    subject: `company ${companyId}`,
    details: { evaluation, enabled },
  });
  return { evaluation, enabled, changedAt: write.at };
}

export interface EvaluationState {
  readonly evaluation: Evaluation;
  readonly enabled: boolean;
  readonly changedAt: Instant | undefined;
}

/**
 * The overview for a works council: the evaluations, and the number of people and programs that can read people's data.
 */
export async function readOverview(
  reader: Reader,
  companyId: CompanyId,
): Promise<{
  readonly states: readonly EvaluationState[];
  readonly approvers: number;
  readonly admins: number;
  readonly superAdmins: number;
  readonly extensions: number;
}> {
  const rows = new Map((await listSwitches(reader, companyId)).map((row) => [row.evaluation, row]));
  const roles = new Map((await countRoles(reader, companyId)).map(({ role, count }) => [role, Number(count)]));
  return {
    states: evaluations.map((evaluation) => ({
      evaluation,
      enabled: rows.get(evaluation)?.enabled !== 0,
      changedAt: rows.get(evaluation)?.changed_at,
    })),
    approvers: roles.get('approver') ?? 0,
    admins: roles.get('company_admin') ?? 0,
    superAdmins: roles.get('super_admin') ?? 0,
    extensions: await countExtensions(reader, companyId),
  };
}
