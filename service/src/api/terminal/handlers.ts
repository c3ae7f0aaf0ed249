import { notYet } from '../not-implemented.js';

export type TerminalHandlerNeeds = object;

export function terminalHandlers(_needs: TerminalHandlerNeeds) {
  return {
    pairTerminal: notYet, getTerminalStatus: notYet, openCardSession: notYet, stepCardSession: notYet,
    stampAtTerminal: notYet, getTerminalInfo: notYet, endTerminalSession: notYet, uploadOfflineStamps: notYet,
  };
}
