import type { Handler } from '@clockproof/platform/http/operation';
import type { operations } from '../generated/service-types.js';
import type { Transaction } from '../store/tables.js';
import { endCardSession, openCardSession as open } from './card-session.js';
import { choosePin } from './choose-pin.js';
import { needDataKey, presentCardAnswer, refuseDoor, refuseUnconfirmed, type TerminalHandlerNeeds } from './guard.js';
import { onceForNonce, type TerminalCaller } from './request-signature.js';
import { stampAtTerminal as stamp, stampOfStep, stepCardAndStamp } from './stamp-at-terminal.js';
import { readTerminalInfo } from './terminal-info.js';

export function openCardSession({
  db,
  dataKey,
  randomBytes,
}: Pick<TerminalHandlerNeeds, 'db' | 'dataKey' | 'randomBytes'>): Handler<
  operations['openCardSession'],
  TerminalCaller
> {
  return async ({ caller, body, at }) => {
    const answer = await onceForNonce(db, caller, at, async (tx) => {
      await refuseDoor(tx, caller.terminal);
      const card = { uid: Buffer.from(body.uid, 'hex'), wanted: body.action, run: body.run };
      return open(tx, { dataKey: needDataKey(dataKey), randomBytes }, caller.terminal, card);
    });
    return { status: 200, body: presentCardAnswer(answer) };
  };
}

export function stepCardSession({
  db,
  dataKey,
  randomBytes,
}: Pick<TerminalHandlerNeeds, 'db' | 'dataKey' | 'randomBytes'>): Handler<
  operations['stepCardSession'],
  TerminalCaller
> {
  return async ({ caller, body, at }) => {
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
}

export function stampAtTerminal({
  db,
  dataKey,
}: Pick<TerminalHandlerNeeds, 'db' | 'dataKey'>): Handler<operations['stampAtTerminal'], TerminalCaller> {
  return async ({ caller, body, at }) => {
    const refuse = (tx: Transaction) => refuseDoor(tx, caller.terminal);
    return {
      status: 200,
      body: await stamp({ db, dataKey: needDataKey(dataKey), at, refuseDoor: refuse }, caller, body),
    };
  };
}

export function getTerminalInfo({
  db,
  dataKey,
}: Pick<TerminalHandlerNeeds, 'db' | 'dataKey'>): Handler<operations['getTerminalInfo'], TerminalCaller> {
  return async ({ caller, body, at }) => {
    const refuse = (tx: Transaction) => refuseDoor(tx, caller.terminal);
    const info = await readTerminalInfo({ db, dataKey: needDataKey(dataKey), at, refuseDoor: refuse }, caller, body);
    return { status: 200, body: info };
  };
}

export function chooseTerminalPin({
  db,
  dataKey,
}: Pick<TerminalHandlerNeeds, 'db' | 'dataKey'>): Handler<operations['chooseTerminalPin'], TerminalCaller> {
  return async ({ caller, body, at }) => {
    const refuse = (tx: Transaction) => refuseDoor(tx, caller.terminal);
    await choosePin({ db, dataKey: needDataKey(dataKey), at, refuseDoor: refuse }, caller, body);
    return { status: 204 };
  };
}

export function endTerminalSession({
  db,
}: Pick<TerminalHandlerNeeds, 'db'>): Handler<operations['endTerminalSession'], TerminalCaller> {
  return async ({ caller, body, at }) => {
    await onceForNonce(db, caller, at, async (tx) => {
      await refuseUnconfirmed(tx, caller.terminal);
      await endCardSession(tx, caller.terminal, body.session);
    });
    return { status: 204 };
  };
}
