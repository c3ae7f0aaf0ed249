/**
 * Deadlines that rest on each other, in milliseconds: a statement ends before its connection is given up, its request is
 * answered before a stop cuts it off, and the process has ended before systemd kills it (`TimeoutStopSec` in the units).
 */

/** How long a statement waits for a connection of the pool. */
export const poolWait = 5_000;
/** How long PostgreSQL lets a statement run. */
export const statementMilliseconds = 20_000;
/** How long a connection may answer nothing though asked: the statement, and the way there and back. */
export const databaseAnswer = statementMilliseconds + 5_000;
/** How long a stop waits for the requests it has: one that has just arrived may wait for a connection and its statement. */
export const drain = poolWait + databaseAnswer;
/** A stop ends the process at this time, even with work pending: after the requests, the audit log is sealed. */
export const exit = drain + 10_000;
/** When systemd may kill. */
export const stop = exit + 5_000;
