import type { RunConfig, ScreenConfig } from '../config.js';
import type { Facts } from '../device-facts.js';
import { hex, openDialogues, patiently } from '../dialogue.js';
import { loadOrCreateKey, newKey, type TerminalKey } from '../key.js';
import { fileDisk, journalFile, NotRecorded, type OfflineJournal, openJournal } from '../offline/journal.js';
import { sealStamp } from '../offline/seal.js';
import { uploads } from '../offline/upload.js';
import { PairingFailed, register } from '../pair.js';
import type { PresentCard, Reader } from '../reader/reader.js';
import { type Registration, registrationIfThere, storeRegistration } from '../registration.js';
import { createServiceClient, type Refused, type ServiceClient } from '../request.js';
import type { SimulatorControl } from '../simulator-control.js';
import { loadStatus, type StoredStatus, storeStatus } from '../stored-status.js';
import { type Called, type TerminalApi, type TerminalStatus, terminalApi, triesLeft } from '../terminal-api.js';
import { watchStatus } from '../watch-status.js';
import type { World } from '../world.js';
import type { CardEnd, Conditions, Effect, NotGiven } from './machine.js';
import { outcomeOf } from './outcome.js';
import { openScreenServer } from './server.js';
import { openStage, type Stage } from './stage.js';

/** Milliseconds between two questions how the terminal stands: somebody who issues or confirms is waiting. */
const pace = { usual: 5_000, confirming: 2_000 };
/** Dialogues with one card before the service counts as away. */
const attempts = 2;

/** The pairing in force: everything that belongs to one terminal key. */
interface Link {
  readonly terminalId: string;
  readonly key: TerminalKey;
  readonly client: ServiceClient;
  readonly api: TerminalApi;
  readonly journal: OfflineJournal;
  /** Ends the watch over its status. */
  readonly over: AbortController;
}

