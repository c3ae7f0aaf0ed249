/**
 * Deadlines that rest on each other, in milliseconds: a statement ends before its connection is given up, its request
 * is answered before a stop cuts it off, and the process has ended before systemd kills it (`TimeoutStopSec` in the
 * units).
 */

/** Longest wait of a statement for a connection of the pool. */
export const poolWait = 5_000;
/** Longest time in which PostgreSQL runs a statement. */
export const statementMilliseconds = 20_000;
/** Longest wait for an answer of a connection: the statement, and the way there and back. */
export const databaseAnswer = statementMilliseconds + 5_000;
/** Longest wait of a stop for its requests: one that has just arrived may wait for a connection and its statement. */
export const drain = poolWait + databaseAnswer;
/** A stop ends the process at this time, even with work pending: after the requests, the audit log is sealed. */
export const exit = drain + 10_000;
/** The time after which systemd may kill. */
export const stop = exit + 5_000;
