/**
 * Deadlines that rest on each other, in milliseconds: a statement ends before its connection is given up, its request is
 * answered before a stop gives up waiting, and a stop is over before systemd kills (`TimeoutStopSec` in the units).
 */

/** How long a statement waits for a connection of the pool. */
export const poolWait = 5_000;
/** How long PostgreSQL lets a statement run. */
export const statement = 20_000;
/** How long a connection may answer nothing though asked: the statement, and the way there and back. */
export const databaseAnswer = statement + 5_000;
/** How long a stop waits for the requests it has: one that has just arrived may wait for a connection and its statement. */
export const drain = poolWait + databaseAnswer;
/** After what time systemd may kill: webhooks and e-mail under way end beside the requests, and the log is sealed. */
export const stop = drain + 15_000;
