/** Operations of the pages that this version answers with 501. The list is complete; every other operation works. */
import type { AppOperationId } from '../../generated/contract.js';
import { Refusal } from '../../refusal.js';

export const notImplemented = [
  'changePin',
  'listMyBadges',
  'blockMyBadge',
  'resetPin',
  'listTerminals',
  'addTerminal',
  'showTerminal',
  'removeTerminal',
  'updateTerminal',
  'renewPairingCode',
  'confirmTerminal',
  'showIssuing',
  'startIssuing',
  'cancelIssuing',
  'listBadges',
  'blockBadge',
] as const satisfies readonly AppOperationId[];

const later: ReadonlySet<string> = new Set(notImplemented);

/** @throws Refusal `not_implemented` */
export function refuseLater(operationId: string): void {
  if (later.has(operationId)) notYet();
}

export function notYet(): never {
  throw new Refusal('not_implemented');
}
