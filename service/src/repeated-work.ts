/** A process's repeated work beside answering requests, as one list. */
import type { Log } from '@clockproof/platform/log';
import { singleFlight } from '@clockproof/platform/single-flight';
import { hour, type Instant, minute, second } from '@clockproof/platform/time/instant';
import type { Live } from './access/live.js';
import { endExpiredLinks } from './access/oauth/links.js';
import { tellForgottenClockOuts } from './clock/forgotten-clock-outs.js';
import { endClocksAfterLastDay } from './clock/resolve-open-entry.js';
import { startHeadFile } from './commands/head-file.js';
import type { ServiceConfig } from './config.js';
import type { Connections } from './extensions/socket/connections.js';
import type { Waiters } from './extensions/waiters.js';
import type { Dispatcher, RepeatDelivering } from './extensions/webhooks/dispatcher.js';
import { startHousekeeping } from './housekeeping.js';
import type { Mailer } from './inbox/mail/mailer.js';
import { commitLog } from './proofs/commit-log.js';
import { tellOverdueCommitments } from './proofs/overdue.js';
import { tellProofsToKeep } from './proofs/proofs-to-keep.js';
import type { Storage } from './store/open.js';

export interface RepeatedWork {
  readonly config: ServiceConfig;
  readonly storage: Storage;
  readonly clock: () => Instant;
  readonly log: Log;
  readonly dispatcher: Dispatcher;
  /** Absent if no e-mail is sent. */
  readonly mailer: Mailer | undefined;
  readonly connections: Connections;
  readonly waiters: Waiters;
  readonly live: Live;
  readonly checkFile: (at: Instant) => Promise<void>;
  readonly repeatDelivering: RepeatDelivering;
  readonly repeatMailing: ((mailer: Mailer) => () => Promise<void>) | undefined;
  readonly repeatTicking: Repeat | undefined;
  readonly repeatUpkeep: Repeat | undefined;
}

/** Calls an effect again and again, and logs its failures with the text. @returns ends it, and waits for a run under way */
export type Repeat = (effect: () => Promise<unknown>, failureText: string) => () => Promise<void>;

/** @returns a function that ends all of it, and waits for running work */
export function startRepeatedWork(work: RepeatedWork): () => Promise<void> {
  const { config, storage, clock, log, dispatcher, mailer, connections, waiters, live } = work;
  const { db, hub } = storage;
  const repeatEvery = (milliseconds: number, effect: () => Promise<unknown>, failureText: string) =>
    repeat(milliseconds, effect, log, failureText);
  const everySecond: Repeat = work.repeatTicking ?? ((effect, failureText) => repeatEvery(second, effect, failureText));
  const everyMinute: Repeat = work.repeatUpkeep ?? ((effect, failureText) => repeatEvery(minute, effect, failureText));
  const housekeeping = startHousekeeping({ db, clock, log });
  const heads = startHeadFile({ config, db, clock, log });
  const stopFunctions = [
    housekeeping.stop,
    heads.stop,
    config.EXTENSIONS_ENABLED ? work.repeatDelivering(dispatcher, log, hub) : () => dispatcher.stop(),
    mailer === undefined ? () => undefined : (work.repeatMailing ?? everyOtherSecond(log))(mailer),
    everySecond(async () => waiters.tick(), 'ending requests that wait failed'),
    everySecond(() => Promise.all([connections.tick(), live.tick()]), 'looking after open connections failed'),
    // A signal of another process may be lost.
    everySecond(() => hub.lookUp(), 'looking for what is settled failed'),
    // An app gets the event that a link ended, even if it sends no request.
    repeatEvery(hour, () => work.checkFile(clock()), 'checking the database file failed'),
    everyMinute(() => endExpiredLinks(db, clock()), 'ending expired links failed'),
    everyMinute(() => endClocksAfterLastDay(db, clock()), 'ending clocks after a last day failed'),
    everyMinute(() => commitLog(db, clock()), 'committing to the audit log failed'),
    everyMinute(() => tellOverdueCommitments(db, clock()), 'telling of overdue commitments failed'),
    everyMinute(() => tellProofsToKeep(db, clock()), 'telling leavers of their proofs failed'),
    everyMinute(() => tellForgottenClockOuts(db, clock()), 'telling of forgotten clock-outs failed'),
  ];
  return async () => {
    await Promise.all(stopFunctions.map((stop) => stop()));
  };
}

/** @returns ends it, and waits for a run that is under way */
function repeat(
  milliseconds: number,
  effect: () => Promise<unknown>,
  log: Log,
  failureText: string,
): () => Promise<void> {
  let lastRun = Promise.resolve();
  const runOnce = singleFlight(async () => void (await effect()), log, failureText);
  const timer = setInterval(() => {
    lastRun = runOnce();
  }, milliseconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await lastRun;
  };
}

function everyOtherSecond(log: Log): (mailer: Mailer) => () => Promise<void> {
  return (mailer) => {
    const stop = repeat(2 * second, () => mailer.pass(), log, 'sending e-mail failed');
    return async () => {
      await Promise.all([stop(), mailer.stop()]);
    };
  };
}
