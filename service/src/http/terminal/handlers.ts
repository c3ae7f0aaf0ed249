import {
  endTerminalSession,
  getTerminalInfo,
  openCardSession,
  stampAtTerminal,
  stepCardSession,
} from './card-sessions.js';
import type { TerminalHandlerNeeds } from './guard.js';
import { uploadOfflineStamps } from './offline.js';
import { getTerminalStatus, pairTerminal } from './pairing.js';

export function terminalHandlers(needs: TerminalHandlerNeeds) {
  return {
    pairTerminal: pairTerminal(needs),
    getTerminalStatus: getTerminalStatus(needs),
    openCardSession: openCardSession(needs),
    stepCardSession: stepCardSession(needs),
    stampAtTerminal: stampAtTerminal(needs),
    getTerminalInfo: getTerminalInfo(needs),
    endTerminalSession: endTerminalSession(needs),
    uploadOfflineStamps: uploadOfflineStamps(needs),
  };
}
