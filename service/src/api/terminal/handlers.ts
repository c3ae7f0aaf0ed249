import type { TerminalHandlerNeeds } from './door.js';
import { endTerminalSession } from './endTerminalSession.js';
import { getTerminalStatus } from './getTerminalStatus.js';
import { openCardSession } from './openCardSession.js';
import { pairTerminal } from './pairTerminal.js';
import { stampAtTerminal } from './stampAtTerminal.js';
import { stepCardSession } from './stepCardSession.js';

export function terminalHandlers(needs: TerminalHandlerNeeds) {
  return {
    pairTerminal: pairTerminal(needs),
    getTerminalStatus: getTerminalStatus(needs),
    openCardSession: openCardSession(needs),
    stepCardSession: stepCardSession(needs),
    stampAtTerminal: stampAtTerminal(needs),
    endTerminalSession: endTerminalSession(needs),
  };
}