/** A terminal with a screen, until the signal. Also one that is not paired yet: its screen asks for the code. */
export async function runWithScreen(
  config: RunConfig & { readonly screen: ScreenConfig },
  world: World,
  {
    reader,
    control,
    facts,
  }: { readonly reader: Reader; readonly control?: SimulatorControl | undefined; readonly facts: Facts },
  signal: AbortSignal,
): Promise<void> {
  const { now, sleep, print, random } = world;
  const { screen, stateFolder, serviceUrl } = config;
  const connection = { serviceUrl, timeout: config.requestTimeout, ...world };
  let key = await loadOrCreateKey(stateFolder, random);
  let link: Link | undefined;
  let status: StoredStatus | undefined;
  let stage: Stage;

  const connect = async (registration: Registration): Promise<void> => {
    const { terminalId } = registration;
    const client = createServiceClient({ ...connection, signer: { terminalId, key } });
    const journal = await openJournal(fileDisk(journalFile(stateFolder, terminalId, key)));
    if (journal.damaged > 0) print(`Offline: ${journal.damaged} damaged lines of the journal are lost`);
    const stored = await loadStatus(stateFolder, terminalId);
    status = stored;
    journal.raise(stored?.offline_last_number ?? 0);
    link = { terminalId, key, client, api: terminalApi(client), journal, over: new AbortController() };
  };

  const conditionsOf = (): Partial<Conditions> => ({
    fingerprint: key.fingerprint,
    place: status?.name,
    info: status?.offers.info ?? false,
    infoWithoutPin: status?.offers.info_without_pin ?? false,
    recordsOffline:
      status?.offers.offline === true && status.seal_key !== undefined && link?.journal.stopped() === false,
    waiting: link?.journal.waiting().length ?? 0,
  });

  const watch = (watched: Link): void => {
    const { client, api, over, terminalId, journal } = watched;
    const ending = AbortSignal.any([signal, over.signal]);
    const upload = uploads(journal, api, print, () => {
      if (!over.signal.aborted) stage.send({ kind: 'conditions', changes: conditionsOf() });
    });
    const observe = (reply: Called<TerminalStatus>): void => {
      if (ending.aborted) return;
      const changes = changesBy(reply, stage.door().conditions);
      if (reply.kind === 'answered') {
        status = reply.body;
        journal.raise(reply.body.offline_last_number);
        storeStatus(stateFolder, terminalId, reply.body).catch((error: unknown) => print(`Status: ${String(error)}`));
        if (reply.body.confirmed) void upload();
      }
      stage.send({ kind: 'conditions', changes: { ...conditionsOf(), ...changes } });
    };
    void watchStatus(api, print, sleep, ending, {
      observe,
      facts: () => facts(client, journal.waiting().length),
      every: ({ body }) => (body.confirmed ? pace.usual : pace.confirming),
    });
  };

  // One dialogue at a time: the next card waits until the last one is done with.
  let work: Promise<void> = Promise.resolve();
  let presence = new AbortController();
  let dialogue = new AbortController();

  const prove = async (visit: number, card: PresentCard, here: AbortSignal, present: Link): Promise<void> => {
    const dialogues = openDialogues({ reader, api: present.api, sleep, now });
    const uid = card.uid!;
    for (let attempt = 1; !here.aborted; attempt += 1) {
      const result = await dialogues.prove(uid, here);
      const reset = here.aborted ? undefined : reader.reset().catch(() => undefined);
      if (result.next === 'proved') {
        stage.send({ kind: 'proved', visit, proof: result, uid: hex(uid) });
        await reset;
        return;
      }
      await reset;
      if (result.next === 'lost' && attempt < attempts && !here.aborted) continue;
      await dialogues.endOpenSession();
      stage.send({
        kind: 'ended',
        visit,
        how: result.next === 'refused' ? cardEnd(result.refusal) : endOf[result.next],
      });
      return;
    }
    stage.send({ kind: 'ended', visit, how: 'removed' });
    await dialogues.endOpenSession();
  };

  const pair = async (code: string): Promise<void> => {
    const api = terminalApi(createServiceClient(connection));
    // The key of this PC, or a new one if another terminal has it. A refused code leaves everything as it was.
    const attempt = async (candidate: TerminalKey) => ({
      candidate,
      ...(await register(code, api, candidate, world.device)),
    });
    try {
      const paired = await attempt(key).catch(async (error: unknown) => {
        if (!(error instanceof PairingFailed && error.code === 'public_key_in_use')) throw error;
        const fresh = newKey(random);
        const registered = await attempt(fresh);
        await fresh.save(stateFolder);
        return registered;
      });
      key = paired.candidate;
      const registration = { terminalId: paired.terminalId, serviceUrl: serviceUrl.href };
      await storeRegistration(stateFolder, registration);
      print(`Terminal: ${paired.terminalId}`);
      print(`Fingerprint: ${key.fingerprint}`);
      link?.over.abort();
      await connect(registration);
      stage.send({ kind: 'conditions', changes: { ...conditionsOf(), pairing: 'confirming', code, online: true } });
      watch(link!);
    } catch (error) {
      print(`Pairing: ${error instanceof Error ? error.message : String(error)}`);
      const wrong = error instanceof PairingFailed && error.code !== undefined;
      stage.send({ kind: 'pairing_failed', how: wrong ? 'wrong' : 'unreachable' });
    }
  };

  const cards = new Map<string, PresentCard>();
  const perform = (effect: Exclude<Effect, { kind: 'sound' }>): void => {
    const present = link;
    switch (effect.kind) {
      case 'prove': {
        dialogue.abort();
        dialogue = new AbortController();
        const here = AbortSignal.any([dialogue.signal, presence.signal, signal]);
        const card = cards.get(effect.uid);
        if (card === undefined || present === undefined) return;
        work = work
          .then(() => prove(effect.visit, card, here, present))
          .catch((error: unknown) => {
            print(`Fault: ${String(error)}`);
            stage.send({ kind: 'ended', visit: effect.visit, how: 'unreachable' });
          });
        return;
      }
      case 'forget_card':
        dialogue.abort();
        return;
      case 'stamp': {
        const { visit, session, action, pin } = effect;
        const call = () => present!.api.stamp({ session, action, ...(pin === undefined ? {} : { pin }) });
        return void patiently(call, signal, world).then((called) => {
          if (called.kind === 'answered') stage.send({ kind: 'stamped', visit, stamp: called.body });
          else stage.send({ kind: 'not_given', visit, ...notGiven(called) });
        });
      }
      case 'info': {
        const { visit, session, pin } = effect;
        const call = () => present!.api.info({ session, ...(pin === undefined ? {} : { pin }) });
        return void patiently(call, signal, world).then((called) => {
          if (called.kind === 'answered') stage.send({ kind: 'info', visit, info: called.body });
          else stage.send({ kind: 'not_given', visit, ...notGiven(called) });
        });
      }
      case 'end':
        // Nothing depends on the answer: sessions expire.
        return void present?.api.endSession({ session: effect.session }).catch(() => undefined);
      case 'record':
        return void record(effect);
      case 'pair':
        return void pair(effect.code);
      case 'cancel_pairing':
        link?.over.abort();
        return;
    }
  };

  const record = async ({ visit, uid, action }: Extract<Effect, { kind: 'record' }>): Promise<void> => {
    const present = link!;
    const sealKey = status?.seal_key;
    const time = present.client.now();
    const at = new Date(time).toISOString().replace(/\.[0-9]{3}Z$/, 'Z');
    try {
      if (sealKey === undefined) throw new NotRecorded('the service has not told its key');
      const { terminalId } = present;
      await present.journal.record((number) => sealStamp({ uid, action, at }, { sealKey, terminalId, number }, random));
      stage.send({ kind: 'recorded', visit, time });
    } catch (error) {
      print(`Offline stamp not recorded: ${error instanceof Error ? error.message : String(error)}`);
      stage.send({ kind: 'not_recorded', visit });
    }
    stage.send({ kind: 'conditions', changes: conditionsOf() });
  };

  const registration = await registrationIfThere(stateFolder, serviceUrl);
  if (registration !== undefined) await connect(registration);
  stage = openStage({
    conditions: {
      pairing: registration === undefined ? 'unpaired' : status?.confirmed === true ? 'confirmed' : 'starting',
      fingerprint: key.fingerprint,
      online: registration === undefined,
      readerReady: false,
      recordsOffline: false,
      waiting: 0,
      info: false,
      infoWithoutPin: false,
      ...conditionsOf(),
    },
    settings: { language: screen.language, countdown: screen.countdown },
    appearance: {
      theme: screen.theme,
      reader: screen.readerSide,
      sound: screen.sound,
      timeZone: config.timeZone,
      service: serviceUrl.host,
    },
    now,
    serviceNow: () => link?.client.now() ?? now(),
    sleep,
    perform,
    show: (frame) => server.show(frame),
    moved(before, after) {
      const outcome = outcomeOf(before.state, after.state);
      if (outcome !== undefined) control?.done(outcome);
      // A tool that holds a simulated card can also be the finger.
      const wanted = control?.choice();
      if (wanted === undefined || before.state.at === after.state.at) return;
      if (after.state.at === 'choice' || after.state.at === 'offline_choice')
        stage.act(after.visit, { kind: 'act', action: wanted.action });
      if (after.state.at === 'pin' && wanted.pin !== undefined)
        stage.act(after.visit, { kind: 'pin', pin: wanted.pin });
    },
  });
  const server = await openScreenServer({ port: screen.port, frame: stage.frame, act: stage.act });
  print(`Screen: http://127.0.0.1:${server.port}/`);

  reader.onReaderState((state) => stage.send({ kind: 'conditions', changes: { readerReady: state.kind === 'ready' } }));
  reader.onCard((card) => {
    presence = new AbortController();
    // ISO/IEC 14443-3: a single-size UID that begins with 08 is random: a phone, a watch, or a card with random ID.
    if (card.uid === undefined || (card.uid.length === 4 && card.uid[0] === 0x08))
      return stage.send({ kind: 'no_badge' });
    const uid = hex(card.uid);
    cards.clear();
    cards.set(uid, card);
    stage.send({ kind: 'card', uid });
  });
  reader.onRemoved(() => presence.abort());
  if (link !== undefined) watch(link);

  await reader.start();
  if (control !== undefined) print(`Simulator: http://127.0.0.1:${control.port}/`);
  await new Promise<void>((resolve) =>
    signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true }),
  );
  stage.stop();
  link?.over.abort();
  await work;
  await server.close();
}

