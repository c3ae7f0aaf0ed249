/** A handler for every operation of the public contract. Forgetting one is a compile error. */

import type { Handlers } from '@clockproof/platform/http/operation';
import type { Waiters } from '../../events/waiters.js';
import type { operations } from '../../generated/service-types.js';
import type { Store } from '../../store/write.js';
import type { Connections } from '../../websocket/connections.js';
import type { Cursors } from '../shared/cursor.js';
import type { TerminalHandlerNeeds } from '../terminal/guard.js';
import { terminalHandlers } from '../terminal/handlers.js';
import { createAbsence, deleteAbsence, getAbsence, listLeaves, updateAbsence } from './absences.js';
import { clockIn, clockOut, endBreak, listClockStates, startBreak } from './clock.js';
import { connectExtension } from './event-connection.js';
import { listEvents } from './events.js';
import { type AuthorizeNeeds, authorize, exchangeToken, getAuthorizationServerMetadata, revokeToken } from './oauth.js';
import { getMe, listCompanies, listUsers } from './people.js';
import { listRemovedLeaves, listRemovedTimeEntries, listRemovedUsers } from './removed.js';
import { getStatus } from './status.js';
import { listTimeBalances, listTimeBookings } from './time-accounts.js';
import { listTimeEntries } from './time-entries.js';

export interface ApiNeeds extends TerminalHandlerNeeds, AuthorizeNeeds {
  readonly db: Store;
  readonly cursors: Cursors;
  readonly connections: Connections;
  readonly waiters: Waiters;
  readonly version: string;
  readonly extensionsEnabled: boolean;
}

export function apiHandlers(needs: ApiNeeds) {
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
    listTimeBalances: listTimeBalances(needs),
    listTimeBookings: listTimeBookings(needs),
    listLeaves: listLeaves(needs),
    listRemovedLeaves: listRemovedLeaves(needs),
    listEvents: listEvents(needs),
    connectExtension: connectExtension(needs),
    clockIn: clockIn(needs),
    clockOut: clockOut(needs),
    startBreak: startBreak(needs),
    endBreak: endBreak(needs),
    createAbsence: createAbsence(needs),
    getAbsence: getAbsence(needs),
    updateAbsence: updateAbsence(needs),
    deleteAbsence: deleteAbsence(needs),
    ...terminalHandlers(needs),
  } satisfies Handlers<operations, never>;
}
