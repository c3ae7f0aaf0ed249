import type { RunConfig, ScreenConfig } from '../config.js';
import type { Facts } from '../device-facts.js';
import { patiently } from '../dialogue.js';
import { loadOrCreateKey } from '../key.js';
import { NotRecorded } from '../offline/journal.js';
import { sealStamp } from '../offline/seal.js';
import type { Reader } from '../reader/reader.js';
import { registrationIfThere } from '../registration.js';
import type { SimulatorControl } from '../simulator-control.js';
import { abortOf } from '../sleep.js';
import type { World } from '../world.js';
import { notGiven, pairingFailure } from './answers.js';
import { openCardVisits } from './card-visits.js';
import { conditionsOf, connect, type Link, pairByCode, type Terminal, watch } from './link.js';
import type { Conditions, Door, Effect, Event } from './machine.js';
import { outcomeOf } from './outcome.js';
import { openScreenServer } from './server.js';
import { openStage, type Stage } from './stage.js';

type ScreenRunConfig = RunConfig & { readonly screen: ScreenConfig };
type Send = (event: Event) => void;

/** A terminal with a screen, until the signal. Also one that is not paired yet: its screen asks for the code. */
export async function runWithScreen(
  config: ScreenRunConfig,
  world: World,
  {
    reader,
    control,
    facts,
  }: { readonly reader: Reader; readonly control?: SimulatorControl | undefined; readonly facts: Facts },
  signal: AbortSignal,
): Promise<void> {
  const { now, elapsed, sleep, print } = world;
  const { stateFolder, serviceUrl } = config;
  const terminal: Terminal = { key: await loadOrCreateKey(stateFolder, world.random) };
  const registration = await registrationIfThere(stateFolder, serviceUrl);
  if (registration !== undefined) await connect(terminal, registration, config, world);

  const send: Send = (event) => stage.send(event);
  const watchLink = (link: Link) => watch(terminal, link, { stage, facts, stateFolder, world, signal });
  const pair = async (code: string): Promise<void> => {
    try {
      const outcome = await pairByCode(terminal, code, config, world);
      terminal.link?.over.abort();
      const link = await connect(terminal, outcome, config, world);
      send({
        kind: 'conditions',
        changes: { ...conditionsOf(terminal), pairing: 'confirming', code, online: true },
      });
      watchLink(link);
    } catch (error) {
      print(`Pairing: ${error instanceof Error ? error.message : String(error)}`);
      send({ kind: 'pairing_failed', how: pairingFailure(error) });
    }
  };
  const visits = openCardVisits(reader, world, send, signal);
  const perform = (effect: Exclude<Effect, { kind: 'sound' }>): void => {
    switch (effect.kind) {
      case 'prove':
        visits.prove(effect.visit, effect.uid, terminal.link);
        return;
      case 'forget_card':
        visits.forget();
        return;
      case 'stamp':
        return void askToStamp(effect, terminal.link!, world, signal).then(send);
      case 'info':
        return void askForInfo(effect, terminal.link!, world, signal).then(send);
      case 'choose_pin':
        return void savePin(effect, terminal.link!, world, signal).then(send);
      case 'end':
        // Nothing depends on the answer: sessions expire.
        return void terminal.link?.api.endSession({ session: effect.session }).catch(() => undefined);
      case 'record':
        return void record(effect, terminal, world).then((event) => {
          send(event);
          send({ kind: 'conditions', changes: conditionsOf(terminal) });
        });
      case 'pair':
        return void pair(effect.code);
    }
  };

  const stage = openStage({
    conditions: conditionsAtStart(terminal),
    ...shownBy(config),
    elapsed,
    serviceNow: () => terminal.link?.client.now() ?? now(),
    sleep,
    perform,
    show: (frame) => server.show(frame),
    onStep: (before, after) => control !== undefined && tellControl(control, stage, before, after),
  });
  const server = await openScreenServer({ port: config.screen.port, frame: stage.frame, act: stage.act });
  print(`Screen: http://127.0.0.1:${server.port}/`);
  reader.onReaderState((state) => send({ kind: 'conditions', changes: { readerReady: state.kind === 'ready' } }));
  if (terminal.link !== undefined) watchLink(terminal.link);
  await reader.start();
  if (control !== undefined) print(`Simulator: http://127.0.0.1:${control.port}/`);
  await abortOf(signal);
  stage.stop();
  terminal.link?.over.abort();
  await visits.whenFinished();
  await server.close();
}

