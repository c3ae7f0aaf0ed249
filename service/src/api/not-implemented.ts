/** Operations of the public contract that this version answers with 501. The whole list: what is not here works. */
import type { OperationId } from '../generated/contract.js';
import { Refusal } from '../refusal.js';

export const notImplemented = [
  'listRemovedUsers', 'getMe', 'listRemovedTimeEntries', 'listLeaves', 'listRemovedLeaves', 'createAbsence', 'updateAbsence', 'deleteAbsence',
] as const satisfies readonly OperationId[];

export function notYet(): never {
  throw new Refusal('not_implemented');
}
