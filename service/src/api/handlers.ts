/** A handler for every operation of the public contract. Forgetting one is a compile error. */
import type { Database } from '@clockproof/platform/database/database';
import type { Handlers } from '@clockproof/platform/http/operation';
import type { operations } from '../generated/service-types.js';
import { createAbsence } from './absences/createAbsence.js';
import { deleteAbsence } from './absences/deleteAbsence.js';
import { updateAbsence } from './absences/updateAbsence.js';
import { clockIn } from './clock/clockIn.js';
import { clockOut } from './clock/clockOut.js';
import { endBreak } from './clock/endBreak.js';
import { listClockStates } from './clock/listClockStates.js';
import { startBreak } from './clock/startBreak.js';
import { listCompanies } from './companies/listCompanies.js';
import type { Cursors } from './cursor.js';
import { listEvents } from './events/listEvents.js';
import { getMe } from './me/getMe.js';
import { notImplemented, notYet } from './not-implemented.js';
import { type AuthorizeNeeds, authorize } from './oauth/authorize.js';
import { exchangeToken } from './oauth/exchangeToken.js';
import { getAuthorizationServerMetadata } from './oauth/getAuthorizationServerMetadata.js';
import { revokeToken } from './oauth/revokeToken.js';
import { getStatus } from './status/getStatus.js';
import type { TerminalHandlerNeeds } from './terminal/door.js';
import { terminalHandlers } from './terminal/handlers.js';
import { listLeaves } from './time/listLeaves.js';
import { listRemovedLeaves } from './time/listRemovedLeaves.js';
import { listRemovedTimeEntries } from './time/listRemovedTimeEntries.js';
import { listTimeEntries } from './time/listTimeEntries.js';
import { listRemovedUsers } from './users/listRemovedUsers.js';
import { listUsers } from './users/listUsers.js';

export interface ApiNeeds extends TerminalHandlerNeeds, AuthorizeNeeds {
  readonly db: Database;
  readonly cursors: Cursors;
  readonly version: string;
  readonly extensionsEnabled: boolean;
}

export function apiHandlers(needs: ApiNeeds) {
  const later = Object.fromEntries(notImplemented.map((id) => [id, notYet])) as Record<
    (typeof notImplemented)[number],
    typeof notYet
  >;
  return {
    getStatus: getStatus(needs),
    listUsers: listUsers(needs),
    listRemovedUsers: listRemovedUsers(needs),
    listCompanies: listCompanies(needs),
    getMe: getMe(needs),
    authorize: authorize(needs),
    exchangeToken: exchangeToken(needs),
    revokeToken: revokeToken(needs),
    getAuthorizationServerMetadata: getAuthorizationServerMetadata(needs),
    listClockStates: listClockStates(needs),
    listTimeEntries: listTimeEntries(needs),
    listRemovedTimeEntries: listRemovedTimeEntries(needs),
    listLeaves: listLeaves(needs),
    listRemovedLeaves: listRemovedLeaves(needs),
    listEvents: listEvents(needs),
    clockIn: clockIn(needs),
    clockOut: clockOut(needs),
    startBreak: startBreak(needs),
    endBreak: endBreak(needs),
    createAbsence: createAbsence(needs),
    updateAbsence: updateAbsence(needs),
    deleteAbsence: deleteAbsence(needs),
    ...terminalHandlers(needs),
    ...later,
  } satisfies Handlers<operations, never>;
}