function conditionsAtStart(terminal: Terminal): Conditions {
  const isPaired = terminal.link !== undefined;
  return {
    pairing: !isPaired ? 'unpaired' : terminal.status?.confirmed === true ? 'confirmed' : 'starting',
    fingerprint: terminal.key.fingerprint,
    online: !isPaired,
    stopped: false,
    readerReady: false,
    recordsOffline: false,
    waiting: 0,
    info: false,
    infoWithoutPin: false,
    ...conditionsOf(terminal),
  };
}

function shownBy({ screen, timeZone, serviceUrl }: ScreenRunConfig) {
  return {
    settings: { language: screen.language, countdown: screen.countdown },
    appearance: {
      theme: screen.theme,
      reader: screen.readerSide,
      sound: screen.sound,
      timeZone,
      service: serviceUrl.host,
    },
  };
}

async function askToStamp(
  { visit, session, action, pin }: Extract<Effect, { kind: 'stamp' }>,
  { api }: Link,
  world: World,
  signal: AbortSignal,
): Promise<Event> {
  const call = () => api.stamp({ session, action, ...(pin === undefined ? {} : { pin }) });
  const reply = await patiently(call, signal, world);
  return reply.kind === 'answered'
    ? { kind: 'stamped', visit, stamp: reply.body }
    : { kind: 'not_given', visit, ...notGiven(reply, pin) };
}

async function askForInfo(
  { visit, session, pin }: Extract<Effect, { kind: 'info' }>,
  { api }: Link,
  world: World,
  signal: AbortSignal,
): Promise<Event> {
  const call = () => api.info({ session, ...(pin === undefined ? {} : { pin }) });
  const reply = await patiently(call, signal, world);
  return reply.kind === 'answered'
    ? { kind: 'info', visit, info: reply.body }
    : { kind: 'not_given', visit, ...notGiven(reply, pin) };
}

async function savePin(
  { visit, session, pin }: Extract<Effect, { kind: 'choose_pin' }>,
  { api }: Link,
  world: World,
  signal: AbortSignal,
): Promise<Event> {
  const reply = await patiently(() => api.choosePin({ session, pin }), signal, world);
  return { kind: reply.kind === 'answered' ? 'pin_saved' : 'pin_not_saved', visit };
}

/** Records a stamp without the service. */
async function record(
  { visit, uid, action }: Extract<Effect, { kind: 'record' }>,
  { link, status }: Terminal,
  { print, random }: World,
): Promise<Event> {
  const { terminalId, client, journal } = link!;
  const sealKey = status?.seal_key;
  const time = client.now();
  const at = new Date(time).toISOString();
  try {
    if (sealKey === undefined) throw new NotRecorded('the service has not told its key');
    await journal.record((number) => sealStamp({ uid, action, at }, { sealKey, terminalId, number }, random));
    return { kind: 'recorded', visit, time };
  } catch (error) {
    print(`Offline stamp not recorded: ${error instanceof Error ? error.message : String(error)}`);
    return { kind: 'not_recorded', visit };
  }
}

/** A tool that holds a simulated card reads the outcome, and can also be the finger. */
function tellControl(control: SimulatorControl, stage: Stage, before: Door, after: Door): void {
  const outcome = outcomeOf(before.state, after.state);
  if (outcome !== undefined) control.report(outcome);
  const choice = control.choice();
  if (choice === undefined || before.state.at === after.state.at) return;
  if (after.state.at === 'choice' || after.state.at === 'offline_choice')
    stage.act(after.visit, { kind: 'act', action: choice.action });
  if (after.state.at === 'choose_pin' && choice.pin !== undefined)
    for (const pin of [choice.pin, choice.pin]) stage.act(after.visit, { kind: 'pin', pin });
  if (after.state.at === 'pin' && choice.pin !== undefined) stage.act(after.visit, { kind: 'pin', pin: choice.pin });
}
