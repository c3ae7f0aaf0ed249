/** Operations of the public contract that this version answers with 501. The list is complete; every other operation works. */
import type { OperationId } from '../../generated/contract.js';
import { Refusal } from '../../refusal.js';

export const notImplemented = [] as const satisfies readonly OperationId[];

const later: ReadonlySet<string> = new Set(notImplemented);

/** @throws Refusal `not_implemented` */
export function refuseLater(operationId: string): void {
  if (later.has(operationId)) notYet();
}

export function notYet(): never {
  throw new Refusal('not_implemented');
}
