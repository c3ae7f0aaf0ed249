import type { ApiHandler } from '../http/handler.js';
import type { Transaction } from '../store/tables.js';
import { beginCardSession, endCardSession } from './card-session.js';
import { choosePin } from './choose-pin.js';
import { needDataKey, presentCardAnswer, refuseDoor, refuseUnconfirmed } from './guard.js';
import { onceForNonce } from './request-signature.js';
import { stampOfStep, stampWithBadge, stepCardAndStamp } from './stamp-at-terminal.js';
import { readTerminalInfo } from './terminal-info.js';

export const openCardSession: ApiHandler<'openCardSession'> = async ({
  db,
  dataKey,
  randomBytes,
  caller,
  body,
  at,
}) => {
  const answer = await onceForNonce(db, caller, at, async (tx) => {
    await refuseDoor(tx, caller.terminal);
    const card = { uid: Buffer.from(body.uid, 'hex'), wanted: body.action, run: body.run };
    return beginCardSession(tx, { dataKey: needDataKey(dataKey), randomBytes }, caller.terminal, card);
  });
  return { status: 200, body: presentCardAnswer(answer) };
};

export const stepCardSession: ApiHandler<'stepCardSession'> = async ({
  db,
  dataKey,
  randomBytes,
  caller,
  body,
  at,
}) => {
  const step = { session: body.session, response: Buffer.from(body.response, 'hex') };
  const answer = await onceForNonce(
    db,
    caller,
    at,
    async (tx) => {
      await refuseDoor(tx, caller.terminal);
      return stepCardAndStamp(tx, { dataKey: needDataKey(dataKey), randomBytes }, caller, step);
    },
    stampOfStep,
  );
  return { status: 200, body: presentCardAnswer(answer) };
};

export const stampAtTerminal: ApiHandler<'stampAtTerminal'> = async ({ db, dataKey, caller, body, at }) => {
  const refuse = (tx: Transaction) => refuseDoor(tx, caller.terminal);
  return {
    status: 200,
    body: await stampWithBadge({ db, dataKey: needDataKey(dataKey), at, refuseDoor: refuse }, caller, body),
  };
};

export const getTerminalInfo: ApiHandler<'getTerminalInfo'> = async ({ db, dataKey, caller, body, at }) => {
  const refuse = (tx: Transaction) => refuseDoor(tx, caller.terminal);
  const info = await readTerminalInfo({ db, dataKey: needDataKey(dataKey), at, refuseDoor: refuse }, caller, body);
  return { status: 200, body: info };
};

export const chooseTerminalPin: ApiHandler<'chooseTerminalPin'> = async ({ db, dataKey, caller, body, at }) => {
  const refuse = (tx: Transaction) => refuseDoor(tx, caller.terminal);
  await choosePin({ db, dataKey: needDataKey(dataKey), at, refuseDoor: refuse }, caller, body);
  return { status: 204 };
};

export const endTerminalSession: ApiHandler<'endTerminalSession'> = async ({ db, caller, body, at }) => {
  await onceForNonce(db, caller, at, async (tx) => {
    await refuseUnconfirmed(tx, caller.terminal);
    await endCardSession(tx, caller.terminal, body.session);
  });
  return { status: 204 };
};