const endOf = {
  removed: 'removed',
  issued: 'issued',
  useless: 'unreachable',
  lost: 'unreachable',
  // Only with a stamp named beforehand, and here the person chooses.
  recorded: 'unreachable',
  unsure: 'unreachable',
} as const;

/** What an answer to `status` says about the terminal. */
function changesBy(reply: Called<TerminalStatus>, before: Conditions): Partial<Conditions> {
  if (reply.kind === 'unanswered') return { online: false, issuing: undefined };
  if (reply.kind === 'refused') {
    const unknown = reply.code === 'signature_invalid' || reply.code === 'terminal_unknown';
    return unknown ? { pairing: 'unpaired', online: true, code: undefined } : { online: false, issuing: undefined };
  }
  const { confirmed, issuing } = reply.body;
  return {
    pairing: confirmed ? 'confirmed' : 'confirming',
    code: confirmed ? undefined : before.code,
    online: true,
    issuing: issuing?.person_first_name,
  };
}

function cardEnd({ code }: Refused): CardEnd {
  if (code === 'department_not_allowed') return 'department_not_allowed';
  return code === 'feature_disabled' || code === 'terminal_not_confirmed' || code === 'signature_invalid'
    ? 'switched_off'
    : 'refused';
}

function notGiven(called: Exclude<Called<unknown>, { kind: 'answered' }>): NotGiven {
  if (called.kind === 'unanswered') return { why: 'unsure' };
  switch (called.code) {
    case 'pin_wrong':
      return { why: 'pin_wrong', triesLeft: triesLeft(called) };
    case 'pin_locked':
    case 'pin_required':
      return { why: called.code };
    case 'card_refused':
    case 'employment_ended':
      return { why: 'card_refused' };
    case 'month_closed':
    case 'department_not_allowed':
      return { why: 'failed', by: called.code };
    case 'already_clocked_in':
    case 'not_clocked_in':
    case 'already_on_break':
    case 'not_on_break':
      return { why: 'failed', by: 'changed' };
    case 'unavailable':
    case 'rate_limited':
      return { why: 'failed', by: 'unreachable' };
    case 'feature_disabled':
    case 'terminal_not_confirmed':
    case 'signature_invalid':
      return { why: 'failed', by: 'switched_off' };
    default:
      return { why: 'failed', by: 'other' };
  }
}
